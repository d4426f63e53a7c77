import type { INodeExecutionData } from 'n8n-workflow';

import type { ApiErrorDetails } from '../../gateway/errors/errors';
import type { JsonObject } from '../../gateway/util/json';

/** What is known of an item that was sent. One without a record was not sent, or was rejected. */
export interface ItemRecord {
	/**
	 * - `sent`: its call is in progress, or was when n8n stopped
	 * - `unknown`: it may be charged
	 * - `charged`: it is charged, or has a task, and its output is not there
	 * - `done`: it has succeeded
	 */
	state: 'sent' | 'unknown' | 'charged' | 'done';
	/** The account of a call that costs money, see `accountOf`. */
	account?: string;
	/** The idempotency key (§4.6) of its creation, or the name of the user's; a call without one cannot be repeated safely. */
	key?: string;
	/** The user's key while its task may exist, see `sealKey`. */
	sealedKey?: string;
	taskId?: string;
	/** The response to the creation of its task. */
	response?: JsonObject;
	/** Decimal text in rubles, if it is known and was paid in this execution. */
	costRub?: string;
	/** Whether the gateway has returned the task by its ID. */
	isFound?: true;
	/** Whether it was sent by an execution that this one is a retry of. */
	isBefore?: boolean;
	/** The error after which it is, or may be, charged. */
	error?: ApiErrorDetails;
	/** Hints about it, which the node shows also where a later attempt takes its outputs. */
	hints?: string[];
	/** Its outputs, unless they are too large to be kept. */
	outputs?: INodeExecutionData[];
	/** Whether the output is an error item, of a run that was suspended. */
	isErrorItem?: true;
}
