import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';

import { InvalidInputError } from '../../gateway/errors/errors';
import {
	asObject,
	asText,
	at,
	canonicalJson,
	fieldOf,
	type Json,
	type JsonObject,
} from '../../gateway/util/json';
import type { Declarations } from '../../params/parameter';

/**
 * The same in each try, until somebody edits the node: expressions count as written, and for a tool as evaluated. Parameters
 * that change no request do not count; those that are not declared do.
 */
export function writtenDigest(parameters: object, declared: Declarations): string {
	const { options, ...others } = countedValues(parameters, declared);
	const added = Object.entries(asObject(options) ?? {}).map(([name, value]) => [`options.${name}`, value]);
	return digest({ ...others, ...(Object.fromEntries(added) as JsonObject) });
}

function countedValues(stored: object, declared: Declarations): JsonObject {
	const values = Object.entries(stored).flatMap(([name, value]: [string, unknown]) => {
		const { changesRequest = true, options } = fieldOf(declared, name)?.traits ?? {};
		if (!changesRequest) return [];
		const added = options && asObject(value);
		return [[name, added ? countedValues(added, options) : enteredValue(value)]];
	});
	return Object.fromEntries(values) as JsonObject;
}

/** Without what the editor stores when it opens the node: cached names of lists, the schema and unset fields of forms. */
function enteredValue(value: unknown): unknown {
	const object = asObject(value);
	if (object?.__rl === true) return object.value;
	if (object?.mappingMode === undefined) return value;
	const set = setFields(asObject(object.value) ?? {});
	return Object.keys(set).length > 0 ? set : undefined;
}

/** The fields of a form that have a value: the editor stores the others, too, when it opens the node. */
export function setFields(values: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(values).filter(([, field]) => field !== null));
}

/** Key in the node's context, where n8n has no token. */
const ROOT = 'aiGatewayRoot';

/**
 * Identifies an execution and its retries, from the token in its resume URL: n8n stores that when the execution begins, and
 * keeps it in a *Retry*, also after a crash. An n8n before 2.14 has none: there it is random, and lost in a crash.
 */
export function executionRoot(execution: unknown, store: Record<string, unknown>): string {
	const url = asText(asObject(execution)?.resumeUrl) ?? '';
	const token = URL.canParse(url) ? new URL(url).search : '';
	return token === '' ? String((store[ROOT] ??= randomUUID())) : digest(token);
}

/** An `Idempotency-Key` (§4.6), of 71 ASCII characters. */
export function idempotencyKey(parts: Json): string {
	return `n8n-gw-${digest(parts)}`;
}

/** The SHA-256 of a value; the order of its fields does not matter. */
export function digest(value: Json): string {
	return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Stands for a user's key in what n8n stores: order numbers and e-mails are not for the data of an execution. */
export function ownKeyName(key: string): string {
	return `own-${digest(key)}`;
}

export function isOwnKeyName(name: string): boolean {
	return name.startsWith('own-');
}

const CIPHER = 'aes-256-gcm';
const cipherKey = (secret: string) => createHash('sha256').update(`own key ${secret}`).digest();

/**
 * Encrypts a user's key while its task may exist: if the next attempt evaluates to another one, it must still send this one.
 *
 * @param secret the API key of the account, which n8n stores encrypted
 */
export function sealKey(key: string, secret: string): string {
	const iv = randomBytes(12);
	const cipher = createCipheriv(CIPHER, cipherKey(secret), iv);
	const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
	return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
}

/** A key that {@link sealKey} has encrypted; `undefined` with the secret of another account. */
export function openKey(sealed: string | undefined, secret: string): string | undefined {
	if (sealed === undefined) return undefined;
	const bytes = Buffer.from(sealed, 'base64');
	try {
		const decipher = createDecipheriv(CIPHER, cipherKey(secret), bytes.subarray(0, 12));
		decipher.setAuthTag(bytes.subarray(12, 28));
		return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}

/** The error for a key of the user that stands for two requests. */
export function sharedKey(): InvalidInputError {
	return new InvalidInputError(
		"'Idempotency Key' is the same for two different inputs of this execution",
		'Make it different for each input, e.g. with an order number of the item. After you have changed the input, change the key, too.',
		'idempotencyKey',
	);
}

/** An item with a key of the user, and a digest of what it asks for. */
export interface KeyedItem {
	index: number;
	key: string;
	content: string;
}

/**
 * The items of a run whose key of the user stands for another request of their account, too: nobody knows which one is meant.
 *
 * @param accountOf is asked only for items that have no key of their own
 */
export async function itemsInConflict(
	items: readonly KeyedItem[],
	accountOf: (index: number) => Promise<string>,
): Promise<KeyedItem[]> {
	const suspects = withOtherContent(items, ({ key }) => key).map(async (item) => ({
		...item,
		name: JSON.stringify([await accountOf(item.index), item.key]),
	}));
	return withOtherContent(await Promise.all(suspects), ({ name }) => name);
}

/** Those with whose name another content stands, too. */
function withOtherContent<T extends KeyedItem>(items: readonly T[], nameOf: (item: T) => string): T[] {
	const contents = new Map<string, Set<string>>();
	for (const item of items) at(contents, nameOf(item), () => new Set()).add(item.content);
	return items.filter((item) => (contents.get(nameOf(item))?.size ?? 0) > 1);
}

/**
 * Checks a key of the user. It is sent as typed, so that another client with the same key gets the same task (§4.6).
 *
 * @throws {InvalidInputError} for a key that HTTP clients would change, and for one over 255 characters
 */
export function checkKey(key: string): void {
	if (/^(?! )[\x20-\x7e]{1,255}(?<! )$/.test(key)) return;
	throw new InvalidInputError(
		"'Idempotency Key' cannot be sent as it is",
		'A key has up to 255 characters: letters from A to Z, digits, ASCII punctuation, and spaces that are not at its beginning or end. Change it, or remove the option: the node then generates one.',
		'idempotencyKey',
	);
}
