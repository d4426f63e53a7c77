import type { IExecuteFunctions } from 'n8n-workflow';

import { RunContext } from '../../nodes/shared/run/runContext';
import { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { rejection, scriptedClient, type Step } from '../helpers/client';

// What is the same for all items of a run.

interface ContextOptions {
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

function contextOf(options: ContextOptions = {}): RunContext {
	const { executionId = 'e1', type = 'test.node', isTool = false, isStreaming = false } = options;
	const { inputs = [{}], store = {} } = options;
	return new RunContext({
		getExecutionId: () => executionId,
		isToolExecution: () => isTool,
		isStreaming: () => isStreaming,
		sendChunk: () => undefined,
		getNode: () => ({ id: 'n1', type }),
		getWorkflow: () => ({ id: 'workflowId' in options ? options.workflowId : 'w1' }),
		getWorkflowDataProxy: () => ({ $runIndex: options.runIndex }),
		getInputData: () => inputs.map((json) => ({ json, binary: {} })),
		getContext: (type: string) => (type === 'node' ? store : {}),
	} as unknown as IExecuteFunctions);
}

describe('the context of a creation', () => {
	it('names the workflow, node, execution and run', () => {
		expect(contextOf({ runIndex: 2 }).identity).toStrictEqual({
			workflowId: 'w1',
			nodeId: 'n1',
			root: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
			run: '2',
		});
	});

	it('is that of the first run, of no workflow, where n8n does not know them', () => {
		expect(contextOf({ workflowId: undefined }).identity).toMatchObject({
			workflowId: '',
			run: '0',
		});
	});
});

it('an execution has a root of its own, which is kept in the node’s context', () => {
	const store = {};
	const rootOf = (options: ContextOptions) => contextOf(options).identity.root;
	const root = rootOf({ store });
	expect(rootOf({ store, executionId: 'e2' })).toBe(root);
	expect(rootOf({ store: {} })).not.toBe(root);
	expect(rootOf({ store: { aiGatewayRoot: { root: 7 } } })).toMatch(/^[0-9a-f-]{36}$/);
	expect([contextOf({ store }).isRetry, contextOf({ store, executionId: 'e2' }).isRetry]).toStrictEqual([
		false,
		true,
	]);
});

describe('the tool of an AI Agent', () => {
	it.each<[ContextOptions, boolean]>([
		[{}, false],
		[{ type: 'test.toolbox' }, false],
		[{ type: 'test.nodeTool' }, true],
		[{ isTool: true }, true],
	])('is recognized by n8n’s context, or by its type: %j', (options, isTool) => {
		expect(contextOf(options).isTool).toBe(isTool);
	});

	it.each<[ContextOptions, boolean]>([
		[{}, false],
		[{ isStreaming: true }, true],
		[{ isStreaming: true, isTool: true }, false],
	])('sends no chunks: %j', (options, isShown) => {
		expect(contextOf(options).chunkWriter !== undefined).toBe(isShown);
	});

	it('is the same run for the same input, whatever the run index', () => {
		const runOf = (runIndex: number, ...inputs: object[]) =>
			contextOf({ isTool: true, runIndex, inputs }).run;
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

describe('the text models', () => {
	it('are requested once per run', async () => {
		const { client, sent } = scriptedClient([list('a', 'b')]);
		const context = contextOf();
		const [models] = await Promise.all([context.textModels.known(client), context.textModels.known(client)]);
		expect((await context.textModels.known(client)).map(({ id }) => id)).toStrictEqual(['a', 'b']);
		expect(models.map(({ id }) => id)).toStrictEqual(['a', 'b']);
		expect(sent).toHaveLength(1);
	});

	it.each<[string, Step, number]>([
		['with all retries', busy, 4],
		['for any other reason', new Error('a mistake'), 1],
	])('are an empty list where they cannot be read %s', async (_, step, tries) => {
		const { client, sent } = scriptedClient([step]);
		expect(await contextOf().textModels.known(client)).toStrictEqual([]);
		expect(sent.map(({ url }) => url)).toStrictEqual(Array(tries).fill('https://gateway.test/api/v1/models'));
	});

	it('are an empty list after ten seconds, for all items together; the read goes on', async () => {
		let respond: () => void = () => undefined;
		const responds = new Promise<void>((resolve) => (respond = resolve));
		const slept: number[] = [];
		const { client, sent } = scriptedClient(
			[list('a')],
			{},
			{
				dependencies: {
					withSlot: async (work) => await responds.then(work),
					sleep: async (milliseconds) => void slept.push(await Promise.resolve(milliseconds)),
				},
			},
		);
		const context = contextOf();
		const required = context.textModels.require(client);
		expect(await context.textModels.known(client)).toStrictEqual([]);
		expect(await context.textModels.known(client)).toStrictEqual([]);
		expect(slept).toStrictEqual([10_000]);
		respond();
		expect(await required).toHaveLength(1);
		expect(await context.textModels.known(client)).toHaveLength(1);
		expect(sent).toHaveLength(1);
	});

	it('are requested again after a failure', async () => {
		const { client, sent } = scriptedClient([busy, list('a')], { maxRetries: 0 });
		const context = contextOf();
		const atOnce = [context.textModels.known(client), context.textModels.known(client)];
		expect(await Promise.all(atOnce)).toStrictEqual([[], []]);
		expect(await context.textModels.known(client)).toHaveLength(1);
		expect(sent).toHaveLength(2);
	});

	it('are not read further after the end of the run', async () => {
		const { client, sent } = scriptedClient([list('a')]);
		const context = contextOf();
		await context.end();
		expect(await context.textModels.known(client)).toStrictEqual([]);
		expect(sent).toHaveLength(0);
	});
});

describe('the media models', () => {
	it('are requested once for all items, with all retries', async () => {
		const { client, sent } = scriptedClient([busy, busy, list('a', 'b')]);
		const context = contextOf();
		const found = await Promise.all([context.mediaModel(client, 'a'), context.mediaModel(client, 'b', true)]);
		expect(found.map((model) => [model?.id, model?.mediaType])).toStrictEqual([
			['a', 'video'],
			['b', 'video'],
		]);
		expect((await context.mediaModel(client, 'a', true)).id).toBe('a');
		expect(sent.map(({ url, timeoutMs }) => [url, timeoutMs])).toStrictEqual(
			Array(3).fill(['https://gateway.test/api/v1/media/models', 60_000]),
		);
	});

	it.each<[Step, object]>([
		[
			{ status: 401, body: '{"error": {"code": "invalid_api_key"}}' },
			{ details: { code: 'invalid_api_key' } },
		],
		[new Error('a mistake'), { message: 'a mistake' }],
	])('that cannot be read fail what depends on them, and nothing else: %j', async (step, expected) => {
		const { client, sent } = scriptedClient([step]);
		const context = contextOf();
		expect(await rejection(context.mediaModel(client, 'a', true))).toMatchObject(expected);
		expect(await context.mediaModel(client, 'a')).toBeUndefined();
		expect(sent).toHaveLength(2);
	});

	it('that could not be read are requested again where something depends on them', async () => {
		const { client, sent } = scriptedClient([busy, list('a')], { maxRetries: 0 });
		const context = contextOf();
		expect(await context.mediaModel(client, 'a')).toBeUndefined();
		expect((await context.mediaModel(client, 'a', true)).id).toBe('a');
		expect(sent).toHaveLength(2);
	});

	it('reject a model that they do not have', async () => {
		const { client } = scriptedClient([list('a')]);
		const context = contextOf();
		const rejections = [context.mediaModel(client, 'b', true), context.mediaModel(client, 'b')].map(
			rejection,
		);
		for (const error of await Promise.all(rejections)) {
			expect(error).toBeInstanceOf(InvalidInputError);
			expect(error).toMatchObject({ param: 'model', message: expect.stringContaining('"b"') as string });
		}
	});
});
