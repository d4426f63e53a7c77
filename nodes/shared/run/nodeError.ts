import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type JsonObject as N8nJsonObject,
} from 'n8n-workflow';

import { ApiError, asError, InvalidInputError } from '../gateway/errors/errors';

/** What an error item says, under `json.error`. Branch on `code`, `httpCode` and `retryable`. */
export interface ErrorJson extends IDataObject {
	message: string;
	description: string | null;
	httpCode: string | null;
	code: string | null;
	type: string | null;
	param: string | null;
	/** Whether the same request can succeed later, and surely was not charged yet. */
	retryable: boolean;
	mayBeCharged?: boolean;
	taskId?: string;
}

/** The report of anything that an item can fail with, for *On Error: Continue*. */
export function toErrorJson(error: unknown): ErrorJson {
	if (error instanceof ApiError) {
		const { message, description, status, code, type, param, taskId, extra } = error.details;
		const { retryable, mayBeCharged } = error.details;
		return {
			message,
			description,
			httpCode: status === undefined ? null : String(status),
			code: code ?? null,
			type: type ?? null,
			param: param ?? null,
			// A new attempt by the workflow could pay a second time.
			retryable: retryable && !mayBeCharged,
			...(mayBeCharged ? { mayBeCharged } : {}),
			...(taskId === undefined ? {} : { taskId }),
			...extra,
		};
	}
	const param = error instanceof InvalidInputError ? (error.param ?? null) : null;
	return {
		message: error instanceof Error ? error.message : String(error),
		description: descriptionOf(error),
		httpCode: null,
		code: error instanceof InvalidInputError ? 'invalid_input' : null,
		type: null,
		param,
		retryable: false,
	};
}

function descriptionOf(error: unknown): string | null {
	if (
		error instanceof InvalidInputError ||
		error instanceof NodeOperationError ||
		error instanceof NodeApiError
	) {
		return error.description ?? null;
	}
	return null;
}

/**
 * The error that ends the node, naming its item.
 *
 * @param note added to the description: what else the user must know, such as tasks that were created
 */
export function toNodeError(node: INode, error: unknown, itemIndex: number, note = ''): Error {
	if (error instanceof ApiError) return apiError(node, error, itemIndex, note);
	if (error instanceof InvalidInputError) {
		return operationError(node, error.message, error.description + note, itemIndex);
	}
	if (error instanceof NodeOperationError || error instanceof NodeApiError) {
		error.context.itemIndex ??= itemIndex;
		if (note) error.description = `${error.description ?? ''}${note}`.trim();
		return error;
	}
	return new NodeOperationError(node, asError(error), {
		itemIndex,
		...(note ? { description: note.trim() } : {}),
	});
}

function apiError(node: INode, failure: ApiError, itemIndex: number, note: string): NodeApiError {
	const { message, status, taskId } = failure.details;
	const description = failure.details.description + note;
	// Built from clean facts only: what n8n stores with the execution must not hold a header, and so the key.
	const facts: N8nJsonObject = { message, description };
	const error = new NodeApiError(node, facts, {
		message,
		description,
		itemIndex,
		...(status === undefined ? {} : { httpCode: String(status) }),
	});
	// n8n replaces messages in which it finds the name of a system error; ours are already for users.
	error.message = message;
	error.description = description;
	error.cause = failure;
	if (taskId !== undefined) error.context.taskId = taskId;
	if (failure.details.extra) error.context.details = failure.details.extra;
	return error;
}

function operationError(
	node: INode,
	message: string,
	description: string,
	itemIndex: number,
): NodeOperationError {
	const error = new NodeOperationError(node, message, { description, itemIndex });
	error.message = message;
	return error;
}

/**
 * The error with what to do about it in its message: an AI Agent's model is told the message alone, and can mend its
 * call only when it knows what was wrong with it.
 */
export function withHint(error: Error): Error {
	const isNodeError = error instanceof NodeOperationError || error instanceof NodeApiError;
	if (isNodeError && error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}

/**
 * Names the tasks whose results a node that ends early does not put out: they are paid for.
 *
 * @param error what ended the node; the task that it names itself is left out
 */
export function tasksNote(taskIds: readonly string[], error?: unknown): string {
	const named = error instanceof ApiError ? error.details.taskId : undefined;
	const lost = taskIds.filter((taskId) => taskId !== named);
	if (lost.length === 0) return '';
	const shown = lost.slice(0, 20).join(', ');
	const more = lost.length > 20 ? ` and ${lost.length - 20} more` : '';
	return ` Media tasks of this run, whose results you can still fetch by ID: ${shown}${more}.`;
}
