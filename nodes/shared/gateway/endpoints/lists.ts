import type { GatewayClient } from '../client/client';
import type { Endpoint } from '../errors/endpoints';
import { asId, asNumber, asObject, asObjects, type Json, type JsonObject } from '../util/json';

export type List = Awaited<ReturnType<typeof fetchList>>;

/** Fetches a list of records, which have an ID. The specification shows neither its query nor its shape (§4.13, §4.17). */
export async function fetchList(
	client: GatewayClient,
	endpoint: Endpoint,
	path: string,
	idOf: (record: JsonObject) => string | undefined,
) {
	const body = await client.json({ endpoint, kind: 'read', path, takesList: true });
	// The response itself if nothing in it looks like a list of records.
	const values = Object.values(body);
	const parts = [...values, ...values.flatMap((value) => Object.values(asObject(value) ?? {}))];
	const records = recordsIn(parts, idOf) ?? [body];
	const pages = [body, ...asObjects(parts)];
	return { records, hasMore: pages.some((page) => saysMore(page, records.length)) };
}

/** Whether a page says that others follow: `has_more`, a `next…` that is set, several `pages`, or a larger `total`. */
function saysMore(page: JsonObject, count: number): boolean {
	return Object.entries(page).some(([name, value]) => {
		if (/^has_?(more|next)/i.test(name)) return value === true;
		if (/pages$|^last_?page$/i.test(name)) return (asNumber(value) ?? 0) > 1;
		if (/^total(?!.*(size|bytes))/i.test(name)) return (asNumber(value) ?? 0) > count;
		return /^next/i.test(name) && (asId(value) ?? '') !== '';
	});
}

/** The elements of the first list of objects with an ID; an empty list if there is only an empty one. */
function recordsIn(
	parts: ReadonlyArray<Json | undefined>,
	idOf: (record: JsonObject) => string | undefined,
): JsonObject[] | undefined {
	const lists = parts.filter((part) => Array.isArray(part));
	const found = lists.map(asObjects).find((records) => records.some((one) => idOf(one) !== undefined));
	return found ?? (lists.some((list) => list.length === 0) ? [] : undefined);
}
