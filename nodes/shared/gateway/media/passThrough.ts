import { asObject, isFlat, parseJson, type Json } from '../util/json';

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

/** n8n fails to store what is nested much deeper. */
const MAX_LEVELS = 50;

/** The data in the query of a callback, which anybody can send; `undefined` if it is not readable. Never throws. */
export function readPassThrough(query: unknown): Json | undefined {
	const given = asObject(query)?.[NAME];
	if (typeof given !== 'string') return undefined;
	const value = parseJson(Buffer.from(given, 'base64url').toString('utf8'));
	return value !== undefined && isFlat(value, MAX_LEVELS) ? value : undefined;
}
