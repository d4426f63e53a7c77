import type { GatewayRequest } from '../client/client';
import { ApiError, asError } from '../errors/errors';
import { MAX_MEDIA_BYTES, MAX_TEXT_BYTES } from '../client/transport';
import { asObjects, canonicalJson, deepMerge, type JsonObject } from '../util/json';
import { withMaxTokens } from './cost';
import type { TextFormat } from './formats/format';
import type { TextRequest } from './formats/request';

export type TextCall = GatewayRequest & { json: JsonObject };

/** The body of a request to a text model; `extraBody` is merged into it last. */
export function textBody(format: TextFormat, request: TextRequest, extraBody: JsonObject): JsonObject {
	return deepMerge(format.toBody(request), extraBody);
}

/** The request to a text model; a body whose cost is limited gets a limit of tokens. */
export function textCall(
	format: Pick<TextFormat, 'texts' | 'path' | 'headers' | 'cost'>,
	body: JsonObject,
	hasLimit: boolean,
): TextCall {
	const { texts, path, headers } = format;
	const json = hasLimit ? withMaxTokens(format, body) : body;
	const maxBytes = asksForMedia(json) ? MAX_MEDIA_BYTES : MAX_TEXT_BYTES;
	return { group: 'text', texts, kind: 'charge', method: 'POST', path, headers, json, maxBytes };
}

/** Whether the response may hold sound or pictures: the fields of *Audio and Images*, or the tool that makes images. */
export function asksForMedia({ modalities, audio, image_config: images, tools }: JsonObject): boolean {
	const makesImages = asObjects(tools).some(({ type }) => type === 'image_generation');
	return makesImages || [modalities, audio, images].some((field) => field !== undefined);
}

/**
 * Sends the first variant of a call. If the gateway rejects it with 400, which it does not charge (§7.3), sends the next
 * one whose body is another. The error is the first one if all were rejected.
 */
export async function sendFirstTaken<V, R>(
	variants: readonly V[],
	callOf: (variant: V) => TextCall,
	send: (call: TextCall) => Promise<R>,
): Promise<{ result: R; variant: V }> {
	const bodies: JsonObject[] = [];
	let rejection: unknown;
	for (const variant of variants) {
		const call = callOf(variant);
		if (bodies.some((body) => canonicalJson(body) === canonicalJson(call.json))) continue;
		bodies.push(call.json);
		try {
			return { result: await send(call), variant };
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
