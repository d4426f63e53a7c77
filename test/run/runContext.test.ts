import type { IExecuteFunctions } from 'n8n-workflow';

import { RunContext } from '../../nodes/shared/run/runContext';
import { ApiError, InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { rejection, scriptedClient, type Step } from '../helpers/client';

// What is the same for all items of a run.

interface Place {
	executionId?: string;
	workflowId?: string | undefined;
	type?: string;
	isTool?: boolean;
	isStreaming?: boolean;
	runIndex?: number | undefined;
	inputs?: object[];
	/** The node's context, which lasts through the tries of an execution. */
	store?: Record<string, unknown>;
}

function factsOf(place: Place = {}): RunContext {
	const { executionId = 'e1', type = 'test.node', isTool = false, isStreaming = false } = place;
	const { inputs = [{}], store = {} } = place;
	return new RunContext({
		getExecutionId: () => executionId,
		isToolExecution: () => isTool,
		isStreaming: () => isStreaming,
		getNode: () => ({ id: 'n1', type }),
		getWorkflow: () => ({ id: 'workflowId' in place ? place.workflowId : 'w1' }),
		getWorkflowDataProxy: () => ({ $runIndex: place.runIndex }),
		getInputData: () => inputs.map((json) => ({ json, binary: {} })),
		getContext: (type: string) => (type === 'node' ? store : {}),
	} as unknown as IExecuteFunctions);
}

describe('the place of a creation', () => {
	it('is told for each item', () => {
		expect(factsOf({ runIndex: 2 }).creationContext(3)).toStrictEqual({
			workflowId: 'w1',
			nodeId: 'n1',
			executionId: 'e1',
			run: '2',
			itemIndex: 3,
		});
	});

	it('is that of the first run, of no workflow, where n8n tells nothing', () => {
		expect(factsOf({ workflowId: undefined }).creationContext(0)).toMatchObject({ workflowId: '', run: '0' });
	});
});

describe('an execution without an ID', () => {
	it('has one that is the same in each try, and in no other execution', () => {
		const store = {};
		const first = factsOf({ executionId: '', store }).executionId;
		expect(first).toMatch(/^[0-9a-f-]{36}$/);
		expect(factsOf({ executionId: '', store }).executionId).toBe(first);
		expect(factsOf({ executionId: '', store: {} }).executionId).not.toBe(first);
	});

	it('takes only what it left there itself', () => {
		const store: Record<string, unknown> = {};
		factsOf({ executionId: '', store });
		for (const key of Object.keys(store)) store[key] = 7;
		expect(factsOf({ executionId: '', store }).executionId).toMatch(/^[0-9a-f-]{36}$/);
	});

	it('leaves nothing in one that has an ID', () => {
		const store = {};
		factsOf({ store });
		expect(store).toStrictEqual({});
	});
});

describe('the tool of an AI Agent', () => {
	it.each<[Place, boolean]>([
		[{}, false],
		[{ type: 'test.toolbox' }, false],
		[{ type: 'test.nodeTool' }, true],
		[{ isTool: true }, true],
	])('is told by n8n, or by its type: %j', (place, isTool) => {
		expect(factsOf(place).isTool).toBe(isTool);
	});

	it.each<[Place, boolean]>([
		[{}, false],
		[{ isStreaming: true }, true],
		[{ isStreaming: true, isTool: true }, false],
	])('shows nothing while it arrives: %j', (place, isShown) => {
		expect(factsOf(place).chunkWriter !== undefined).toBe(isShown);
	});

	it('is the same run for the same input, whatever the run index', () => {
		const runOf = (runIndex: number, ...inputs: object[]) => factsOf({ isTool: true, runIndex, inputs }).run;
		const run = runOf(0, { a: 1, b: { c: 2, d: 3 } });
		expect(run).toMatch(/^tool-[0-9a-f]{64}$/);
		expect(runOf(1, { b: { d: 3, c: 2 }, a: 1 })).toBe(run);
		const others = [[{ a: 1 }], [{ a: 2, b: { c: 2, d: 3 } }], [{ a: 1, b: { c: 2, d: 3 } }, {}], []];
		expect(others.map((inputs) => runOf(0, ...inputs)).filter((other) => other === run)).toStrictEqual([]);
	});
});

const list = (...ids: string[]): Step => ({
	body: JSON.stringify({ data: ids.map((id) => ({ id, media_type: 'video' })) }),
});
const busy: Step = { status: 503 };
const refused: Step = { status: 401, body: '{"error": {"code": "invalid_api_key"}}' };

describe('the text models', () => {
	it('are asked for once a run', async () => {
		const { client, sent } = scriptedClient([list('a', 'b')]);
		const facts = factsOf();
		const [models] = await Promise.all([facts.knownTextModels(client), facts.knownTextModels(client)]);
		expect((await facts.knownTextModels(client)).map(({ id }) => id)).toStrictEqual(['a', 'b']);
		expect(models.map(({ id }) => id)).toStrictEqual(['a', 'b']);
		expect(sent).toHaveLength(1);
	});

	it('are none where they cannot be had soon: one try of 10 seconds', async () => {
		const { client, sent } = scriptedClient([busy]);
		const facts = factsOf();
		expect(await facts.knownTextModels(client)).toStrictEqual([]);
		expect(await facts.knownTextModels(client)).toStrictEqual([]);
		expect(sent.map(({ url, timeoutMs }) => [url, timeoutMs])).toStrictEqual([
			['https://gateway.test/api/v1/models', 10_000],
		]);
	});

	it('do not hide what is no failure of the gateway', async () => {
		const { client } = scriptedClient([new Error('a mistake')]);
		expect(await rejection(factsOf().knownTextModels(client))).toMatchObject({ message: 'a mistake' });
	});
});

describe('the media models', () => {
	it('are asked for once a run, in one try of 10 seconds', async () => {
		const { client, sent } = scriptedClient([list('a', 'b')]);
		const facts = factsOf();
		const types = [facts.mediaType(client, 'a'), facts.mediaType(client, 'c')];
		expect(await Promise.all(types)).toStrictEqual(['video', undefined]);
		expect((await facts.mediaModel(client, 'b'))?.id).toBe('b');
		expect(sent.map(({ url, timeoutMs }) => [url, timeoutMs])).toStrictEqual([
			['https://gateway.test/api/v1/media/models', 10_000],
		]);
	});

	it('are unknown where they cannot be had soon', async () => {
		const { client, sent } = scriptedClient([busy]);
		const facts = factsOf();
		expect(await facts.mediaModel(client, 'a')).toBeUndefined();
		expect(await facts.mediaType(client, 'a')).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it('are requested with all retries where something depends on them', async () => {
		const { client, sent } = scriptedClient([busy, busy, list('a')]);
		const facts = factsOf();
		expect((await facts.requireMediaModel(client, 'a')).id).toBe('a');
		expect(sent.map(({ timeoutMs }) => timeoutMs)).toStrictEqual([60_000, 60_000, 60_000]);
		expect((await facts.findMediaModel(client, 'a'))?.id).toBe('a');
		expect((await facts.mediaModel(client, 'a'))?.id).toBe('a');
		expect(sent).toHaveLength(3);
	});

	it('that were known soon are not asked for again', async () => {
		const { client, sent } = scriptedClient([list('a')]);
		const facts = factsOf();
		await facts.mediaModel(client, 'a');
		expect((await facts.requireMediaModel(client, 'a')).id).toBe('a');
		expect(sent).toHaveLength(1);
	});

	it('that were not known soon are asked for again where something depends on them', async () => {
		const { client, sent } = scriptedClient([busy, list('a')]);
		const facts = factsOf();
		expect(await facts.mediaModel(client, 'a')).toBeUndefined();
		expect((await facts.requireMediaModel(client, 'a')).id).toBe('a');
		expect(sent).toHaveLength(2);
	});

	it('are requested once for all items, also with all retries', async () => {
		const { client, sent } = scriptedClient([list('a')]);
		const facts = factsOf();
		await Promise.all([facts.requireMediaModel(client, 'a'), facts.findMediaModel(client, 'a')]);
		expect(sent).toHaveLength(1);
	});

	it('that cannot be read fail what depends on them, and nothing else', async () => {
		const { client, sent } = scriptedClient([refused]);
		const facts = factsOf();
		const failure = await rejection(facts.requireMediaModel(client, 'a'));
		expect(failure).toBeInstanceOf(ApiError);
		expect(failure).toMatchObject({ details: { code: 'invalid_api_key' } });
		expect(await facts.findMediaModel(client, 'a')).toBeUndefined();
		expect(await facts.mediaModel(client, 'a')).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it('refuse a model that they do not have, where something depends on it', async () => {
		const { client } = scriptedClient([list('a')]);
		const facts = factsOf();
		const refusals = [facts.requireMediaModel(client, 'b'), facts.findMediaModel(client, 'b')].map(rejection);
		for (const refusal of await Promise.all(refusals)) {
			expect(refusal).toBeInstanceOf(InvalidInputError);
			expect(refusal).toMatchObject({ param: 'model', message: expect.stringContaining('"b"') as string });
		}
		expect(await facts.mediaModel(client, 'b')).toBeUndefined();
	});

	it('do not hide what is no failure of the gateway', async () => {
		const { client } = scriptedClient([new Error('a mistake')]);
		const facts = factsOf();
		expect(await rejection(facts.mediaModel(client, 'a'))).toMatchObject({ message: 'a mistake' });
		expect(await rejection(facts.requireMediaModel(client, 'a'))).toMatchObject({ message: 'a mistake' });
	});
});
