import { createHash } from 'node:crypto';

import { InvalidInputError } from '../errors/errors';
import { canonicalJson, type Json } from '../util/json';

/** §4.6, §8: the longest `Idempotency-Key` that the gateway accepts. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/**
 * When two task requests are the same one.
 * - `execution`: retries within one execution (our own, *Retry On Fail*) are the same; a new execution creates a new
 *   task
 * - `workflow`: the same input in the same node of the same workflow is the same, in any execution
 */
export type IdempotencyScope = 'execution' | 'workflow';

/** The node, its run and the item that a task request is for. */
export interface CreationContext {
	workflowId: string;
	nodeId: string;
	/** The ID of the execution and a secret of it. */
	executionId: string;
	/** Which run of the node within the execution. */
	run: string;
	itemIndex: number;
}

/** @throws {InvalidInputError} if the key is longer than §8 allows */
export function checkKey(key: string): void {
	// Counts code points, not UTF-16 units.
	if ([...key].length <= MAX_IDEMPOTENCY_KEY_LENGTH) return;
	throw new InvalidInputError(
		`'Idempotency Key' is longer than ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`,
		'Shorten it, or leave the option empty: the node then generates one.',
		'idempotencyKey',
	);
}

/**
 * The user's key, as a header can carry it. HTTP clients silently remove all but visible ASCII, so two keys could
 * become equal: such a key is sent as its digest.
 */
export function sendableKey(key: string): string {
	if (/^[\x21-\x7e]+$/.test(key)) return key;
	return `n8n-gw-own-${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * Derives the `Idempotency-Key` (§4.6) of a task request: equal for its repetitions within `scope`, different for any
 * other request.
 *
 * @param body the request body; key order does not matter
 * @returns a key of 71 ASCII characters
 */
export function idempotencyKey(scope: IdempotencyScope, context: CreationContext, body: Json): string {
	const { workflowId, nodeId, executionId, run, itemIndex } = context;
	const parts =
		scope === 'workflow'
			? [scope, workflowId, nodeId]
			: [scope, workflowId, nodeId, executionId, run, itemIndex];
	const digest = createHash('sha256')
		.update(canonicalJson([...parts, body]))
		.digest('hex');
	return `n8n-gw-${digest}`;
}
