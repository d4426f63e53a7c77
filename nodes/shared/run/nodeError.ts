import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type JsonObject as N8nJsonObject,
} from 'n8n-workflow';

import { isFailedTask } from '../gateway/endpoints/tasks';
import {
	ApiError,
	asError,
	InvalidInputError,
	StoppedError,
	type ApiErrorDetails,
} from '../gateway/errors/errors';
import { chargeText, outcomeFlags, type OutcomeFlags } from '../gateway/errors/outcome';

/** The `json.error` of an error item. Workflows branch on `code`, `httpCode` and `retryable`. */
export interface ErrorJson extends IDataObject, OutcomeFlags {
	message: string;
	description: string | null;
	httpCode: string | null;
	code: string | null;
	type: string | null;
	param: string | null;
	taskId?: string;
}

/** Describes any error of an item, for *On Error: Continue*. */
export function toErrorJson(error: unknown): ErrorJson {
	const details = detailsOf(error);
	const { message, status, code, type, param, taskId, extra } = details;
	return {
		message,
		description: descriptionOf(error),
		httpCode: status === undefined ? null : String(status),
		code: code ?? null,
		type: type ?? null,
		param: param ?? null,
		...outcomeFlags(details),
		...(taskId === undefined ? {} : { taskId }),
		...extra,
	};
}

/** What an error says about what to do, and about what is charged, if anything. */
export function descriptionOf(error: unknown): string | null {
	const details = detailsOf(error);
	return [details.description, chargeText(details)].filter(Boolean).join(' ') || null;
}

function detailsOf(error: unknown): ApiErrorDetails {
	if (error instanceof ApiError) return error.details;
	const { message } = asError(error);
	if (error instanceof InvalidInputError) {
		const { description, param } = error;
		return { message, description, param, code: 'invalid_input', outcome: 'notSent', retryable: false };
	}
	const description = isNodeError(error) ? (error.description ?? '') : '';
	return { message, description, outcome: 'rejected', kind: 'read', retryable: false };
}

function isNodeError(error: unknown): error is NodeOperationError | NodeApiError {
	return error instanceof NodeOperationError || error instanceof NodeApiError;
}

/** Whether a call may be charged although it failed with this error. */
export function mayBeCharged(error: unknown): boolean {
	if (error instanceof StoppedError) return error.outcome === 'unknown';
	if (error instanceof ApiError) return outcomeFlags(error.details).mayBeCharged ?? false;
	return !(error instanceof InvalidInputError);
}

/**
 * The error of an item, with what is known of its earlier requests.
 *
 * @param known the outcome `charged` with the item's task, or `unknown`
 */
export function itemError(
	error: unknown,
	known: Pick<ApiErrorDetails, 'outcome' | 'kind' | 'taskId'>,
): unknown {
	if (error instanceof StoppedError || isFailedTask(error)) return error;
	const details = detailsOf(error);
	// What the error itself says of its outcome is more precise.
	if (known.outcome === 'unknown' && outcomeFlags(details).mayBeCharged) return error;
	return new ApiError({ ...details, ...known }, asError(error));
}

/**
 * The error that ends the node, with its item.
 *
 * @param note the end of the description, e.g. the tasks that were created
 */
export function toNodeError(node: INode, error: unknown, itemIndex: number, note = ''): Error {
	if (error instanceof ApiError) return apiError(node, error, itemIndex, note);
	if (isNodeError(error)) {
		error.context.itemIndex ??= itemIndex;
		if (note) error.description = `${error.description ?? ''}${note}`.trim();
		return error;
	}
	const description = `${descriptionOf(error) ?? ''}${note}`.trim();
	const nodeError = new NodeOperationError(node, asError(error), {
		itemIndex,
		...(description ? { description } : {}),
	});
	// n8n replaces messages that contain the name of a system error.
	nodeError.message = asError(error).message;
	return nodeError;
}

function apiError(node: INode, cause: ApiError, itemIndex: number, note: string): NodeApiError {
	const { message, status, taskId } = cause.details;
	const description = `${descriptionOf(cause)}${note}`;
	// Not the error itself: n8n stores this with the execution, and request headers contain the key.
	const response: N8nJsonObject = { message, description };
	const error = new NodeApiError(node, response, {
		message,
		description,
		itemIndex,
		...(status === undefined ? {} : { httpCode: String(status) }),
	});
	// n8n replaces messages that contain the name of a system error.
	error.message = message;
	error.description = description;
	error.cause = cause;
	if (taskId !== undefined) error.context.taskId = taskId;
	if (cause.details.extra) error.context.details = cause.details.extra;
	return error;
}

/**
 * Adds the description to the message of an error: an AI Agent's model reads the message only, and needs the hint
 * to correct its tool call.
 */
export function withHint(error: Error): Error {
	if (isNodeError(error) && error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}

/**
 * Lists the tasks whose results are missing from the output of a node that ends early: they are paid for.
 *
 * @param error the error that ends the node; its own task is left out
 */
export function tasksNote(taskIds: readonly string[], error?: unknown): string {
	const named = error instanceof ApiError ? error.details.taskId : undefined;
	const lost = taskIds.filter((taskId) => taskId !== named);
	if (lost.length === 0) return '';
	return ` Media tasks of this run, whose results you can still fetch by ID: ${lost.join(', ')}.`;
}

/**
 * Names the items whose calls may have been charged without a response.
 *
 * @param items their indexes
 * @param failed the item whose error ends the node; it is left out, because its error says so
 */
export function unknownNote(items: readonly number[], failed?: number): string {
	const others = items.filter((index) => index !== failed);
	if (others.length === 0) return '';
	const [noun, pronoun] = others.length === 1 ? ['item', 'it'] : ['items', 'they'];
	return ` The outcome of ${noun} ${others.join(', ')} is unknown: ${pronoun} may have been charged.`;
}
