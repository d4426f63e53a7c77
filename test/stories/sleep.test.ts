import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { INodeExecutionData } from 'n8n-workflow';

import { placeholderPng } from '../../sandbox/gateway/media/render/placeholder';
import { binaryStorage } from '../helpers/engine';
import { useServer } from '../helpers/server';
import { eventually, passTime } from '../helpers/time';
import { CONTINUE, form, locator } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import type { Execution, Story, StoryNode } from './execution';
import { image, prompts, respondJson, says, useStories } from './support';

// *Sleep Until the Gateway Calls*: the execution sleeps while pictures are edited, and the gateway's callbacks resume it.

const { gateway, execute, calm } = useStories();

let asleep: Execution | undefined;
/** The execution, each time that a callback has resumed it. */
let resumed: Array<Promise<Execution>> = [];
/** The requests with which a callback's handler has asked n8n to resume it. */
let requests: string[] = [];
const n8n = useServer((request, response) => void receive(request, response));

/** Handles a request as n8n's server does. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body: unknown = await json(request).catch(() => ({}));
	const reply = (status: number, content: unknown) =>
		response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
	if (!asleep) return void reply(409, { code: 409, message: 'The execution is running already.' });
	const { href, searchParams } = new URL(request.url ?? '', n8n.origin());
	if (searchParams.has('state')) requests.push(href);
	const runOn = await asleep.receive({ query: Object.fromEntries(searchParams), body, reply });
	if (!runOn) return;
	asleep = undefined;
	const running = runOn();
	resumed.push(running);
	const execution = await running;
	if (execution.isAsleep) asleep = execution;
}

beforeEach(() => {
	[asleep, resumed, requests] = [undefined, [], []];
	gateway.control.configure({ taskDuration: { image: 40 * 60_000 } });
});

const edit = (parameters: object = {}, settings: StoryNode['settings'] = {}): StoryNode =>
	image(
		{
			operation: 'edit',
			model: locator('aurora/retouch-1'),
			input: form({ strength: '={{ $json.strength }}' }),
			inputFiles: { files: [{ inputField: 'image_urls' }] },
			waitStrategy: 'suspend',
			...parameters,
		},
		settings,
	);

const CAT = { prompt: 'a cat', width: 40, strength: 'medium' };
const DOG = { prompt: 'a dog', width: 52, strength: 'strong' };
const COW = { prompt: 'a cow', width: 64, strength: 'light' };

/** Items with these prompts, each with a picture of another width. */
async function pictures(...rows: Array<typeof CAT>): Promise<INodeExecutionData[]> {
	const item = async ({ prompt, width, strength }: typeof CAT) => {
		const content = placeholderPng(0, width, 30);
		const file = { name: 'data', content, mimeType: 'image/png', fileName: `${width}.png` };
		return { ...(await withFiles(file)), json: { prompt, strength } };
	};
	return await Promise.all(rows.map(item));
}

/** Executes a workflow until it sleeps. */
async function sleep(
	node: StoryNode | Story['nodes'],
	items: INodeExecutionData[],
	story: Partial<Story> = {},
): Promise<Execution> {
	const execution = await execute(node, items, { ...story, n8n: { n8nUrl: n8n.origin() } });
	expect(execution.error).toBeUndefined();
	expect(execution.isAsleep).toBe(true);
	return (asleep = execution);
}

function taskOf({ prompt }: typeof CAT) {
	const task = gateway.control.tasks().find(({ input }) => input.prompt === prompt);
	if (!task) throw new Error('There is no such task');
	return task;
}

/** A task ends, and its callback has been answered. */
async function finish(row: typeof CAT, outcome?: { failCode: string; failMsg: string }): Promise<void> {
	const { taskId } = taskOf(row);
	await gateway.control.finishTask(taskId, outcome);
	await eventually(() =>
		gateway.control.callbacks().some((call) => call.taskId === taskId && call.status !== null),
	);
}

/** The execution, when so many callbacks have resumed it. */
async function awake(times = 1): Promise<Execution> {
	await eventually(() => resumed.length >= times);
	const execution = await resumed[times - 1];
	if (!execution) throw new Error('It sleeps');
	return execution;
}

const fetched = async (url: unknown) => Buffer.from(await (await fetch(String(url))).arrayBuffer());

/** Of each item: its input item, the words and the file that its picture was made of, and whether its file is that picture. */
async function drawn(items: INodeExecutionData[]): Promise<unknown[]> {
	const tasks = new Map(gateway.control.tasks().map((task) => [task.taskId, task]));
	const one = async ({ json: { taskId }, binary, pairedItem }: INodeExecutionData) => {
		const { input, resultUrls } = tasks.get(taskId as string) ?? {};
		const [sent] = (input?.image_urls ?? []) as unknown[];
		const width = (await fetched(sent)).readUInt32BE(16);
		const file = binary?.data && (await (await binaryStorage()).getAsBuffer(binary.data));
		const isOwn = file?.equals(await fetched(resultUrls?.[0]));
		return { pairedItem, prompt: input?.prompt, width, isOwn };
	};
	return await Promise.all(items.map(one));
}

const drawing = (item: number, { prompt, width }: typeof CAT) => ({
	...{ pairedItem: { item }, prompt, width, isOwn: true },
});

const COSTS = { gatewayCostRub: '15.75', gatewayCalls: '2', gatewayCallsWithoutCost: '0' };

it.each([
	['the first task ends first', [[CAT], [DOG]]],
	['the last task ends first', [[DOG], [CAT]]],
	['both tasks end at the same time', [[CAT, DOG]]],
])('the pictures of two prompts and files come out once, when %s', async (_, order) => {
	gateway.control.configure({ callbacks: { copies: 2 } });
	await sleep(edit(), await pictures(CAT, DOG));
	for (const [round, rows] of order.entries()) {
		expect([round, resumed.length]).toStrictEqual([round, 0]);
		await Promise.all(rows.map(async (row) => await finish(row)));
	}
	const execution = await awake();
	expect(await drawn(execution.items())).toStrictEqual([drawing(0, CAT), drawing(1, DOG)]);
	expect(execution.items().map(({ json }) => json.priceRub)).toStrictEqual([6.75, 9]);
	expect(execution.sums).toStrictEqual(COSTS);
	expect([resumed.length, gateway.charges()]).toStrictEqual([1, 2]);
});

it('the price of a picture is that of its fields and files, also after the sleep', async () => {
	const known = (await (
		await fetch(`${gateway.baseUrl}/media/models`, {
			headers: { Authorization: `Bearer ${gateway.apiKey}` },
		})
	).json()) as { data: Array<{ id: string; pricing: object }> };
	const tiers = [
		{ params: {}, price: '6.00' },
		{ params: { mask_url: null }, price: '3.00' },
	];
	for (const model of known.data)
		if (model.id === 'aurora/retouch-1') model.pricing = { currency: 'RUB', type: 'tiered', tiers };
	gateway.control.addFault({ match: { path: '/media/models' }, action: respondJson(known), times: 0 });
	const files = [{ inputField: 'image_urls' }, { inputField: 'mask_url' }];
	await sleep(edit({ inputFiles: { files } }), await pictures(CAT));
	await finish(CAT);
	expect((await awake()).items().map(({ json }) => json.priceRub)).toStrictEqual([6]);
});

it('with *Execute Once*, only the first item has a picture, also when *Max Wait* ends the sleep', async () => {
	const once = edit({}, { executeOnce: true });
	const items = await pictures(CAT, DOG, COW);
	const sleeping = await sleep(once, items);
	const timedOut = await sleeping.wake();
	const { taskId } = taskOf(CAT);
	expect(timedOut.items().map(({ json }) => [json.taskId, json.timedOut])).toStrictEqual([[taskId, true]]);
	await gateway.control.reset();
	await sleep(once, items);
	await finish(CAT);
	expect(await drawn((await awake()).items())).toStrictEqual([drawing(0, CAT)]);
	expect(gateway.charges()).toBe(1);
});

describe('of three tasks, the second fails', () => {
	const MODERATION = { failCode: 'MODERATION', failMsg: 'Not this one' };

	async function failing(settings: StoryNode['settings'] = {}): Promise<Execution> {
		await sleep(edit({}, settings), await pictures(CAT, DOG, COW));
		await finish(COW);
		await finish(DOG, MODERATION);
		expect(resumed).toHaveLength(0);
		await finish(CAT);
		return await awake();
	}

	it('its item leaves through the error output with its input and its file, the others with their pictures', async () => {
		const execution = await failing({ onError: 'continueErrorOutput' });
		expect(await drawn(execution.items())).toStrictEqual([drawing(0, CAT), drawing(2, COW)]);
		const failed = execution.failed().map(({ json, binary }) => [json, binary?.data?.fileName]);
		const error = expect.objectContaining({ taskId: taskOf(DOG).taskId, code: 'MODERATION' }) as unknown;
		expect(failed).toStrictEqual([[{ prompt: 'a dog', strength: 'strong', error }, '52.png']]);
	});

	it('a retry pays for one more picture, of the same prompt and file', async () => {
		const failed = await failing();
		expect(failed.error?.context?.taskId).toBe(taskOf(DOG).taskId);
		gateway.control.configure({ taskDuration: { image: 0 } });
		const retried = await failed.retry();
		const all = [drawing(0, CAT), drawing(1, DOG), drawing(2, COW)];
		expect(await drawn(retried.items())).toStrictEqual(all);
		expect(gateway.charges()).toBe(4);
	});
});

it('an item that was refused before the sleep keeps its error after it, and is not sent again', async () => {
	gateway.control.addFault({
		match: { which: says('a cow') },
		action: { kind: 'error', code: 'invalid_input' },
	});
	await sleep(edit({}, CONTINUE), await pictures(CAT, COW, DOG));
	await finish(CAT);
	await finish(DOG);
	const [cat, cow, dog] = (await awake()).items();
	expect(cow?.json.error).toMatchObject({ httpCode: '422', retryable: false });
	expect(cow).toMatchObject({ pairedItem: { item: 1 } });
	expect(await drawn([cat, dog].flatMap((item) => item ?? []))).toStrictEqual([
		drawing(0, CAT),
		drawing(2, DOG),
	]);
	expect(gateway.control.requests({ method: 'POST', path: '/async/media/tasks' })).toHaveLength(3);
});

it('with *Include Input Fields*, it leaves through the error output, and not among the pictures', async () => {
	gateway.control.addFault({
		match: { which: says('a cow') },
		action: { kind: 'error', code: 'invalid_input' },
	});
	const node = edit({ options: { includeInput: true } }, { onError: 'continueErrorOutput' });
	await sleep(node, await pictures(CAT, COW));
	await finish(CAT);
	const execution = await awake();
	expect(execution.items().map(({ json }) => json.prompt)).toStrictEqual(['a cat']);
	const failed = execution.failed().map(({ json, pairedItem }) => [json, pairedItem]);
	const error = expect.objectContaining({ httpCode: '422' }) as unknown;
	expect(failed).toStrictEqual([[{ prompt: 'a cow', strength: 'light', error }, { item: 1 }]]);
});

it('a task that is deleted during the sleep is an error with its ID as soon as the other has ended', async () => {
	await sleep(edit({}, CONTINUE), await pictures(CAT, DOG));
	const { taskId } = taskOf(DOG);
	const headers = { authorization: `Bearer ${gateway.apiKey}` };
	await fetch(`${gateway.baseUrl}/async/media/tasks/${taskId}`, { method: 'DELETE', headers });
	const start = Date.now();
	await finish(CAT);
	const [cat, dog] = (await awake()).items();
	expect(Date.now() - start).toBeLessThan(60_000);
	expect(cat?.json.state).toBe('success');
	expect(dog?.json.error).toMatchObject({ httpCode: '404', paid: true, taskId });
});

it('of a picture that is deleted during the sleep, the error names *Restore*; after it, a retry returns both', async () => {
	await sleep(edit(), await pictures(CAT, DOG));
	const change = async (operation: string) => {
		const parameters = { resource: 'task', operation, taskId: taskOf(DOG).taskId };
		expect((await execute({ node: 'mediaTask', parameters }, prompts(''))).error).toBeUndefined();
	};
	await change('delete');
	await finish(CAT);
	const failed = await awake();
	expect(failed.errorText).toMatch(
		/^The task of this item was deleted at the gateway\nFirst bring it back.*'Restore'/,
	);
	expect(failed.errorText).toContain(`Task ${taskOf(DOG).taskId} is paid for`);
	await change('restore');
	await gateway.control.finishTask(taskOf(DOG).taskId);
	expect(await drawn((await failed.retry()).items())).toStrictEqual([drawing(0, CAT), drawing(1, DOG)]);
	expect(gateway.charges()).toBe(2);
});

it('the credential gets the key of another account during the sleep: the error says so, and nothing is paid for', async () => {
	const keys = ['first', 'second'].map((account) => gateway.control.createKey({ account }).key);
	let isNext = false;
	await sleep(edit(), await pictures(CAT, DOG), { keyOf: () => keys[isNext ? 1 : 0] ?? '' });
	isNext = true;
	await passTime(60_000);
	for (const row of [CAT, DOG]) await finish(row);
	const failed = await awake();
	expect(failed.errorText).toMatch(/^The task of this item was created with another API key\n/);
	expect(failed.errorText).not.toContain('new execution');
	isNext = false;
	expect(await drawn((await failed.retry()).items())).toStrictEqual([drawing(0, CAT), drawing(1, DOG)]);
	expect(gateway.charges()).toBe(2);
});

it('when *Max Wait* ends the sleep, a later *Wait* gets the pictures', async () => {
	const wait: StoryNode = {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'wait', taskId: '={{ $json.taskId }}' },
	};
	const sleeping = await sleep([edit({ options: { maxWait: 30 } }), wait], await pictures(CAT, DOG));
	await finish(DOG);
	const execution = await sleeping.wake();
	const created = (row: typeof CAT) => new Date(taskOf(row).createTime).toISOString();
	expect(
		execution.items().map(({ json }) => [json.taskId, json.timedOut, json.priceRub, json.createdAt]),
	).toStrictEqual([
		[taskOf(CAT).taskId, true, 6.75, created(CAT)],
		[taskOf(DOG).taskId, true, 9, created(DOG)],
	]);
	// The file of the input would look like the result.
	expect(execution.items().filter(({ binary }) => binary)).toStrictEqual([]);
	expect(await drawn(execution.items('Gateway 2'))).toStrictEqual([drawing(0, CAT), drawing(1, DOG)]);
	expect(execution.sums).toStrictEqual(COSTS);
	expect(gateway.charges()).toBe(2);
});

it('when *Max Wait* ends the sleep, a picture that was there before it has its file', async () => {
	const { requests: held, release } = gateway.control.hold({ method: 'POST', which: says('a dog') });
	const sleeping = sleep(edit(), await pictures(CAT, DOG));
	await eventually(() => held.length === 1 && gateway.control.tasks().length === 2);
	await gateway.control.finishTask(taskOf(CAT).taskId);
	release();
	const [cat, dog] = (await (await sleeping).wake()).items();
	expect(await drawn(cat ? [cat] : [])).toMatchObject([drawing(0, CAT)]);
	expect([dog?.json.timedOut, dog?.binary]).toStrictEqual([true, undefined]);
});

it('*Max Wait* also counts the sleep, for a task that goes on when a callback has resumed the execution', async () => {
	await sleep(edit({ options: { maxWait: 30 } }), await pictures(CAT, DOG));
	await passTime(20 * 60_000);
	// Whether it has ended is not known.
	const path = `/async/media/tasks/${taskOf(DOG).taskId}`;
	gateway.control.addFault({
		match: { path },
		action: { kind: 'error', code: 'service_unavailable' },
		times: 0,
	});
	await finish(CAT);
	calm();
	const items = (await awake()).items();
	expect(items.map(({ json }) => json.timedOut)).toStrictEqual([undefined, true]);
});

it('a callback is answered soon while the gateway does not respond to polls, and resumes the execution', async () => {
	await sleep(edit(), await pictures(CAT));
	await passTime(60_000);
	const path = `/async/media/tasks/${taskOf(CAT).taskId}`;
	gateway.control.addFault({ match: { path }, action: { kind: 'hang' }, times: 3 });
	const start = Date.now();
	await finish(CAT);
	expect(Date.now() - start).toBeLessThan(60_000);
	expect(await drawn((await awake()).items())).toStrictEqual([drawing(0, CAT)]);
});

describe('in the second round of a loop', () => {
	it.each([
		[74, false],
		[77, true],
	])('%d s before the end of the first sleep, the execution sleeps again: %s', async (seconds, sleeps) => {
		const sleeping = await sleep(edit(), await pictures(CAT), { rounds: [await pictures(DOG)] });
		await passTime(sleeping.restMs - seconds * 1_000);
		gateway.control.configure({ taskDuration: { image: 60_000 } });
		await finish(CAT);
		expect((await awake()).isAsleep).toBe(sleeps);
	});

	it.each<[string, () => Promise<unknown>]>([
		['a callback of the first round', async () => await gateway.control.repeatCallback(taskOf(CAT).taskId)],
		[
			'a request to resume another sleep',
			async () => await fetch(String(requests[0]).replace(/(?<=state=)[^&]+/, 'another'), { method: 'POST' }),
		],
	])('%s does not resume it', async (_, send) => {
		await sleep(edit(), await pictures(CAT), { rounds: [await pictures(DOG)] });
		await finish(CAT);
		expect((await awake()).isAsleep).toBe(true);
		expect(requests).toHaveLength(1);
		await send();
		expect(resumed).toHaveLength(1);
		await finish(DOG);
		const execution = await awake(2);
		expect(await drawn(execution.items())).toStrictEqual([drawing(0, CAT), drawing(0, DOG)]);
		expect(execution.sums).toStrictEqual(COSTS);
	});
});

it.each(['a callback', 'the timer'])(
	'*Include Input Fields*: rows keep their columns when %s ends the sleep',
	async (end) => {
		const node = edit({ options: { includeInput: true } });
		const execution = await sleep(node, await pictures(CAT, DOG));
		if (end === 'a callback') for (const row of [CAT, DOG]) await finish(row);
		const ended = end === 'a callback' ? await awake() : await execution.wake();
		const rows = [CAT, DOG].map(({ prompt, strength }) => [
			prompt,
			strength,
			end === 'the timer' ? true : undefined,
		]);
		const items = ended
			.items()
			.map(({ json: { prompt, strength, timedOut } }) => [prompt, strength, timedOut]);
		expect(items).toStrictEqual(rows);
	},
);
