import { createHash, randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';

import { asObject, asText, canonicalJson, type Json, type JsonObject } from '../../gateway/util/json';

/** What changes no request that was accepted, by the names that workflows store. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
	'downloadResults',
	'simplify',
	'toolDescription',
	'waitStrategy',
	'options.binaryPropertyName',
	'options.callbackUrl',
	'options.concurrency',
	'options.dryRun',
	'options.fallbackModels',
	'options.fileName',
	'options.includeInput',
	'options.maxCostRub',
	'options.maxPriceRub',
	'options.maxRetries',
	'options.maxTokens',
	'options.maxWait',
	'options.rateLimitWait',
	'options.stream',
	'options.timeout',
]);

/** The same in each try, until somebody edits the node: expressions count as written, and for a tool as evaluated. */
export function writtenDigest({ parameters }: Pick<INode, 'parameters'>): string {
	const { options, ...others } = parameters;
	const optionEntries = Object.entries(asObject(options) ?? {});
	const all = [
		...Object.entries(others),
		...optionEntries.map(([name, value]) => [`options.${name}`, value]),
	];
	const counted = all
		.map(([name, value]) => [String(name), enteredValue(value)] as const)
		.filter(([name]) => !NOT_COUNTED.has(name));
	return digest(Object.fromEntries(counted) as JsonObject);
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
