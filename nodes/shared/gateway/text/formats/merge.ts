import { asId, asObjects, at, fieldOf, setField, textOf, type Json, type JsonObject } from '../../util/json';

// The same item or part of a response comes twice: in deltas, in `…done` events, and in the closing event (§6.1).

/** The lists of parts that an item has. */
const LISTS: readonly string[] = ['content', 'summary'];

/** Whether a value replaces nothing. For arguments, `{}` is empty, too. */
export function isEmptyValue(value: Json | undefined, name = ''): boolean {
	if (Array.isArray(value)) return value.length === 0;
	if (name === 'arguments' && typeof value === 'string') return ['', '{}'].includes(value.replace(/\s/g, ''));
	return value === undefined || value === null || value === '';
}

/** An item or a part with a later version of it: of two values, the later one that is not empty counts. */
export function withLater(earlier: JsonObject, later: JsonObject): JsonObject {
	const result = { ...earlier };
	for (const [name, value] of Object.entries(later)) {
		const known = fieldOf(result, name);
		if (known !== undefined && isEmptyValue(value, name)) continue;
		const isList = LISTS.includes(name) && asObjects(known).length > 0;
		setField(result, name, isList ? united(asObjects(known), asObjects(value)) : value);
	}
	return result;
}

/**
 * Items, or parts of an item, with a later list of them. An element is an earlier one by its ID, else by its place among those
 * of its type. Earlier elements that the later list lacks are added, unless its texts contain theirs: then it has
 * them in other places.
 */
export function united(earlier: readonly JsonObject[], later: readonly JsonObject[]): JsonObject[] {
	const same = pairs(earlier, later);
	const known = new Set(same.values());
	const isRepeated = repeatedTypes(earlier, later);
	/** The lacking elements, by the later one that they follow. */
	const lacking = new Map<JsonObject | undefined, JsonObject[]>();
	const laterOf = new Map([...same].map(([element, before]) => [before, element]));
	let previous: JsonObject | undefined;
	for (const element of earlier) {
		if (known.has(element)) previous = laterOf.get(element);
		else if (textIn(element) === '' || !isRepeated.has(element.type))
			at(lacking, previous, () => []).push(element);
	}
	const merged = later.flatMap((element) => {
		const before = same.get(element);
		return [before ? withLater(before, element) : element, ...(lacking.get(element) ?? [])];
	});
	return [...(lacking.get(undefined) ?? []), ...merged];
}

/** The earlier version of each later element that has one. */
function pairs(
	earlier: readonly JsonObject[],
	later: readonly JsonObject[],
): ReadonlyMap<JsonObject, JsonObject> {
	const found = new Map<JsonObject, JsonObject>();
	const known = new Set<JsonObject>();
	const pair = (element: JsonObject, before: JsonObject | undefined) => {
		if (!before || known.has(before) || found.has(element)) return;
		found.set(element, before);
		known.add(before);
	};
	// Some models give all calls the same ID: then the first is the first.
	const byId = grouped([...earlier].reverse(), idsOf);
	for (const element of later) for (const id of idsOf(element)) pair(element, byId.get(id)?.pop());
	const byType = grouped(earlier, ({ type }) => [type]);
	for (const elements of grouped(later, ({ type }) => [type]).values())
		for (const [place, element] of elements.entries()) pair(element, byType.get(element.type)?.[place]);
	return found;
}

function grouped<K>(
	elements: readonly JsonObject[],
	keysOf: (element: JsonObject) => K[],
): Map<K, JsonObject[]> {
	const groups = new Map<K, JsonObject[]>();
	for (const element of elements) for (const key of keysOf(element)) at(groups, key, () => []).push(element);
	return groups;
}

function idsOf({ id, call_id: callId }: JsonObject): string[] {
	return [id, callId].flatMap((value) => asId(value) ?? []);
}

/** The types whose later texts, joined, contain the earlier ones, joined. */
function repeatedTypes(earlier: readonly JsonObject[], later: readonly JsonObject[]): ReadonlySet<unknown> {
	const byType = grouped(later, ({ type }) => [type]);
	const joined = (elements: readonly JsonObject[] = []) => elements.map(textIn).join('');
	return new Set(
		[...grouped(earlier, ({ type }) => [type])].flatMap(([type, elements]) =>
			joined(byType.get(type)).includes(joined(elements)) ? [type] : [],
		),
	);
}

/** The text of an item or a part. */
export function textIn(element: JsonObject): string {
	const parts = [element, ...LISTS.flatMap((list) => asObjects(fieldOf(element, list)))];
	return parts.map(({ text, refusal }) => textOf(text) + textOf(refusal)).join('');
}
