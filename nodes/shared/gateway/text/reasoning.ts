import { ApiError, asError } from '../errors/errors';
import { canonicalJson, omit } from '../util/json';
import type { TextRequest } from './formats/request';
import type { TextCall } from './textCall';

/** The request without the reasoning of earlier completions, and without asking for reasoning to keep. */
export function withoutReasoning(request: TextRequest): TextRequest {
	const { conversation } = request;
	const others = omit(request, 'keepsReasoning');
	if (conversation.kind === 'wire') return others;
	const messages = conversation.messages.map((message) =>
		'reasoning' in message ? omit(message, 'reasoning') : message,
	);
	return { ...others, conversation: { ...conversation, messages } };
}

/**
 * Sends the first request. If the gateway rejects it with 400, which it does not charge (§7.3), sends the next one that
 * is another body.
 *
 * @param requests each simpler than the one before
 * @param toCall builds the request to the gateway
 * @returns what `send` returns, and the index of the request that the gateway took
 * @throws what `send` throws; the first error if all requests were rejected
 */
export async function sendFirstTaken<T>(
	requests: readonly TextRequest[],
	toCall: (request: TextRequest) => TextCall,
	send: (request: TextRequest) => Promise<T>,
): Promise<{ response: T; index: number }> {
	const bodyOf = (request: TextRequest) => canonicalJson(toCall(request).json);
	let rejection: unknown;
	for (const [index, request] of requests.entries()) {
		if (requests.slice(0, index).some((sent) => bodyOf(sent) === bodyOf(request))) continue;
		try {
			return { response: await send(request), index };
		} catch (error) {
			if (!isRejection(error)) throw asError(error);
			rejection ??= error;
		}
	}
	throw asError(rejection);
}

/** Whether the gateway may take a simpler request: a 400 for a part of it, not for its length (§7.3). */
function isRejection(error: unknown): boolean {
	if (!(error instanceof ApiError)) return false;
	const { status, outcome, code } = error.details;
	return status === 400 && outcome === 'rejected' && code !== 'context_length_exceeded';
}
