import { redact } from '../errors/secrets';
import type { ErrorText } from '../errors/texts';
import { excerpt } from '../util/excerpt';
import { ApiError, UNREADABLE } from '../errors/errors';
import { isCharged, receiptFields, type Receipt } from './formats/completion';

/** How a stream can fail, besides an error event. */
export type StreamProblem = 'cut' | 'ended' | 'idle' | 'total' | 'unreadable';

/** Text and code of each problem. */
export const STREAM_TEXTS: Readonly<Record<StreamProblem, ErrorText & { code: string }>> = {
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
};

/** The error of a stream that did not end properly. */
export function streamError(problem: StreamProblem, cause?: Error): ApiError {
	const { message, description, code } = STREAM_TEXTS[problem];
	return new ApiError({ message, description, code, outcome: 'unknown', retryable: true }, cause);
}

/** What a stream had sent when it failed. */
interface ReceivedPart {
	text: string;
	mayBeCharged: boolean;
	/** The tokens and the cost of the call, when they had come. */
	receipt?: Receipt | undefined;
	secrets: readonly string[];
}

/**
 * Adds the text received so far to the error of a stream, and whether it may be charged (§6.1). The error item has
 * the whole text, the description its beginning.
 */
export function withReceivedText(error: ApiError, received: ReceivedPart): ApiError {
	const { text, mayBeCharged, receipt, secrets } = received;
	const { description, extra } = error.details;
	const shown =
		text === '' ? 'No text had been received.' : `Received so far: “${excerpt(redact(text, secrets))}”`;
	return error.with({
		description: `${redact(description, secrets)} ${shown}`,
		outcome: receipt && isCharged(receipt) ? 'charged' : mayBeCharged ? 'unknown' : 'rejected',
		retryable: true,
		extra: { ...extra, receivedText: text, ...(receipt ? receiptFields(receipt) : {}) },
	});
}
