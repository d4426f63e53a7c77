import { redact } from '../errors/secrets';
import type { ErrorText } from '../errors/texts';
import { excerpt } from '../util/text';
import { ApiError, UNREADABLE } from '../errors/errors';
import { isCharged, receiptFields, type Receipt } from './formats/completion';

/** Text and code of each way in which a stream can fail, besides an error event. */
export const STREAM_TEXTS = {
	cut: {
		code: 'connection_lost',
		message: 'The connection broke in the middle of the response',
		description: 'The response is incomplete.',
	},
	ended: {
		code: 'stream_incomplete',
		message: 'The response ended before it was complete',
		description: 'The event that ends a response, or a part of the response, did not come.',
	},
	idle: {
		code: 'timeout',
		message: 'The gateway stopped sending in the middle of the response',
		description: 'Nothing more came, so the node stopped waiting.',
	},
	total: {
		code: 'timeout',
		message: 'The response took too long',
		description:
			"A streamed response may take 15 minutes, or as long as the option 'Timeout (Seconds)' says. Ask for a shorter response, or raise the option.",
	},
	unreadable: {
		code: UNREADABLE,
		message: 'A part of the streamed response could not be read',
		description: 'The response may be incomplete, so the node does not output it.',
	},
} satisfies Record<string, ErrorText & { code: string }>;

export function streamError(problem: keyof typeof STREAM_TEXTS, cause?: Error): ApiError {
	return new ApiError({ ...STREAM_TEXTS[problem], outcome: 'unknown', retryable: true }, cause);
}

/**
 * Adds the text received so far to the error of a stream, and the tokens and the cost, if they had come. The error item
 * has the whole text, the description its beginning.
 */
export function withReceivedText(
	error: ApiError,
	{ text, receipt, secrets = [] }: { text: string; receipt: Receipt; secrets?: readonly string[] },
): ApiError {
	const { description, outcome, extra } = error.details;
	const hasReceipt = receipt.costRub !== null || receipt.usage.outputTokens !== null;
	const shown =
		text === '' ? 'No text had been received.' : `Received so far: “${excerpt(redact(text, secrets))}”`;
	return error.with({
		description: `${redact(description, secrets)} ${shown}`,
		// The response has begun: the request was sent.
		outcome: isCharged(receipt) ? 'charged' : outcome === 'notSent' ? 'unknown' : outcome,
		extra: { ...extra, receivedText: text, ...(hasReceipt ? receiptFields(receipt) : {}) },
	});
}
