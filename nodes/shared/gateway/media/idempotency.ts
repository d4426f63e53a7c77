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

/**
 * Checks a key of the user. It is sent as typed, so that another client with the same key gets the same task (§4.6).
 *
 * @throws {InvalidInputError} for a key that is longer than §8 allows, or that HTTP clients would change
 */
export function checkKey(key: string): void {
	if (key.length <= MAX_IDEMPOTENCY_KEY_LENGTH && /^(?! )[\x20-\x7e]+(?<! )$/.test(key)) return;
	throw new InvalidInputError(
		"'Idempotency Key' cannot be sent as it is",
		`A key has up to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters: letters from A to Z, digits, ASCII punctuation, and spaces that are not at its beginning or end. Change it, or remove the option: the node then generates one. Nothing was sent.`,
		'idempotencyKey',
	);
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
