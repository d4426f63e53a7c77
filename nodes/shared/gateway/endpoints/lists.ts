import type { GatewayClient } from '../client/client';
import type { EndpointGroup, ErrorText } from '../errors/texts';
import { asId, asNumber, asObject, asObjects, type Json, type JsonObject } from '../util/json';

/** A list, as far as one response has it. */
export interface List {
	/** The response itself if nothing in it looks like a list of records. */
	records: JsonObject[];
	/** Whether the response says that there are more. */
	hasMore: boolean;
}

const NO_LIST: ErrorText = {
	message: 'The gateway does not offer this list',
	description:
		"Its specification does not describe the list, so a gateway may be without it. Keep the IDs that 'Create' or 'Upload' returns.",
};

/**
 * Fetches a list. The specification shows neither its query nor its shape (§4.13, §4.17).
 *
 * @param idOf returns the ID of a record; `undefined` for other objects
 * @throws {ApiError} when the request fails
 */
export async function fetchList(
	client: GatewayClient,
	{ group, path }: { group: EndpointGroup; path: string },
	idOf: (record: JsonObject) => string | undefined,
): Promise<List> {
	const body = await client.json({ group, kind: 'read', path, takesList: true, texts: { 404: NO_LIST } });
	const records = recordsIn(body, idOf) ?? [body];
	return {
		records,
		hasMore: [body, asObject(body.data) ?? {}].some((page) => saysMore(page, records.length)),
	};
}

/** Whether a page says that others follow: `has_more`, a `next…` that is set, or a larger `total`. */
function saysMore(page: JsonObject, count: number): boolean {
	return Object.entries(page).some(([name, value]) => {
		if (/^has_?(more|next)/i.test(name)) return value === true;
		if (/^total/i.test(name)) return (asNumber(value) ?? 0) > count;
		return /^next/i.test(name) && (asId(value) ?? '') !== '';
	});
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
