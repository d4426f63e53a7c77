import type { GatewayRequest } from '../client/client';
import { deepMerge, type JsonObject } from '../util/json';
import { withMaxTokens } from './cost';
import type { TextFormat } from './formats/format';
import type { TextRequest } from './formats/request';

/** A request to a text model. */
export type TextCall = GatewayRequest & { json: JsonObject };

/**
 * The body of a request to a text model.
 *
 * @param extraBody merged into the body last
 * @throws {InvalidInputError} for a conversation that the format cannot express
 */
export function textBody(format: TextFormat, request: TextRequest, extraBody: JsonObject): JsonObject {
	return deepMerge(format.toBody(request), extraBody);
}

/**
 * The request to a text model.
 *
 * @param hasLimit whether its cost is limited
 */
export function textCall(
	format: Pick<TextFormat, 'texts' | 'path' | 'headers' | 'cost'>,
	body: JsonObject,
	hasLimit: boolean,
): TextCall {
	const { texts, path, headers } = format;
	const json = hasLimit ? withMaxTokens(format, body) : body;
	return { group: 'text', texts, kind: 'charge', method: 'POST', path, headers, json };
}
