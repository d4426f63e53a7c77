import type { GatewayClient } from '../client/client';
import type { EndpointGroup } from '../errors/texts';
import { asNumber, asObject, asObjects, type Json, type JsonObject } from '../util/json';

/** A list whose shape the specification does not show (§4.13, §4.17). */
export interface RecordList {
	/** As received. */
	body: JsonObject | Json[];
	/** The records in it; `undefined` if nothing looks like a list of them. */
	records: JsonObject[] | undefined;
	/** The number of all records, if the response has it. */
	total?: number | undefined;
}

/**
 * Fetches a list. The specification shows no query either, so none is sent.
 *
 * @param idOf returns the ID of a record; `undefined` for other objects
 * @throws {ApiError} when the request fails
 */
export async function fetchList(
	client: GatewayClient,
	{ group, path }: { group: EndpointGroup; path: string },
	idOf: (record: JsonObject) => string | undefined,
): Promise<RecordList> {
	const body = await client.json({ group, kind: 'read', path }, (received) =>
		Array.isArray(received) ? (received as Json[]) : asObject(received),
	);
	return { body, records: recordsIn(body, idOf), total: totalIn(body) };
}

/** The depth to which a response is searched for the list: `{ data: { items: […] } }`. */
const MAX_LIST_DEPTH = 3;

/** The elements of the uppermost list of objects with an ID; an empty list if there is only an empty one. */
function recordsIn(
	body: JsonObject | Json[],
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

/** Next to the list, or in the envelope. */
function totalIn(body: JsonObject | Json[]): number | undefined {
	const { total, data } = asObject(body) ?? {};
	return asNumber(total) ?? asNumber(asObject(data)?.total);
}
