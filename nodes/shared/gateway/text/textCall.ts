import type { GatewayRequest } from '../client/client';
import { deepMerge, type JsonObject } from '../util/json';
import { withMaxTokens } from './cost';
import type { TextFormat } from './formats/format';
import type { TextRequest } from './formats/request';

/** A request to a text model. */
export type TextCall = GatewayRequest & { json: JsonObject };

/**
 * The request to a text model.
 *
 * @param extraBody merged into the body last
 * @param hasLimit whether its cost is limited
 * @throws {InvalidInputError} for a conversation that the format cannot express
 */
export function textCall(
	format: TextFormat,
	request: TextRequest,
	extraBody: JsonObject,
	hasLimit: boolean,
): TextCall {
	const { texts, path, headers } = format;
	const body = deepMerge(format.toBody(request), extraBody);
	const json = hasLimit ? withMaxTokens(format, body) : body;
	return { group: 'text', texts, kind: 'charge', method: 'POST', path, headers, json };
}
