import type { IExecuteFunctions } from 'n8n-workflow';

import { RunContext } from '../../nodes/shared/run/runContext';
import { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { rejection, scriptedClient, type Step } from '../helpers/client';

// What is the same for all items of a run.

interface ContextOptions {
	executionId?: string;
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
		getMode: () => 'manual',
		getNode: () => ({ id: 'n1', type, parameters: {} }),
		getWorkflowDataProxy: () => ({ $runIndex: options.runIndex, $execution: {} }),
		getInputData: () => inputs.map((json) => ({ json, binary: {} })),
		getContext: (type: string) => (type === 'node' ? store : {}),
	} as unknown as IExecuteFunctions);
}

describe('the tool of an AI Agent', () => {
	it.each<[ContextOptions, boolean]>([
		[{}, false],
		[{ type: 'test.toolbox' }, false],
		[{ type: 'test.nodeTool' }, true],
		[{ isTool: true }, true],
	])('is recognized by n8n’s context, or by its type: %j', (options, isTool) => {
		expect(contextOf(options).isTool).toBe(isTool);
	});

	it('is the same run for the same input, whatever the run index', () => {
		const store = {};
		const keyOf = (runIndex: number, ...inputs: object[]) =>
			contextOf({ isTool: true, runIndex, inputs, store }).records.key(0);
		const key = keyOf(0, { a: 1, b: { c: 2, d: 3 } });
		expect(keyOf(1, { b: { d: 3, c: 2 }, a: 1 })).toBe(key);
		const others = [[{ a: 1 }], [{ a: 2, b: { c: 2, d: 3 } }], [{ a: 1, b: { c: 2, d: 3 } }, {}], []];
		expect(others.map((inputs) => keyOf(0, ...inputs)).filter((other) => other === key)).toStrictEqual([]);
	});
});

const list = (...ids: string[]): Step => ({
	body: JSON.stringify({ data: ids.map((id) => ({ id, media_type: 'video' })) }),
});
const busy: Step = { status: 503 };
const badKey: Step = { status: 401, body: '{"error": {"code": "invalid_api_key"}}' };

describe.each([
	['text', 'textModels', 'https://gateway.test/api/v1/models'],
	['media', 'mediaModels', 'https://gateway.test/api/v1/media/models'],
] as const)('the catalogue of %s models', (_, name, url) => {
	it('is read once for all items, with all retries', async () => {
		const { client, sent } = scriptedClient([busy, busy, list('a', 'b')]);
		const models = contextOf()[name];
		const found = [models.known(client, 'a'), models.required(client, 'b'), models.known(client, 'c')];
		expect((await Promise.all(found)).map((model) => model?.id)).toStrictEqual(['a', 'b', undefined]);
		expect((await models.required(client, 'a'))?.id).toBe('a');
		expect(sent.map((request) => [request.url, request.timeoutMs])).toStrictEqual(
			Array(3).fill([url, 60_000]),
		);
	});

	it('fails what depends on it, and nothing else, and is read again after a failure', async () => {
		const steps = [badKey, new Error('a mistake'), busy, list('a')];
		const { client, sent } = scriptedClient(steps, { maxRetries: 0 });
		const models = contextOf()[name];
		const failed = [models.known(client, 'a'), rejection(models.required(client, 'a'))];
		expect(await Promise.all(failed)).toMatchObject([undefined, { details: { code: 'invalid_api_key' } }]);
		expect(await rejection(models.required(client, 'a'))).toMatchObject({ message: 'a mistake' });
		expect(await models.known(client, 'a')).toBeUndefined();
		expect((await models.known(client, 'a'))?.id).toBe('a');
		expect(sent).toHaveLength(4);
	});

	it('is waited for ten seconds, by all items together, where they can do without; the read goes on', async () => {
		let respond: () => void = () => undefined;
		const responds = new Promise<void>((resolve) => (respond = resolve));
		const slept: number[] = [];
		const dependencies = {
			withSlot: async <T>(work: () => Promise<T>) => await responds.then(work),
			sleep: async (milliseconds: number) => void slept.push(await Promise.resolve(milliseconds)),
		};
		const { client, sent } = scriptedClient([list('a')], {}, { dependencies });
		const models = contextOf()[name];
		const required = models.required(client, 'a');
		expect([await models.known(client, 'a'), await models.known(client, 'a')]).toStrictEqual([
			undefined,
			undefined,
		]);
		respond();
		expect([(await required)?.id, (await models.known(client, 'a'))?.id]).toStrictEqual(['a', 'a']);
		expect([slept, sent.length]).toStrictEqual([[10_000], 1]);
	});
});

it('a media model that the catalogue does not have is an error of the item', async () => {
	const { client } = scriptedClient([list('a')]);
	expect(await contextOf().mediaModel(client, 'a')).toMatchObject({ id: 'a', mediaType: 'video' });
	const error = await rejection(contextOf().mediaModel(client, 'b'));
	expect(error).toBeInstanceOf(InvalidInputError);
	expect(error).toMatchObject({ param: 'model', message: 'The gateway has no media model "b"' });
});
