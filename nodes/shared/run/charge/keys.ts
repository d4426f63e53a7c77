import { createHash, randomUUID } from 'node:crypto';

import {
	asObject,
	asText,
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
