import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { toErrorJson, toNodeError } from '../../nodes/shared/run/nodeError';
import { ApiError, InvalidInputError, type ApiErrorDetails } from '../../nodes/shared/gateway/errors/errors';

// The error of an error item, and the error that ends a node.

const node: INode = {
	id: 'n1',
	name: 'Gateway',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const apiError = (details: Partial<ApiErrorDetails> = {}) =>
	new ApiError({
		message: 'It failed',
		description: 'Try it later.',
		outcome: 'rejected',
		kind: 'read',
		retryable: false,
		...details,
	});

const LOST =
	'The call was not repeated, because it may have been charged: check the balance, then run this item again if you need its response.';

const operationError = (description?: string) =>
	new NodeOperationError(node, 'It failed', description === undefined ? {} : { description });

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
		['a lost read may be repeated', { outcome: 'unknown', retryable: true }, { retryable: true }],
		[
			'a lost text may be charged',
			{ outcome: 'unknown', kind: 'charge', retryable: true },
			{ mayBeCharged: true, description: `Try it later. ${LOST}` },
		],
		[
			'a charged text',
			{ outcome: 'charged', retryable: true },
			{ mayBeCharged: true, description: 'Try it later. The call was charged.' },
		],
		[
			'a charged text whose cost is known',
			{ outcome: 'charged', extra: { costRub: 0.5 } },
			{ mayBeCharged: true, costRub: 0.5, description: 'Try it later. The call cost ₽0.5.' },
		],
		['a rejected text', { kind: 'charge' }, { description: 'Try it later. Nothing was charged.' }],
		[
			'a text that was not sent',
			{ outcome: 'notSent', kind: 'charge' },
			{ description: 'Try it later. Nothing was sent.' },
		],
		[
			'a task that is paid for',
			{ outcome: 'charged', taskId: 't1', retryable: true },
			{
				paid: true,
				taskId: 't1',
				description: "Try it later. Task t1 is paid for: fetch its result with the operation 'Wait'.",
			},
		],
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

	it('has nothing that only the node needs', () => {
		const details = { serverMessage: 'words', retryAfterMs: 5, isRateLimit: true };
		expect(toErrorJson(apiError(details))).toStrictEqual(commonFields);
	});

	it.each<[string, unknown, object]>([
		[
			'input that cannot be sent',
			new InvalidInputError('It failed', 'Try it later.', 'prompt'),
			{ code: 'invalid_input', param: 'prompt', description: 'Try it later. Nothing was sent.' },
		],
		[
			'input without a parameter',
			new InvalidInputError('It failed', 'Try it later.'),
			{ code: 'invalid_input', description: 'Try it later. Nothing was sent.' },
		],
		['an error of n8n', operationError('Try it later.'), {}],
		[
			'an error of n8n about a request',
			new NodeApiError(node, {}, { message: 'It failed', description: 'Try it later.' }),
			{},
		],
		['an error of n8n without a hint', operationError(), { description: null }],
		['any other error', new Error('It failed'), { description: null }],
		[
			'an error with a description that is not text',
			Object.assign(new Error('It failed'), { description: {} }),
			{ description: null },
		],
		['any thrown value', 'It failed', { description: null }],
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
		expect(errorFields(toNodeError(node, error, 3))).toStrictEqual(ofItem);
		const withNote = { ...ofItem, description: 'Try it later. A note.' };
		expect(errorFields(toNodeError(node, error, 3, ' A note.'))).toStrictEqual(withNote);
	});

	it.each([
		apiError,
		(details: { message: string }) => new InvalidInputError(details.message, 'Try it later.'),
	])('keeps its message, whatever names of system errors it contains', (make) => {
		const message = 'The connection broke (ECONNREFUSED, ETIMEDOUT)';
		expect(toNodeError(node, make({ message }), 0).message).toBe(message);
	});

	it('of an ApiError has its status, task, details and cause, and nothing else', () => {
		const cause = apiError({
			status: 402,
			taskId: 't1',
			extra: { failCode: 'NSFW' },
			serverMessage: 'words',
		});
		const error = toNodeError(node, cause, 3);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: '402', cause });
		expect(error).toHaveProperty('context', {
			itemIndex: 3,
			taskId: 't1',
			details: { failCode: 'NSFW' },
		});
	});

	it('of an ApiError without them has none of them', () => {
		const error = toNodeError(node, apiError(), 3);
		expect(error).toHaveProperty('httpCode', null);
		expect(error).not.toHaveProperty('context.taskId');
		expect(error).not.toHaveProperty('context.details');
	});

	it('keeps the item that an error of n8n names', () => {
		const error = new NodeOperationError(node, 'It failed', { itemIndex: 5 });
		expect(toNodeError(node, error, 3)).toBe(error);
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
		expect(toNodeError(node, error, 3, note)).toBe(error);
		expect(error.description).toBe(expected ?? before);
	});

	it.each([new Error('It failed'), 'It failed'])('is made from any thrown value: %p', (thrown) => {
		const error = toNodeError(node, thrown, 3);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(errorFields(error)).toMatchObject({ message: 'It failed', itemIndex: 3, node: 'Gateway' });
		expect(errorFields(toNodeError(node, thrown, 3, ' A note.'))).toMatchObject({ description: 'A note.' });
	});
});
