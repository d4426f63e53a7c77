import fc from 'fast-check';
import { ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ApiError, type ApiErrorDetails, InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { collection } from '../../nodes/shared/params/groups';
import { ChunkWriter } from '../../nodes/shared/run/chunkWriter';
import { toErrorJson, toNodeError } from '../../nodes/shared/run/nodeError';
import { requestSettings, runOptions } from '../../nodes/shared/run/settings';
import { someNode } from '../helpers/someNode';
import { readParameter } from '../params/support';

// The error of an error item, and the error that ends a node. What the outcomes say: words.test.ts.

const [message, description] = ['It failed', 'Try it later.'];
const apiError = (details: Partial<ApiErrorDetails> = {}) =>
	new ApiError({ message, description, outcome: 'rejected', kind: 'read', retryable: false, ...details });
const operationError = (hint?: string) =>
	new NodeOperationError(someNode, message, hint === undefined ? {} : { description: hint });

describe('the error in an error item', () => {
	const none = { httpCode: null, code: null, type: null, param: null, retryable: false };
	const unsent = { code: 'invalid_input', description: 'Try it later. Nothing was sent.' };
	const onlyForNode = { retryAfterMs: 5, isRateLimit: true };
	const failedTask = { outcome: 'unknown', kind: 'keyed', taskId: 't1' } as const;

	it.each<[string, unknown, object]>([
		['nothing more', apiError(), {}],
		['nothing that only the node needs', apiError(onlyForNode), {}],
		['a status', apiError({ status: 402 }), { httpCode: '402', code: 'insufficient_quota' }],
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
			{ description: 'Try it later. This call was not charged.' },
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
		['the hint of an error of an expression', new ExpressionError(message, { description }), {}],
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
		const noted = toNodeError(someNode, make(), 3, { others: 'A note.' });
		const ofItem = hint?.replace(/Nothing was (?=\w+\.$)/, 'This call was not ');
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
		const cause = apiError({ status: 402, taskId: 't1', extra });
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

type Sent = [type: string, itemIndex: number, text: string | undefined];

const writerTo = (sent: Sent[]) =>
	new ChunkWriter({
		sendChunk: async (type, itemIndex, content) => {
			await Promise.resolve();
			sent.push([type, itemIndex, content]);
		},
	});

it('sends items one after the other in the order in which they began, whatever the order of their texts', async () => {
	const step = fc.record({ item: fc.nat({ max: 3 }), end: fc.boolean() });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
			const sent: Sent[] = [];
			const chunkWriter = writerTo(sent);
			const writers = [3, 1, 0, 2].map((index) => ({
				index,
				forItem: chunkWriter.forItem(index),
				written: '',
				ended: false,
			}));
			for (const [count, { item, end }] of steps.entries()) {
				const writer = writers[item];
				if (!writer || writer.ended) continue;
				writer.written += `${count} `;
				writer.forItem.write(`${count} `);
				if (end) {
					writer.ended = true;
					writer.forItem.end();
				}
			}
			for (const { forItem, ended } of writers) if (!ended) forItem.end('failed');
			await chunkWriter.sent;
			const order = sent.map(([, index]) => index);
			expect(order.filter((index, place) => order[place - 1] !== index)).toStrictEqual([3, 1, 0, 2]);
			for (const { index, written, ended } of writers) {
				const own = sent.filter(([, of]) => of === index);
				expect(own.flatMap(([type, , text]) => (type === 'item' ? [text] : [])).join('')).toBe(written);
				expect(own[0]?.[0]).toBe('begin');
				expect(own.at(-1)?.[0]).toBe('end');
				expect(own.filter(([type]) => type === 'error')).toHaveLength(ended ? 0 : 1);
			}
		}),
		{ numRuns: 100 },
	);
});

it('sends one chunk at a time to a slow reader', async () => {
	const sent: Sent[] = [];
	let isBusy = false;
	const chunkWriter = new ChunkWriter({
		sendChunk: async (type, itemIndex, text) => {
			expect(isBusy).toBe(false);
			isBusy = true;
			await new Promise((resolve) => setImmediate(resolve));
			isBusy = false;
			sent.push([type, itemIndex, text]);
		},
	});
	const forItem = chunkWriter.forItem(0);
	for (const text of ['a', '', 'b', 'c']) forItem.write(text);
	forItem.end('');
	await chunkWriter.sent;
	expect(sent.map(([type, , text]) => text || type)).toStrictEqual(['begin', 'a', 'b', 'c', 'error', 'end']);
});

it.each<[string, () => unknown]>([
	[
		'throws',
		() => {
			throw new Error('gone');
		},
	],
	['rejects', async () => await Promise.reject(new Error('closed'))],
])('a reader that %s does not fail the item', async (_, sendChunk) => {
	const chunkWriter = new ChunkWriter({ sendChunk: () => sendChunk() as undefined });
	for (const forItem of [chunkWriter.forItem(0), chunkWriter.forItem(1)]) {
		forItem.write('a');
		forItem.end();
	}
	await expect(chunkWriter.sent).resolves.toBeUndefined();
});

// How numbers are read is in test/params/parameters.test.ts; here are the options, their ranges and units.

const read = (values: object) => readParameter(collection(runOptions), values);
const settings = (values: object) => ({
	...requestSettings(read(values)),
	concurrency: read(values).concurrency,
});
const defaults = {
	concurrency: 8,
	maxRetries: 3,
	rateLimitWaitMs: 900_000,
	timeoutMs: undefined,
};

it.each([
	['concurrency', '2e1', { concurrency: 20 }],
	['maxRetries', 0, { maxRetries: 0 }],
	['rateLimitWait', '1.5', { rateLimitWaitMs: 90_000 }],
	['timeout', 1.0006, { timeoutMs: 1_001 }],
	['timeout', 1.0004, { timeoutMs: 1_000 }],
	// As it is when the option is added: no limit of its own, which would end a stream sooner.
	['timeout', 315, { timeoutMs: undefined }],
])('%s of %j is read as %j', (name, value, expected) => {
	expect(settings({ [name]: value })).toStrictEqual({ ...defaults, ...expected });
});
