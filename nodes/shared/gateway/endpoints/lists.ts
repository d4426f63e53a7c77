import type { GatewayClient } from '../client/client';
import type { EndpointGroup } from '../errors/texts';
import { asObject, asObjects, type Json, type JsonObject } from '../util/json';

/**
 * Fetches a list. The specification shows neither its query nor its shape (§4.13, §4.17).
 *
 * @param idOf returns the ID of a record; `undefined` for other objects
 * @returns the records of one response; the response itself if nothing in it looks like a list of them
 * @throws {ApiError} when the request fails
 */
export async function fetchList(
	client: GatewayClient,
	{ group, path }: { group: EndpointGroup; path: string },
	idOf: (record: JsonObject) => string | undefined,
): Promise<JsonObject[]> {
	const body = await client.json({ group, kind: 'read', path, takesList: true });
	return recordsIn(body, idOf) ?? [body];
}

/** The depth to which a response is searched for the list: `{ data: { items: […] } }`. */
const MAX_LIST_DEPTH = 3;

/** The elements of the uppermost list of objects with an ID; an empty list if there is only an empty one. */
function recordsIn(
	body: JsonObject,
	idOf: (record: JsonObject) => string | undefined,
): JsonObject[] | undefined {
	let level: Array<Json | undefined> = [body];
	let empty: JsonObject[] | undefined;
	for (let depth = 0; depth < MAX_LIST_DEPTH; depth += 1) {
		const lists = level.filter((value) => Array.isArray(value));
		const found = lists.map(asObjects).find((records) => records.some((one) => idOf(one) !== undefined));
		if (found) return found;
		if (lists.some((list) => list.length === 0)) empty ??= [];
		level = level.flatMap((value) => Object.values(asObject(value) ?? {}));
	}
	return empty;
}
