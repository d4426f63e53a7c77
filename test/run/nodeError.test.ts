import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { toErrorJson, toNodeError } from '../../nodes/shared/run/nodeError';
import { ApiError, InvalidInputError, type ApiErrorDetails } from '../../nodes/shared/gateway/errors/errors';
import { someNode } from '../helpers/someNode';

// The error of an error item, and the error that ends a node. What the outcomes say: test/gateway/errors/outcome.test.ts.

const [message, description] = ['It failed', 'Try it later.'];
const apiError = (details: Partial<ApiErrorDetails> = {}) =>
	new ApiError({ message, description, outcome: 'rejected', kind: 'read', retryable: false, ...details });
const operationError = (hint?: string) =>
	new NodeOperationError(someNode, message, hint === undefined ? {} : { description: hint });

describe('the error in an error item', () => {
	const none = { httpCode: null, code: null, type: null, param: null, retryable: false };
	const unsent = { code: 'invalid_input', description: 'Try it later. Nothing was sent.' };
	const onlyForNode = { serverMessage: 'words', retryAfterMs: 5, isRateLimit: true };
	const failedTask = { outcome: 'unknown', kind: 'keyed', taskId: 't1' } as const;

	it.each<[string, unknown, object]>([
		['nothing more', apiError(), {}],
		['nothing that only the node needs', apiError(onlyForNode), {}],
		['a status', apiError({ status: 402 }), { httpCode: '402' }],
		['a code and a type', apiError({ code: 'a', type: 'b' }), { code: 'a', type: 'b' }],
		['a field', apiError({ param: 'input.prompt' }), { param: 'input.prompt' }],
		['that a retry may succeed', apiError({ retryable: true }), { retryable: true }],
		[
			'the cost of a charged text',
			apiError({ outcome: 'charged', kind: 'charge', extra: { costRub: 0.5 } }),
			{ mayBeCharged: true, costRub: 0.5, description: 'Try it later. The call cost ₽0.50.' },
		],
		[
			'that nothing was charged',
			apiError({ kind: 'charge' }),
			{ description: 'Try it later. Nothing was charged.' },
		],
		[
			'a task that failed',
			apiError(failedTask),
			{
				mayBeCharged: true,
				taskId: 't1',
				description: 'Try it later. It may have been charged: check the balance.',
			},
		],
		['more fields', apiError({ extra: { failCode: 'X', state: null } }), { failCode: 'X', state: null }],
		['a parameter', new InvalidInputError(message, description, 'prompt'), { ...unsent, param: 'prompt' }],
		['no parameter', new InvalidInputError(message, description), unsent],
		['the hint of an error of n8n', operationError(description), {}],
		[
			'the hint of an error of n8n about a request',
			new NodeApiError(someNode, {}, { message, description }),
			{},
		],
		['no hint, where n8n has none', operationError(), { description: null }],
		[
			'no hint of another error',
			Object.assign(new Error(message), { description: {} }),
			{ description: null },
		],
		['any thrown value', message, { description: null }],
	])('has %s', (_, error, expected) => {
		expect(toErrorJson(error)).toStrictEqual({ message, description, ...none, ...expected });
	});
});

describe('the error that ends the node', () => {
	it.each<[string, () => unknown, string | undefined]>([
		['an ApiError', apiError, description],
		['an error of n8n', () => operationError(description), description],
		['an error of n8n without a hint', operationError, undefined],
		['invalid input', () => new InvalidInputError(message, description), `${description} Nothing was sent.`],
		['another error', () => new Error(message), undefined],
		['any thrown value', () => message, undefined],
	])('names its item, what to do, and a note: %s', (_, make, hint) => {
		const own = { message, node: { name: 'Gateway' }, context: { itemIndex: 3 } };
		const plain = toNodeError(someNode, make(), 3);
		expect(plain).toMatchObject({ ...own, ...(hint === undefined ? {} : { description: hint }) });
		const noted = toNodeError(someNode, make(), 3, 'A note.');
		const ofItem = hint?.replace(/Nothing was (?=\w+\.$)/, 'This item was not ');
		expect(noted).toMatchObject({ ...own, description: `${ofItem ?? ''} A note.`.trim() });
	});

	it.each([apiError, (words: { message: string }) => new InvalidInputError(words.message, description)])(
		'keeps its message, whatever names of system errors it contains',
		(make) => {
			const words = 'The connection broke (ECONNREFUSED, ETIMEDOUT)';
			expect(toNodeError(someNode, make({ message: words }), 0).message).toBe(words);
		},
	);

	it('of an ApiError has its status, task, details and cause, and nothing else', () => {
		const extra = { failCode: 'NSFW' };
		const cause = apiError({ status: 402, taskId: 't1', extra, serverMessage: 'words' });
		const error = toNodeError(someNode, cause, 3);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: '402', cause });
		expect(error).toHaveProperty('context', { itemIndex: 3, taskId: 't1', details: extra });
		const plain = toNodeError(someNode, apiError(), 3);
		expect(plain).toHaveProperty('httpCode', null);
		expect(plain.context).not.toHaveProperty('taskId');
		expect(plain.context).not.toHaveProperty('details');
	});

	it('is the error of n8n itself, with the item that it names', () => {
		const error = new NodeOperationError(someNode, message, { itemIndex: 5 });
		expect(toNodeError(someNode, error, 3)).toBe(error);
		expect(error.context.itemIndex).toBe(5);
	});
});
