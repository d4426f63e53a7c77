import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { toErrorJson, tasksNote, toNodeError, withHint } from '../../nodes/shared/run/nodeError';
import { ApiError, InvalidInputError, type ApiErrorDetails } from '../../nodes/shared/gateway/errors/errors';

// What an error item says, and the error that ends a node.

const node: INode = {
	id: 'n1',
	name: 'Gateway',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const failure = (details: Partial<ApiErrorDetails> = {}) =>
	new ApiError({
		message: 'It failed',
		description: 'Try it later.',
		delivery: 'responded',
		retryable: false,
		...details,
	});

const operationFailure = (description?: string) =>
	new NodeOperationError(node, 'It failed', description === undefined ? {} : { description });

describe('the report of a failure', () => {
	const bare = {
		message: 'It failed',
		description: 'Try it later.',
		httpCode: null,
		code: null,
		type: null,
		param: null,
		retryable: false,
	};

	it.each<[string, Partial<ApiErrorDetails>, object]>([
		['nothing more', {}, {}],
		['a status', { status: 402 }, { httpCode: '402' }],
		['a code', { code: 'insufficient_quota' }, { code: 'insufficient_quota' }],
		['a type', { type: 'rate_limit_error' }, { type: 'rate_limit_error' }],
		['a field', { param: 'input.prompt' }, { param: 'input.prompt' }],
		['that it can succeed later', { retryable: true }, { retryable: true }],
		['that nothing was charged', { mayBeCharged: false, retryable: true }, { retryable: true }],
		['that it may be charged', { mayBeCharged: true }, { mayBeCharged: true }],
		[
			'that it may be charged, and would succeed',
			{ mayBeCharged: true, retryable: true },
			{ mayBeCharged: true },
		],
		['a task', { taskId: 't1' }, { taskId: 't1' }],
		['more facts', { extra: { failCode: 'NSFW', state: null } }, { failCode: 'NSFW', state: null }],
	])('says of it: %s', (_, details, said) => {
		expect(toErrorJson(failure(details))).toStrictEqual({ ...bare, ...said });
	});

	it('says nothing of what only the node needs', () => {
		const details = { serverMessage: 'words', retryAfterMs: 5, idempotent: true, mayHaveTakenEffect: true };
		expect(toErrorJson(failure(details))).toStrictEqual(bare);
	});

	it.each<[string, unknown, object]>([
		[
			'input that cannot be sent',
			new InvalidInputError('It failed', 'Try it later.', 'prompt'),
			{ code: 'invalid_input', param: 'prompt' },
		],
		[
			'input that no parameter stands for',
			new InvalidInputError('It failed', 'Try it later.'),
			{ code: 'invalid_input' },
		],
		['an error of n8n', operationFailure('Try it later.'), {}],
		[
			'an error of n8n about a request',
			new NodeApiError(node, {}, { message: 'It failed', description: 'Try it later.' }),
			{},
		],
		['an error of n8n without a hint', operationFailure(), { description: null }],
		['any other error', new Error('It failed'), { description: null }],
		['an error of others', Object.assign(new Error('It failed'), { description: {} }), { description: null }],
		['anything thrown', 'It failed', { description: null }],
	])('%s', (_, error, said) => {
		expect(toErrorJson(error)).toStrictEqual({ ...bare, ...said });
	});
});

describe('the error that ends the node', () => {
	const facts = (error: Error) => {
		const { message } = error;
		if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
		const { description, context } = error;
		return { message, description, itemIndex: context.itemIndex, node: error.node.name };
	};
	const ofItem = { message: 'It failed', description: 'Try it later.', itemIndex: 3, node: 'Gateway' };

	it.each<[string, Error]>([
		['a failure', failure()],
		['invalid input', new InvalidInputError('It failed', 'Try it later.')],
		['an error of n8n', operationFailure('Try it later.')],
	])('names its item, and says what to do: %s', (_, error) => {
		expect(facts(toNodeError(node, error, 3))).toStrictEqual(ofItem);
		const noted = { ...ofItem, description: 'Try it later. A note.' };
		expect(facts(toNodeError(node, error, 3, ' A note.'))).toStrictEqual(noted);
	});

	it.each([
		failure,
		(details: { message: string }) => new InvalidInputError(details.message, 'Try it later.'),
	])('keeps its message, whatever names of system errors stand in it', (make) => {
		const message = 'The connection broke (ECONNREFUSED, ETIMEDOUT)';
		expect(toNodeError(node, make({ message }), 0).message).toBe(message);
	});

	it('of a failure has its status, task, details and cause, and nothing else of it', () => {
		const cause = failure({ status: 402, taskId: 't1', extra: { failCode: 'NSFW' }, serverMessage: 'words' });
		const error = toNodeError(node, cause, 3);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: '402', cause });
		expect(error).toHaveProperty('context', {
			itemIndex: 3,
			taskId: 't1',
			details: { failCode: 'NSFW' },
		});
	});

	it('of a failure without them has none', () => {
		const error = toNodeError(node, failure(), 3);
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
	])('adds to what an error of n8n says: %p and %p', (description, note, said) => {
		const error = operationFailure(description);
		const before = error.description;
		expect(toNodeError(node, error, 3, note)).toBe(error);
		expect(error.description).toBe(said ?? before);
	});

	it.each([new Error('It failed'), 'It failed'])('is made of anything thrown: %p', (thrown) => {
		const error = toNodeError(node, thrown, 3);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(facts(error)).toMatchObject({ message: 'It failed', itemIndex: 3, node: 'Gateway' });
		expect(facts(toNodeError(node, thrown, 3, ' A note.'))).toMatchObject({ description: 'A note.' });
	});
});

describe('an error for the model of an AI Agent', () => {
	it.each([operationFailure('Try it later.'), toNodeError(node, failure(), 0)])(
		'has in its message what to do',
		(error) => {
			expect(withHint(error)).toBe(error);
			expect(error.message).toBe('It failed. Try it later.');
		},
	);

	it('says no more where there is no more to say', () => {
		const described = Object.assign(new Error('It failed'), { description: 'Try it later.' });
		for (const error of [operationFailure(''), described]) {
			expect(withHint(error).message).toBe('It failed');
		}
	});
});

describe('the note on tasks whose results are lost', () => {
	const ids = (count: number) => Array.from({ length: count }, (_, index) => `task-${index + 1}`);
	const named = (note: string) => note.match(/task-\d+/g) ?? [];

	it('is empty without any', () => {
		expect(tasksNote([])).toBe('');
		expect(tasksNote(['t1'], failure({ taskId: 't1' }))).toBe('');
	});

	it.each([1, 2, 19, 20])('names all of %d', (count) => {
		const note = tasksNote(ids(count));
		expect(named(note)).toStrictEqual(ids(count));
		expect(note).toMatch(/^ .*task-\d+\.$/);
	});

	it.each([
		[21, 1],
		[22, 2],
		[500, 480],
	])('names 20 of %d, and says how many more there are', (count, more) => {
		const note = tasksNote(ids(count));
		expect(named(note)).toStrictEqual(ids(20));
		expect(note).toContain(`task-19, task-20 and ${more} more.`);
	});

	it('leaves out the task that the error names itself', () => {
		expect(named(tasksNote(ids(3), failure({ taskId: 'task-2' })))).toStrictEqual(['task-1', 'task-3']);
		expect(named(tasksNote(ids(21), failure({ taskId: 'task-2' })))).toHaveLength(20);
		expect(tasksNote(ids(21), failure({ taskId: 'task-2' }))).not.toContain('more');
		expect(named(tasksNote(ids(2), failure()))).toStrictEqual(ids(2));
		expect(named(tasksNote(ids(2), new Error('no')))).toStrictEqual(ids(2));
	});
});
