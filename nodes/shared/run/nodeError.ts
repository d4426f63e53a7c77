import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { ApiError, asError, InvalidInputError, type ApiErrorDetails } from '../gateway/errors/errors';
import { codeOf } from '../gateway/errors/policy';
import { asObject, asText, textOf } from '../gateway/util/json';
import { inHtml } from '../gateway/util/text';
import { chargeText, mayBeCharged, outcomeFlags } from './charge/words';

/** The `json.error` of an error item. Workflows branch on `code`, `httpCode` and `retryable`. */
export type ErrorJson = ReturnType<typeof toErrorJson>;

export function toErrorJson(error: unknown) {
	const details = detailsOf(error);
	const { message, status = 0, code, type, param, taskId, extra, kind } = details;
	return {
		message,
		description: descriptionOf(error, true, false),
		httpCode: status === 0 ? null : String(status),
		code: code ?? codeOf(status, kind) ?? null,
		type: type ?? null,
		param: param ?? null,
		...outcomeFlags(details),
		...(taskId === undefined ? {} : { taskId }),
		...extra,
	};
}

function descriptionOf(error: unknown, isAlone: boolean, hasRetry = true): string | null {
	const details = detailsOf(error);
	return [details.description, chargeText(details, isAlone, hasRetry)].filter(Boolean).join(' ') || null;
}

/** What is known of an error; n8n shows its texts as HTML. */
function detailsOf(error: unknown): ApiErrorDetails {
	const details = knownOf(error);
	return { ...details, message: inHtml(details.message), description: inHtml(details.description) };
}

function knownOf(error: unknown): ApiErrorDetails {
	if (error instanceof ApiError) return error.details;
	const { message } = asError(error);
	if (error instanceof InvalidInputError) {
		const { description, param } = error;
		return {
			message,
			description,
			param,
			code: 'invalid_input',
			outcome: 'notSent',
			// Also of a request that costs nothing: its error says that nothing was sent.
			kind: 'charge',
			retryable: false,
		};
	}
	// n8n's, such as of an expression.
	const { description, context } = asObject(error) ?? {};
	const param = asText(asObject(context)?.parameter);
	return {
		message,
		description: textOf(description),
		param,
		outcome: 'rejected',
		kind: 'read',
		retryable: false,
	};
}

type NodeError = NodeOperationError | NodeApiError;

/** The error of an item, with what is known of its earlier requests: `charged` with its task, or `unknown`. */
export function itemError(
	error: unknown,
	known: Pick<ApiErrorDetails, 'outcome' | 'taskId'> & Partial<Pick<ApiErrorDetails, 'kind'>>,
): ApiError {
	// What the error itself says of its outcome is more precise.
	if (known.outcome === 'unknown' && error instanceof ApiError && mayBeCharged(error)) return error;
	return new ApiError({ ...knownOf(error), ...known }, asError(error));
}

/** The error with its description in the message, where n8n shows nothing else: in an agent's tool, and of a sub-node. */
export function inMessage(error: NodeError): NodeError {
	const { message, description } = error;
	return description
		? Object.assign(error, { message: `${message}. ${description}`, description: '' })
		: error;
}

/**
 * Without its cause's request, whose headers contain the key: n8n stores the error with the execution.
 *
 * @param context `others`: the end of the description, what other items cost; `isAlone`: whether nothing else was sent
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
	context: { others?: string; isAlone?: boolean; hasRetry?: boolean } = {},
): NodeError {
	const { others = '', isAlone = others === '', hasRetry = true } = context;
	if (error instanceof NodeOperationError || error instanceof NodeApiError) {
		error.context.itemIndex ??= itemIndex;
		if (others) error.description = `${error.description ?? ''} ${others}`.trim();
		return error;
	}
	const { message, status, taskId, extra } = detailsOf(error);
	const description = `${descriptionOf(error, isAlone, hasRetry) ?? ''} ${inHtml(others)}`.trim();
	const options = { message, itemIndex, ...(description ? { description } : {}) };
	const nodeError =
		error instanceof ApiError
			? new NodeApiError(node, options, { ...options, ...(status ? { httpCode: String(status) } : {}) })
			: new NodeOperationError(node, asError(error), options);
	// n8n replaces messages that contain the name of a system error.
	nodeError.message = message;
	if (description) nodeError.description = description;
	nodeError.cause = asError(error);
	if (taskId !== undefined) nodeError.context.taskId = taskId;
	if (extra) nodeError.context.details = extra;
	return nodeError;
}
