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
 * Sends a request. If the gateway rejects it with 400, which it does not charge (§7.3), sends the simpler one, unless
 * that is the same.
 *
 * @param toCall builds the request to the gateway
 * @returns what `send` returns, and whether the gateway took the simpler request only
 * @throws what `send` throws; the first error if both requests were rejected
 */
export async function sendOrSimpler<T>(
	[request, simpler]: readonly [TextRequest, TextRequest],
	toCall: (request: TextRequest) => TextCall,
	send: (request: TextRequest) => Promise<T>,
): Promise<{ response: T; isRejected: boolean }> {
	try {
		return { response: await send(request), isRejected: false };
	} catch (error) {
		const [body, simplerBody] = [request, simpler].map((given) => canonicalJson(toCall(given).json));
		if (!isRejection(error) || body === simplerBody) throw asError(error);
		try {
			return { response: await send(simpler), isRejected: true };
		} catch (second) {
			throw asError(isRejection(second) ? error : second);
		}
	}
}

/** Codes of 400 that do not mean a part of the request (§7.3). */
const OTHER_CODES: ReadonlySet<string | undefined> = new Set(['context_length_exceeded']);

function isRejection(error: unknown): boolean {
	if (!(error instanceof ApiError)) return false;
	const { status, outcome, code } = error.details;
	return status === 400 && outcome === 'rejected' && !OTHER_CODES.has(code);
}
