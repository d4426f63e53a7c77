import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

import { InvalidInputError } from '../../gateway/errors/errors';
import { at, type Json } from '../../gateway/util/json';
import { digest } from './keys';
import type { ItemRecord } from './record';

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

/** An item with a key of the user, and a digest of its request. */
interface KeyedItem {
	index: number;
	key: string;
	content: string;
}

/** The users' keys of the items of a run that are to be sent. */
export class OwnKeys {
	private readonly items: KeyedItem[] = [];

	constructor(private readonly records: { get(index: number): ItemRecord | undefined }) {}

	/** One that has its task keeps it, also if its request has changed. */
	note(index: number, own: { key: string; request: Json } | undefined): void {
		const { taskId, key } = this.records.get(index) ?? {};
		if (!own || taskId !== undefined) return;
		this.items.push({ index, key: key ?? ownKeyName(own.key), content: digest(own.request) });
	}

	/**
	 * The items whose key stands for another request of their account, too: nobody knows which one is meant.
	 *
	 * @param accountOf is asked only for items that share a key
	 */
	async inConflict(
		isOpen: (index: number) => boolean,
		accountOf: (index: number) => Promise<string>,
	): Promise<number[]> {
		const open = this.items.filter(({ index }) => isOpen(index));
		const suspects = withOtherContent(open, ({ key }) => key).map(async (item) => ({
			...item,
			name: JSON.stringify([await accountOf(item.index), item.key]),
		}));
		const found = withOtherContent(await Promise.all(suspects), ({ name }) => name);
		return found.map(({ index }) => index);
	}
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
