import type { GatewayRequest } from '../client/client';
import { deepMerge, type JsonObject } from '../util/json';
import type { TextFormat } from './formats/format';
import type { TextRequest } from './formats/request';

/** §7.3: statuses after which no provider has worked on the request. */
const WITHOUT_PROVIDER: ReadonlySet<number> = new Set([502, 503]);

/** A request to a text model. */
export type TextCall = GatewayRequest & { json: JsonObject };

/**
 * The request to a text model.
 *
 * @param extraBody merged into the body last
 * @throws {InvalidInputError} for a conversation that the format cannot express
 */
export function textCall(format: TextFormat, request: TextRequest, extraBody: JsonObject): TextCall {
	const { group, path, headers } = format;
	const json = deepMerge(format.toBody(request), extraBody);
	return {
		group,
		method: 'POST',
		path,
		charged: true,
		statusesWithoutEffect: WITHOUT_PROVIDER,
		headers,
		json,
	};
}
