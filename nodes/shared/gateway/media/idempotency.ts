import { createHash } from 'node:crypto';

import { InvalidInputError } from '../errors/errors';
import { canonicalJson, type Json } from '../util/json';

/** §4.6, §8: the longest `Idempotency-Key` the gateway takes. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/**
 * What makes two creations the same one.
 * - `execution`: repeats within one execution (our retries, *Retry On Fail*) are the same; a re-run is a new one
 * - `workflow`: the same input in the same node of the same workflow is the same, whenever it is sent
 */
export type IdempotencyScope = 'execution' | 'workflow';

/** Where a creation stands. */
export interface CreationContext {
	workflowId: string;
	nodeId: string;
	/** Id of the execution, or a value that is stable within it. */
	executionId: string;
	/** Which run of the node within the execution. */
	run: string;
	itemIndex: number;
}

/** @throws {InvalidInputError} for a key that is longer than §8 allows */
export function checkKey(key: string): void {
	// Characters, not halves of them.
	if ([...key].length <= MAX_IDEMPOTENCY_KEY_LENGTH) return;
	throw new InvalidInputError(
		`'Idempotency Key' is longer than ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`,
		'Shorten it, or leave the option empty: the node then makes a fitting one.',
		'idempotencyKey',
	);
}

/**
 * A key of the user's, as it can be sent. Headers carry visible ASCII only, and HTTP clients silently take out the
 * rest: two different keys would become one. Such a key is sent as its digest, which is as stable and as unique.
 */
export function sendableKey(key: string): string {
	if (/^[\x21-\x7e]+$/.test(key)) return key;
	return `n8n-gw-own-${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * Derives the `Idempotency-Key` (§4.6) of a creation: equal for everything that repeats it within `scope`,
 * different for everything else.
 *
 * @param body the request body; key order does not matter
 * @returns a key of 71 ASCII characters
 */
export function idempotencyKey(scope: IdempotencyScope, place: CreationContext, body: Json): string {
	const { workflowId, nodeId, executionId, run, itemIndex } = place;
	const parts =
		scope === 'workflow'
			? [scope, workflowId, nodeId]
			: [scope, workflowId, nodeId, executionId, run, itemIndex];
	const digest = createHash('sha256')
		.update(canonicalJson([...parts, body]))
		.digest('hex');
	return `n8n-gw-${digest}`;
}
