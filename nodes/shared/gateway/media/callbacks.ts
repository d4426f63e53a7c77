import { ID } from '../util/text';
import { asId, asObject, parseJson, type Json } from '../util/json';

/** Limits of what the node reads from a callback, which anybody can send. */
const MAX_IDS = 10;
const MAX_ID_LENGTH = 200;
const MAX_VALUES = 2_000;

/** No sentence, no JSON. */
const WORD = /^[^\s"<>[\]{}]+$/;

/** A value, and the name of the field that it is in. */
interface Place {
	value: unknown;
	name: string;
	/** Whether this field, or one around it, has a name with "task". */
	isInTask: boolean;
}

/**
 * The IDs in a callback that may be a task's, most likely first, at most 10. §6.4 does not show a callback, so any text
 * under a name with "task" or "id" counts, also in JSON text, and text without a name. A callback is only a hint: a wrong
 * ID costs a poll. Never throws.
 */
export function taskIdsIn(query: unknown, body: unknown): string[] {
	const places = [query, body].map((value): Place => ({ value, name: '', isInTask: false }));
	// Level by level: visits those that are added meanwhile.
	for (const { value, name, isInTask } of places) {
		for (const [key, child] of childrenOf(value).slice(0, MAX_VALUES - places.length)) {
			const childName = key ?? name;
			places.push({ value: child, name: childName, isInTask: isInTask || /task/i.test(childName) });
		}
	}
	const named = places.filter(({ name }) => /task|id|^$/i.test(name)).sort((a, b) => rank(a) - rank(b));
	return [...new Set(named.flatMap(({ value }) => idOf(value) ?? []))].slice(0, MAX_IDS);
}

/** The values in a value, also in its JSON text. Those in a list have its name. */
function childrenOf(value: unknown): Array<[name: string | undefined, child: unknown]> {
	if (typeof value === 'string') {
		const parsed = /^\s*["[{]/.test(value) ? parseJson(value) : undefined;
		return parsed === undefined ? [] : [[undefined, parsed]];
	}
	if (Array.isArray(value)) return value.map((child: unknown) => [undefined, child]);
	const fields = Object.entries(asObject(value) ?? {});
	const [[name = '', text] = []] = fields;
	// Text or JSON that was sent as a form, as curl does.
	return fields.length === 1 && text === '' && /[\d{]/.test(name) ? [[undefined, name]] : fields;
}

function rank({ name, isInTask }: Place): number {
	const isIdName = /ids?$/i.test(name);
	if (isInTask && isIdName) return 0;
	if (/task/i.test(name)) return 1;
	return isIdName ? 2 : 3;
}

function idOf(value: unknown): string | undefined {
	const text = asId(value) ?? '';
	if (text.length > MAX_ID_LENGTH) return undefined;
	const trimmed = text.trim();
	return ID.test(trimmed) && WORD.test(trimmed) ? trimmed : undefined;
}

// Data of the user that comes back with a task's callback. §6.4 does not show the body of a callback, so the data is in
// the query of the callback URL. Anybody who has the URL can send other data.

const NAME = 'passThrough';

/** The longest data as JSON text, in bytes: many servers take URLs of up to 8 KB. */
export const MAX_PASS_THROUGH_BYTES = 2048;

/** Data as base64url of its JSON text, which no server changes on its way; `undefined` for data over the limit. */
export function encodePassThrough(value: Json): string | undefined {
	const bytes = Buffer.from(JSON.stringify(value), 'utf8');
	return bytes.length <= MAX_PASS_THROUGH_BYTES ? bytes.toString('base64url') : undefined;
}

/** The callback URL with encoded data in its query, in place of other such data. */
export function withPassThrough(url: string, encoded: string): string {
	const target = new URL(url);
	target.searchParams.set(NAME, encoded);
	return target.href;
}

/** The data in the query of a callback, which anybody can send; `undefined` if it is not readable. Never throws. */
export function readPassThrough(query: unknown): Json | undefined {
	const given = asObject(query)?.[NAME];
	if (typeof given !== 'string') return undefined;
	return parseJson(Buffer.from(given, 'base64url').toString('utf8'));
}
