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
 * Sends a request with the reasoning of earlier completions. If the gateway rejects it with 400, which it does not
 * charge (§7.3), sends it again without.
 *
 * @param toCall builds the request to the gateway
 * @returns what `send` returns, and whether the gateway took the request without reasoning only
 * @throws what `send` throws; the first error if both requests were rejected
 */
export async function sendWithReasoning<T>(
	request: TextRequest,
	toCall: (request: TextRequest) => TextCall,
	send: (call: TextCall) => Promise<T>,
): Promise<{ response: T; isRejected: boolean }> {
	const call = toCall(request);
	try {
		return { response: await send(call), isRejected: false };
	} catch (error) {
		const bare = toCall(withoutReasoning(request));
		if (!isRejection(error) || canonicalJson(bare.json) === canonicalJson(call.json)) throw asError(error);
		try {
			return { response: await send(bare), isRejected: true };
		} catch (second) {
			throw asError(isRejection(second) ? error : second);
		}
	}
}

/** Codes of 400 that have nothing to do with reasoning (§7.3). */
const OTHER_CODES: ReadonlySet<string | undefined> = new Set(['context_length_exceeded']);

function isRejection(error: unknown): boolean {
	if (!(error instanceof ApiError)) return false;
	const { status, outcome, code } = error.details;
	return status === 400 && outcome === 'rejected' && !OTHER_CODES.has(code);
}
