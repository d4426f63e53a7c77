import { createHash } from 'node:crypto';

import { InvalidInputError } from '../errors/errors';
import { canonicalJson, type Json } from '../util/json';

/**
 * When two task requests are the same one.
 * - `execution`: those for the same item in the same run of the node, also in an execution that n8n retries
 * - `workflow`: those with the same input in the same node of the same workflow, in any execution
 */
export type IdempotencyScope = 'execution' | 'workflow';

/** What a task request is for. */
export interface CreationContext {
	workflowId: string;
	nodeId: string;
	/** Random, the same in all tries of an execution, and in its retries. */
	root: string;
	/** Which run of the node within the execution. */
	run: string;
	itemIndex: number;
}

/**
 * Checks a key of the user. It is sent as typed, so that another client with the same key gets the same task (§4.6). The
 * gateway checks its length.
 *
 * @throws {InvalidInputError} for a key that HTTP clients would change
 */
export function checkKey(key: string): void {
	if (/^(?! )[\x20-\x7e]+(?<! )$/.test(key)) return;
	throw new InvalidInputError(
		"'Idempotency Key' cannot be sent as it is",
		'A key has up to 255 characters: letters from A to Z, digits, ASCII punctuation, and spaces that are not at its beginning or end. Change it, or remove the option: the node then generates one.',
		'idempotencyKey',
	);
}

/**
 * Derives the `Idempotency-Key` (§4.6) of a task request: equal for its repetitions within `scope`, different for any
 * other request.
 *
 * @param body the request body, for the scope `workflow`; key order does not matter
 * @returns a key of 71 ASCII characters
 */
export function idempotencyKey(scope: IdempotencyScope, context: CreationContext, body: Json): string {
	const { workflowId, nodeId, root, run, itemIndex } = context;
	const parts = scope === 'workflow' ? [body] : [root, run, itemIndex];
	return digest([scope, workflowId, nodeId, ...parts]);
}

/** The key of a creation that takes the place of a failed task. */
export function keyAfter(key: string, failedTaskId: string): string {
	return digest([key, failedTaskId]);
}

function digest(parts: Json): string {
	return `n8n-gw-${createHash('sha256').update(canonicalJson(parts)).digest('hex')}`;
}
