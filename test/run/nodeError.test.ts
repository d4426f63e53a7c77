import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { toErrorJson, toNodeError } from '../../nodes/shared/run/nodeError';
import { ApiError, InvalidInputError, type ApiErrorDetails } from '../../nodes/shared/gateway/errors/errors';
import { someNode } from '../helpers/someNode';

// The error of an error item, and the error that ends a node.

const apiError = (details: Partial<ApiErrorDetails> = {}) =>
	new ApiError({
		message: 'It failed',
		description: 'Try it later.',
		outcome: 'rejected',
		kind: 'read',
		retryable: false,
		...details,
	});

const operationError = (description?: string) =>
	new NodeOperationError(someNode, 'It failed', description === undefined ? {} : { description });

describe('the error in an error item', () => {
	const commonFields = {
		message: 'It failed',
		description: 'Try it later.',
		httpCode: null,
		code: null,
		type: null,
		param: null,
		retryable: false,
	};

	it.each<[string, Partial<ApiErrorDetails>, object]>([
		['none', {}, {}],
		['a status', { status: 402 }, { httpCode: '402' }],
		['a code', { code: 'insufficient_quota' }, { code: 'insufficient_quota' }],
		['a type', { type: 'rate_limit_error' }, { type: 'rate_limit_error' }],
		['a field', { param: 'input.prompt' }, { param: 'input.prompt' }],
		['a retry may succeed', { retryable: true }, { retryable: true }],
		// What the outcomes say: test/gateway/errors/outcome.test.ts.
		[
			'a charged text whose cost is known',
			{ outcome: 'charged', extra: { costRub: 0.5 } },
			{ mayBeCharged: true, costRub: 0.5, description: 'Try it later. The call cost ₽0.5.' },
		],
		['a rejected text', { kind: 'charge' }, { description: 'Try it later. Nothing was charged.' }],
		[
			'a task that failed',
			{ outcome: 'unknown', kind: 'keyed', taskId: 't1' },
			{
				mayBeCharged: true,
				taskId: 't1',
				description: 'Try it later. It may have been charged: check the balance.',
			},
		],
		['a task', { taskId: 't1' }, { taskId: 't1' }],
		['more fields', { extra: { failCode: 'NSFW', state: null } }, { failCode: 'NSFW', state: null }],
	])('has the fields of its details: %s', (_, details, expected) => {
		expect(toErrorJson(apiError(details))).toStrictEqual({ ...commonFields, ...expected });
	});

	const { message, description } = commonFields;
	const unsent = (param: string | null) => {
		return { code: 'invalid_input', param, description: 'Try it later. Nothing was sent.' };
	};

	it('has nothing that only the node needs', () => {
		const details = { serverMessage: 'words', retryAfterMs: 5, isRateLimit: true };
		expect(toErrorJson(apiError(details))).toStrictEqual(commonFields);
	});

	it.each<[string, unknown, object]>([
		['input that cannot be sent', new InvalidInputError(message, description, 'prompt'), unsent('prompt')],
		['input without a parameter', new InvalidInputError(message, description), unsent(null)],
		['an error of n8n', operationError(description), {}],
		['an error of n8n about a request', new NodeApiError(someNode, {}, { message, description }), {}],
		['an error of n8n without a hint', operationError(), { description: null }],
		['another error', Object.assign(new Error(message), { description: {} }), { description: null }],
		['any thrown value', message, { description: null }],
	])('has the message and hint of %s', (_, error, expected) => {
		expect(toErrorJson(error)).toStrictEqual({ ...commonFields, ...expected });
	});
});

describe('the error that ends the node', () => {
	const errorFields = (error: Error) => {
		const { message } = error;
		if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
		const { description, context } = error;
		return { message, description, itemIndex: context.itemIndex, node: error.node.name };
	};
	const ofItem = { message: 'It failed', description: 'Try it later.', itemIndex: 3, node: 'Gateway' };

	it.each<[string, Error]>([
		['an ApiError', apiError()],
		['an error of n8n', operationError('Try it later.')],
	])('names its item, and says what to do: %s', (_, error) => {
		expect(errorFields(toNodeError(someNode, error, 3))).toStrictEqual(ofItem);
		const withNote = { ...ofItem, description: 'Try it later. A note.' };
		expect(errorFields(toNodeError(someNode, error, 3, ' A note.'))).toStrictEqual(withNote);
	});

	it.each([
		apiError,
		(details: { message: string }) => new InvalidInputError(details.message, 'Try it later.'),
	])('keeps its message, whatever names of system errors it contains', (make) => {
		const message = 'The connection broke (ECONNREFUSED, ETIMEDOUT)';
		expect(toNodeError(someNode, make({ message }), 0).message).toBe(message);
	});

	it('of an ApiError has its status, task, details and cause, and nothing else', () => {
		const own = { status: 402, taskId: 't1', extra: { failCode: 'NSFW' } };
		const cause = apiError({ ...own, serverMessage: 'words' });
		const error = toNodeError(someNode, cause, 3);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: '402', cause });
		expect(error).toHaveProperty('context', {
			itemIndex: 3,
			taskId: 't1',
			details: { failCode: 'NSFW' },
		});
	});

	it('of an ApiError without them has none of them', () => {
		const error = toNodeError(someNode, apiError(), 3);
		expect(error).toHaveProperty('httpCode', null);
		expect(error).not.toHaveProperty('context.taskId');
		expect(error).not.toHaveProperty('context.details');
	});

	it('keeps the item that an error of n8n names', () => {
		const error = new NodeOperationError(someNode, 'It failed', { itemIndex: 5 });
		expect(toNodeError(someNode, error, 3)).toBe(error);
		expect(error.context.itemIndex).toBe(5);
	});

	it.each<[string | undefined, string, string | undefined]>([
		[undefined, '', undefined],
		[undefined, ' A note.', 'A note.'],
		['Try it later.', '', 'Try it later.'],
		['Try it later.', ' A note.', 'Try it later. A note.'],
	])('adds to the description of an error of n8n: %p and %p', (description, note, expected) => {
		const error = operationError(description);
		const before = error.description;
		expect(toNodeError(someNode, error, 3, note)).toBe(error);
		expect(error.description).toBe(expected ?? before);
	});

	it.each([new Error('It failed'), 'It failed'])('is made from any thrown value: %p', (thrown) => {
		const error = toNodeError(someNode, thrown, 3);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(errorFields(error)).toMatchObject({ message: 'It failed', itemIndex: 3, node: 'Gateway' });
		expect(errorFields(toNodeError(someNode, thrown, 3, ' A note.'))).toMatchObject({
			description: 'A note.',
		});
	});
});
