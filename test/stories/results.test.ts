import { isDeepStrictEqual } from 'node:util';
import type { INodeExecutionData, StructuredChunk } from 'n8n-workflow';

import { rubles as inRubles, sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { TEXT_MODEL } from '../contract/support';
import { eventually, passTime } from '../helpers/time';
import { CONTINUE, form } from '../helpers/values';
import { b64, paper } from '../nodes/text/files';
import type { StoryNode } from './execution';
import { image, prompts, RETRY_ON_FAIL, says, text, useStories } from './support';

// Results where two rules meet: which item they stand at, when they come, and what is said of them.

const { gateway, execute, sent, spent } = useStories();

describe('one of five calls in flight is refused, with the error output', () => {
	const settings = { onError: 'continueErrorOutput' } as const;
	const draw = image({ input: form({ quality: '={{ $json.quality }}', size: '512x512' }) }, settings);
	const PICTURES = [
		{ prompt: 'a cat', quality: 'draft' },
		{ prompt: 'a dog', quality: 'standard' },
		{ prompt: 'a cow', quality: 'high' },
		{ prompt: 'a hen', quality: 'standard' },
		{ prompt: 'a bee', quality: 'draft' },
	];
	const TEXTS = ['one', 'two two', 'three three three', 'four four', 'five'].map((words) => ({
		prompt: `[[say:${words}]]`,
	}));

	/** What the call with this prompt was charged. */
	function amountOf(prompt: string): number {
		const request = gateway.control.requests({ method: 'POST' }).find(says(prompt));
		return Number(gateway.control.ledger().find(({ requestId }) => requestId === request?.id)?.amount);
	}

	/** The prompt of which an item is the result. */
	function promptOf({ json }: INodeExecutionData): unknown {
		const task = gateway.control.tasks().find(({ taskId }) => taskId === json.taskId);
		return task?.input.prompt ?? `[[say:${json.text as string}]]`;
	}

	it.each<[string, number, StoryNode, Array<{ prompt: string }>]>([
		['the first picture', 0, draw, PICTURES],
		['the last picture', 4, draw, PICTURES],
		['the first text', 0, text({}, settings), TEXTS],
		['the last text', 4, text({}, settings), TEXTS],
	])('%s: the others stand at their places, with their costs', async (_, refused, node, rows) => {
		const match = { which: says(rows[refused]?.prompt ?? '') };
		gateway.control.addFault({ match, action: { kind: 'error', code: 'limit_exceeded' } });
		const { requests, release } = gateway.control.hold({ method: 'POST' });
		void eventually(() => requests.length === 5).then(release);
		const execution = await execute(
			node,
			rows.map((json) => ({ json })),
		);
		const results = execution
			.items()
			.map((item) => [item.pairedItem, promptOf(item), item.json.priceRub ?? item.json.costRub]);
		const all = rows.map(({ prompt }, item) => [{ item }, prompt, amountOf(prompt)]);
		expect(results).toStrictEqual(all.filter((one) => one !== all[refused]));
		const error = expect.objectContaining({ httpCode: '422', retryable: false }) as unknown;
		expect(execution.failed().map(({ json, pairedItem }) => [json, pairedItem])).toStrictEqual([
			[{ ...rows[refused], error }, { item: refused }],
		]);
		expect(execution.sums).toMatchObject({ gatewayCostRub: spent(), gatewayCalls: '4' });
		expect(gateway.charges()).toBe(4);
	});
});

describe('a chat has all of a streamed text before the node ends', () => {
	/** Runs a node whose chat takes a second for each chunk; returns what had come when the node ended. */
	async function stream(settings: StoryNode['settings'], ...texts: string[]) {
		const received: Array<[item: number, type: string, content: string]> = [];
		const onChunk = async ({ type, content = '', metadata }: StructuredChunk) => {
			await passTime(1_000);
			received.push([metadata.itemIndex ?? -1, type, content]);
		};
		const items = prompts(...texts);
		const prompt = '={{ $json.prompt }}';
		const { error } = await gateway.generate({ prompt }, { items, onChunk, settings: settings ?? {} });
		// The last one is n8n's own.
		if (error) received.pop();
		const shown = texts.map((_, index) => {
			const own = received.filter(([item]) => item === index);
			const types = own.map(([, type]) => type).filter((type, at, all) => type !== all[at - 1]);
			return [types.join(' '), own.map(([, , content]) => content).join('')];
		});
		const order = received.map(([item]) => item);
		return { error, shown, isInOrder: order.join() === [...order].sort().join() };
	}
	const FAILED = 'The response could not be completed';

	it.each<[string, StoryNode['settings'], string[], string[][], boolean]>([
		['one item', {}, ['[[say:one two three]]'], [['begin item end', 'one two three']], false],
		[
			'two items',
			{},
			['[[say:one two three]]', '[[say:four five]]'],
			[
				['begin item end', 'one two three'],
				['begin item end', 'four five'],
			],
			false,
		],
		[
			'two items, of which the first fails',
			CONTINUE,
			['refuse this', '[[say:four five]]'],
			[
				['begin error end', FAILED],
				['begin item end', 'four five'],
			],
			false,
		],
		[
			'two items, of which the last ends the node',
			{},
			['[[say:one two three]]', 'refuse this'],
			[
				['begin item end', 'one two three'],
				['begin error end', FAILED],
			],
			true,
		],
	])('%s', async (_, settings, texts, expected, fails) => {
		gateway.control.addFault({
			match: { which: says('refuse this') },
			action: { kind: 'error', code: 'limit_exceeded' },
		});
		const { error, shown, isInOrder } = await stream(settings, ...texts);
		expect(shown).toStrictEqual(expected);
		expect([isInOrder, error !== undefined]).toStrictEqual([true, fails]);
	});
});

describe('a task that the gateway does not know when it is polled', () => {
	beforeEach(() => {
		gateway.control.addFault({
			match: { method: 'GET', path: '/async/media/tasks/*' },
			action: { kind: 'error', code: 'not_found' },
			times: 0,
		});
	});
	const lost = (settings: StoryNode['settings']) => image({ options: { maxWait: 0.5 } }, settings);

	it('is an error with its ID, and is paid for', async () => {
		const execution = await execute(lost(CONTINUE), prompts('a cat', 'a dog'));
		const ids = ['a cat', 'a dog'].map(
			(prompt) => gateway.control.tasks().find(({ input }) => input.prompt === prompt)?.taskId,
		);
		expect(execution.errors()).toMatchObject(ids.map((taskId) => ({ taskId, paid: true })));
		expect(gateway.charges()).toBe(2);
	});

	it('is not created again by *Retry On Fail*', async () => {
		const { error, errorText } = await execute(lost(RETRY_ON_FAIL), prompts('a cat'));
		const [{ taskId } = {}] = gateway.control.tasks();
		expect(error?.context?.taskId).toBe(taskId);
		expect(errorText).toContain(`Task ${taskId} is paid for`);
		expect(sent()).toHaveLength(1);
		expect(gateway.charges()).toBe(1);
	});
});

it('a task that is deleted while it is waited for is an error at once, with its ID', async () => {
	gateway.control.configure({ taskDuration: { image: 3_600_000 } });
	const start = Date.now();
	const polls = () => gateway.control.requests({ method: 'GET', path: '/async/media/tasks/*' });
	const running = execute(image(), prompts('a cat'));
	await eventually(() => polls().some(({ status }) => status === 200));
	const [{ taskId = '' } = {}] = gateway.control.tasks();
	const headers = { authorization: `Bearer ${gateway.apiKey}` };
	await fetch(`${gateway.baseUrl}/async/media/tasks/${taskId}`, { method: 'DELETE', headers });
	const { error, errorText } = await running;
	expect(errorText).toMatch(
		/^The task of this item was deleted at the gateway\nFirst bring it back.*'Restore'/,
	);
	expect(error?.context?.taskId).toBe(taskId);
	expect(Date.now() - start).toBeLessThan(60_000);
	const path = `${gateway.baseUrl}/async/media/tasks/${taskId}/restore`;
	await fetch(path, { method: 'POST', headers });
	await gateway.control.finishTask(taskId);
	const wait: StoryNode = {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'wait', taskId, options: {} },
	};
	expect((await execute(wait, prompts('a cat'))).items()[0]?.json.state).toBe('success');
});

it('one of three is deleted while all are waited for: brought back as the error says, a retry returns all and pays nothing', async () => {
	gateway.control.configure({ taskDuration: { image: 3_600_000 } });
	const running = execute(image(), prompts('a cat', 'a dog', 'a cow'));
	const polled = () =>
		gateway.control
			.requests({ method: 'GET', path: '/async/media/tasks/*' })
			.filter(({ status }) => status === 200);
	await eventually(() => new Set(polled().map(({ path }) => path)).size === 3);
	const [cat, dog, cow] = gateway.control.tasks().map(({ taskId }) => taskId);
	const node = (operation: string): StoryNode => ({
		node: 'mediaTask',
		parameters: { resource: 'task', operation, taskId: dog, options: {} },
	});
	await execute(node('delete'), prompts(''));
	const failed = await running;
	expect(failed.errorText).toContain(`Task ${dog} is paid for`);
	for (const id of [cat, cow]) expect(failed.errorText).toContain(id);
	expect((await execute(node('restore'), prompts(''))).items()[0]?.json).toMatchObject({ restored: true });
	for (const id of [cat, dog, cow]) await gateway.control.finishTask(id ?? '');
	const retried = await failed.retry();
	expect(retried.items().map(({ json }) => [json.taskId, json.state])).toStrictEqual(
		[cat, dog, cow].map((id) => [id, 'success']),
	);
	expect(spent()).toBe('5.4');
});

describe('a workflow that redacts execution data', () => {
	const workflow = { redactionPolicy: 'all' } as const;

	it.each([
		['its items', '={{ $json.prompt }}', false],
		['empty items', 'a lighthouse', true],
	])('a retry with %s fetches the pictures that are paid for', async (_, prompt, isRedacted) => {
		// The file of the second picture.
		gateway.control.addFault({
			match: { host: 'files', nth: 2 },
			action: { kind: 'raw', status: 403, body: 'html' },
			times: 0,
		});
		const node = image({ prompt, options: { concurrency: 1, maxRetries: 0 } });
		const failed = await execute(node, prompts('a cat', 'a dog', 'a cow'), { workflow });
		const ids = gateway.control.tasks().map(({ taskId }) => taskId);
		expect(ids).toContain(failed.error?.context?.taskId);
		gateway.control.clearFaults();
		if (isRedacted) failed.redact();
		const retried = await failed.retry();
		expect(retried.items().map(({ json, binary }) => [json.taskId, binary?.data?.mimeType])).toStrictEqual(
			ids.map((id) => [id, 'image/png']),
		);
		expect(sent()).toHaveLength(3);
		expect(gateway.charges()).toBe(3);
	});

	it('a retry without its input pays for nothing, and says what is missing', async () => {
		gateway.control.addFault({
			match: { which: says('a cow') },
			action: { kind: 'error', code: 'limit_exceeded' },
		});
		const inTurn = image({ options: { concurrency: 1 } });
		const failed = await execute(inTurn, prompts('a cat', 'a dog', 'a cow'), { workflow });
		const retried = await failed.redact().retry();
		expect(retried.error?.message).toBe("'Prompt' is empty");
		expect(retried.items()).toStrictEqual([]);
		expect(gateway.charges()).toBe(2);
	});
});

describe('a dry run', () => {
	const TEXT = 'Summarize the news of the week';
	const PDF = {
		type: 'file',
		file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${b64(paper)}` },
	};
	const node = text({
		inputMode: 'json',
		messagesJson: '={{ JSON.stringify([{ role: "user", content: $json.content }]) }}',
		options: { dryRun: true, maxTokens: 100 },
	});

	it.each<[string, Array<string | typeof PDF>, string]>([
		['a text costs at most this', [TEXT], '1 item: at most '],
		['a PDF costs about this', [PDF], '1 item: about '],
		['texts cost at most this', [TEXT, 'Translate it'], '2 items: at most '],
		['PDFs cost about this', [PDF, PDF], '2 items: about '],
		['a PDF before texts makes the sum about this', [PDF, TEXT, 'Translate it'], '3 items: about '],
		['a PDF after texts makes the sum about this', [TEXT, 'Translate it', PDF], '3 items: about '],
	])('%s', async (_, contents, words) => {
		const items = contents.map((content) => ({
			json: { content: typeof content === 'string' ? content : [content] },
		}));
		const execution = await execute(node, items);
		const outputs = execution.items().map(({ json }) => json);
		expect(outputs.map(({ isEstimate = false }) => isEstimate)).toStrictEqual(
			contents.map((content) => content === PDF),
		);
		const sum = sumOfCosts(...outputs.map(({ maxCostRub }) => String(maxCostRub as number))) ?? '';
		expect(execution.hints()).toBe(`Dry run, nothing was sent. ${words}${inRubles(sum)}.`);
		expect(sent()).toStrictEqual([]);
	});

	it('the sum has the items whose price is known', async () => {
		const parameters = { model: '={{ $json.model }}', options: { dryRun: true, maxTokens: 100 } };
		const execution = await execute(
			text({ prompt: TEXT, ...parameters }),
			[TEXT_MODEL, 'none/none-1', TEXT_MODEL].map((model) => ({ json: { model } })),
		);
		const rub = execution.items().map(({ json }) => json.maxCostRub);
		expect(rub).toStrictEqual([expect.any(Number), null, rub[0]]);
		const sum = inRubles(String(2 * Number(rub[0])));
		expect(execution.hints()).toBe(
			`Dry run, nothing was sent. 2 items: at most ${sum}. Prices that are not known: 1, see reason in the output.`,
		);
		expect(sent()).toStrictEqual([]);
	});
});

describe('a retry of *Get Many*', () => {
	const list = (node: StoryNode['node'], resource: string): StoryNode => ({
		node,
		parameters: { resource, operation: 'getMany', returnAll: true, options: { concurrency: 1 } },
	});
	const upload: StoryNode = {
		node: 'storage',
		parameters: {
			...{ resource: 'file', operation: 'upload', uploadSource: 'base64', options: {} },
			...{ base64: 'aGVsbG8=', mimeType: 'image/png' },
		},
	};
	it.each<[string, StoryNode, StoryNode, string]>([
		['tasks', list('mediaTask', 'task'), image(), '/async/media/tasks'],
		['files', list('storage', 'file'), upload, '/storage'],
	])('has the %s that there are by then, for each item', async (_, getMany, add, path) => {
		const idOf = ({ json }: INodeExecutionData) => (json.taskId ?? json.id) as string;
		const added = async (prompt: string) => (await execute(add, prompts(prompt))).items().map(idOf);
		const before = await added('a cat');
		gateway.control.addFault({
			match: { method: 'GET', path, nth: 2 },
			action: { kind: 'error', code: 'invalid_request' },
		});
		const failed = await execute(getMany, prompts('-', '-'));
		expect(failed.error?.context?.itemIndex).toBe(1);
		const all = [...before, ...(await added('a dog'))].sort();
		const listed = (await failed.retry()).items();
		const ofItem = [0, 1].map((item) =>
			listed.filter(({ pairedItem }) => isDeepStrictEqual(pairedItem, { item })).map(idOf),
		);
		expect(all).toHaveLength(2);
		expect(ofItem.map((ids) => ids.sort())).toStrictEqual([all, all]);
	});
});
