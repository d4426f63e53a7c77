import {
	asId,
	asObject,
	asObjects,
	asText,
	at,
	fieldOf,
	parseJson,
	setField,
	textOf,
	type Json,
	type JsonObject,
} from '../../util/json';

// The same item or part of a response comes twice: in deltas, in `…done` events, and in the closing event (§6.1).

/** The lists of parts that an item has. */
const PART_LISTS: readonly string[] = ['content', 'summary'];

/** The fields with the arguments of a call, for which `{}` is empty, too. */
const ARGUMENTS: readonly string[] = ['arguments', 'input'];

export function isEmptyValue(value: Json | undefined, name = ''): boolean {
	if (Array.isArray(value)) return value.length === 0;
	if (!ARGUMENTS.includes(name)) return value === undefined || value === null || value === '';
	const fields = asObject(value);
	return fields ? Object.keys(fields).length === 0 : ['', '{}'].includes(textOf(value).replace(/\s/g, ''));
}

/** Whether a later value of a field counts: it is not empty, or there is no other one. */
export function replaces(known: Json | undefined, value: Json | undefined, name: string): boolean {
	if (value === undefined) return false;
	if (known === undefined || !isEmptyValue(value, name)) return true;
	// Arguments that were not finished.
	const isCut = ARGUMENTS.includes(name) && typeof known === 'string' && parseJson(known) === undefined;
	return isCut && textOf(value) !== '';
}

/** An item or a part with a later version of it: of two values, the later one that is not empty counts. */
export function withLater(earlier: JsonObject, later: JsonObject): JsonObject {
	const result = { ...earlier };
	for (const [name, value] of Object.entries(later)) {
		const known = fieldOf(result, name);
		if (!replaces(known, value, name)) continue;
		const isList = PART_LISTS.includes(name) && asObjects(known).length > 0;
		setField(result, name, isList ? united(asObjects(known), asObjects(value)) : value);
	}
	return result;
}

/**
 * Items, or parts of an item, with a later list of them, see {@link pairs}. Earlier elements that the later list lacks are
 * added, unless its texts contain theirs: then it has them in other places.
 */
export function united(earlier: readonly JsonObject[], later: readonly JsonObject[]): JsonObject[] {
	const same = pairs(earlier, later);
	const known = new Map([...same].map(([element, before]) => [before, element]));
	const isRepeated = repeatedKinds(earlier, later);
	/** The lacking elements, by the later one that they follow. */
	const lacking = new Map<JsonObject | undefined, JsonObject[]>();
	let previous: JsonObject | undefined;
	for (const element of earlier) {
		if (known.has(element)) previous = known.get(element);
		else if (textIn(element) === '' || !isRepeated.has(kindOfPart(element)))
			at(lacking, previous, () => []).push(element);
	}
	const merged = later.flatMap((element) => {
		const before = same.get(element);
		return [before ? withLater(before, element) : element, ...(lacking.get(element) ?? [])];
	});
	return [...(lacking.get(undefined) ?? []), ...merged];
}

/** The earlier version of each later element that has one: by its ID, by its text, or by its place among those of its kind. */
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
	for (const keysOf of [idsOf, textsOf]) {
		const byKey = grouped([...earlier].reverse(), keysOf);
		for (const element of later) for (const key of keysOf(element)) pair(element, byKey.get(key)?.pop());
	}
	const before = grouped(earlier, (element) => [kindOfPart(element)]);
	for (const [kind, elements] of grouped(later, (element) => [kindOfPart(element)])) {
		const candidates = placed(before.get(kind) ?? []);
		for (const [place, element] of placed(elements).entries()) {
			const candidate = candidates[place];
			if (candidate && !isOtherCall(candidate, element)) pair(element, candidate);
		}
	}
	return found;
}

/** The elements that have a place: beside others, an empty text has none. */
function placed(elements: readonly JsonObject[]): readonly JsonObject[] {
	const withText = elements.filter((element) => textIn(element) !== '');
	return withText.length > 0 ? withText : elements;
}

/** Whether two calls of a tool have their own IDs, and arguments of their own. */
function isOtherCall(earlier: JsonObject, later: JsonObject): boolean {
	const [before, after] = [earlier, later].map(({ call_id: id }) => asId(id));
	if (before === undefined || after === undefined || before === after) return false;
	return !isEmptyValue(later.arguments, 'arguments') && later.arguments !== earlier.arguments;
}

function grouped<K>(
	elements: readonly JsonObject[],
	keysOf: (element: JsonObject) => K[],
): Map<K, JsonObject[]> {
	const groups = new Map<K, JsonObject[]>();
	for (const element of elements) for (const key of keysOf(element)) at(groups, key, () => []).push(element);
	return groups;
}

/** The types of parts that are text, in the words of several vendors. */
const TEXT_TYPES: readonly string[] = ['', 'text', 'output_text', 'summary_text', 'reasoning_text'];

/** What an element may be the same by: its type, and the name of the tool that it calls. */
function kindOfPart({ type, name }: JsonObject): string {
	const word = asText(type) ?? '';
	if (word === 'function_call') return `${word} ${textOf(name)}`;
	return TEXT_TYPES.includes(word) ? 'text' : word;
}

function idsOf({ type, id, call_id: callId }: JsonObject): string[] {
	return [id, callId].flatMap((value) => {
		const known = asId(value);
		return known === undefined ? [] : JSON.stringify([asText(type) ?? '', known]);
	});
}

function textsOf(element: JsonObject): string[] {
	const text = textIn(element);
	return text === '' ? [] : [`${kindOfPart(element)} ${text}`];
}

/** The kinds whose later texts, joined, contain the earlier ones, joined. */
function repeatedKinds(earlier: readonly JsonObject[], later: readonly JsonObject[]): ReadonlySet<string> {
	const byKind = grouped(later, (element) => [kindOfPart(element)]);
	const joined = (elements: readonly JsonObject[] = []) => elements.map(textIn).join('');
	const groups = [...grouped(earlier, (element) => [kindOfPart(element)])];
	return new Set(
		groups.flatMap(([kind, elements]) => (joined(byKind.get(kind)).includes(joined(elements)) ? [kind] : [])),
	);
}

/** The text of an item or a part. */
export function textIn(element: JsonObject): string {
	const parts = [element, ...PART_LISTS.flatMap((list) => asObjects(fieldOf(element, list)))];
	return parts.map(({ text, refusal }) => textOf(text) + textOf(refusal)).join('');
}
