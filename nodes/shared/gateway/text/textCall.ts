import type { GatewayRequest } from '../client/client';
import { MAX_MEDIA_BYTES, MAX_TEXT_BYTES } from '../client/transport';
import { asObjects, deepMerge, omit, type JsonObject } from '../util/json';
import type { TextFormat } from './formats/format';
import type { TextRequest } from './formats/request';

export type TextCall = GatewayRequest & { json: JsonObject };

/** The body of a request to a text model; `extraBody` is merged into it last, except how the response is read. */
export function textBody(format: TextFormat, request: TextRequest, extraBody: JsonObject): JsonObject {
	return deepMerge(format.toBody(request), omit(extraBody, 'stream'));
}

export function textCall(
	{ texts, path, headers }: Pick<TextFormat, 'texts' | 'path' | 'headers'>,
	json: JsonObject,
): TextCall {
	const maxBytes = asksForMedia(json) ? MAX_MEDIA_BYTES : MAX_TEXT_BYTES;
	return { group: 'text', texts, kind: 'charge', method: 'POST', path, headers, json, maxBytes };
}

/** Whether the response may hold sound or pictures. */
export function asksForMedia({ modalities, audio, image_config: images, tools }: JsonObject): boolean {
	const makesImages = asObjects(tools).some(({ type }) => type === 'image_generation');
	return makesImages || [modalities, audio, images].some((field) => field !== undefined);
}
