import { getEventListeners } from 'node:events';

import fc from 'fast-check';
import { createRunExecutionData } from 'n8n-workflow';

import { Limiter } from '../../nodes/shared/gateway/client/limits';
import type { FaultAction, RequestMatch, RequestRecord } from '../../sandbox/gateway/gateway';
import { TEXT_MODEL } from '../contract/support';
import { attempt, attemptContext, executeOn } from '../helpers/attempt';
import { rejection } from '../helpers/client';
import { packageNodes, type RunOptions } from '../helpers/engine';
import { eventually } from '../helpers/time';
import { CONTINUE, locator } from '../helpers/values';
import { numbered, respondJson, says, text, useStories } from '../stories/support';

// The items of a node. What others cost when one fails: stories/costs.test.ts. That all are read and checked before the first
// request: stories/errors.test.ts.

const { gateway, execute, calm } = useStories();
const sent = (match: RequestMatch = { method: 'POST' }) => gateway.control.requests(match);
const fault = (action: FaultAction, match: RequestMatch = {}, times = 1) =>
	gateway.control.addFault({ match: { method: 'POST', ...match }, action, times });
const REFUSED = { kind: 'error', code: 'invalid_request' } as const;

/** A node that sends a text for each item. */
const generating = (more: Partial<RunOptions> = {}, options: object = {}): RunOptions => ({
	node: 'textGeneration',
	credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey },
	...more,
	parameters: {
		resource: 'text',
		operation: 'generate',
		model: locator(TEXT_MODEL),
		prompt: '={{ $json.prompt }}',
		options: { ...options },
	},
});
const cancelled = (description = 'No more requests were sent.') => ({
	name: 'NodeOperationError',
	message: 'The execution was cancelled',
	description,
});
const UNKNOWN = 'The outcome of item 0 is unknown: it may have been charged.';

describe('cancelling a run', () => {
	const wait = { resource: 'task', operation: 'wait', taskId: 't1' };
	const upload = { resource: 'file', operation: 'upload', uploadSource: 'base64', base64: 'aGk=' };

	/** The task has ended with a file. */
	function endTask(): void {
		const { url } = gateway.control.createBigFile({ size: 100_000 });
		const data = { state: 'success', resultJson: JSON.stringify({ resultUrls: [url] }) };
		gateway.control.addFault({ match: { path: '*/t1' }, action: respondJson({ code: 200, data }) });
	}

	it.each<[string, FaultAction['kind'], RequestMatch, Partial<RunOptions>]>([
		['a request without a response', 'hang', { method: 'POST' }, {}],
		['a response that does not end', 'stallBody', { method: 'POST' }, {}],
		['an upload', 'hang', { path: '/storage/upload' }, { node: 'storage', parameters: upload }],
		['a download of a result', 'stallBody', { host: 'files' }, { node: 'mediaTask', parameters: wait }],
	])('ends %s', async (_, kind, match, node) => {
		endTask();
		gateway.control.addFault({ match, action: { kind } as FaultAction });
		const controller = new AbortController();
		const options = { ...generating({ items: numbered(1) }), ...node };
		const context = await attemptContext(options, { signal: controller.signal });
		const warn = jest.spyOn(context.logger, 'warn').mockImplementation(() => undefined);
		const ended = rejection(executeOn(options, context));
		await eventually(() => sent(match).length === 1);
		controller.abort();
		const isText = node.node === undefined;
		expect(await ended).toMatchObject(cancelled(isText ? UNKNOWN : undefined));
		await eventually(() => sent(match)[0]?.outcome === 'aborted');
		expect(sent(match)).toHaveLength(1);
		const warnings = warn.mock.calls.map(([text]) => text);
		expect(warnings).toStrictEqual(isText ? [`"Gateway" was cancelled. ${UNKNOWN}`] : []);
		warn.mockRestore();
	});

	it('that has not begun sends nothing', async () => {
		const signal = AbortSignal.abort();
		expect(await rejection(attempt(generating({ items: numbered(1) }), { signal }))).toMatchObject(
			cancelled(),
		);
		expect(sent()).toStrictEqual([]);
	});

	it('ends the reading of its items', async () => {
		const controller = new AbortController();
		const context = await attemptContext(generating({ items: numbered(3) }), { signal: controller.signal });
		const read = context.getNodeParameter.bind(context) as (...values: unknown[]) => unknown;
		const prompts: unknown[] = [];
		Object.assign(context, {
			getNodeParameter: (...values: [name: string, index: number]) => {
				const [name, index] = values;
				if (name === 'prompt') prompts.push(index);
				if (name === 'prompt' && index === 1) controller.abort();
				return read(...values);
			},
		});
		expect(await rejection(executeOn({ node: 'textGeneration' }, context))).toMatchObject(cancelled());
		expect(prompts).toStrictEqual([0, 1]);
	});

	it.each([{}, CONTINUE])(
		'is what it is when n8n’s HTTP client has cancelled a request: %j',
		async (settings) => {
			const options = generating({ items: numbered(2), settings }, { concurrency: 1 });
			const context = await attemptContext(options);
			const error = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
			jest.spyOn(context.helpers, 'httpRequestWithAuthentication').mockRejectedValue(error);
			expect(await rejection(executeOn(options, context))).toMatchObject(cancelled(UNKNOWN));
		},
	);
});

describe('an item that fails', () => {
	it('ends the pauses of other items', async () => {
		fault({ kind: 'error', code: 'service_unavailable', retryAfter: 30 }, { which: says('text 0') });
		fault({ kind: 'error', code: 'insufficient_quota' }, { which: says('text 1') });
		const held = gateway.control.hold({ which: says('text 1') });
		void eventually(() => sent()[0]?.status === 503).then(held.release);
		const start = Date.now();
		const { error } = await gateway.run(generating({ items: numbered(2) }));
		expect([error?.httpCode, sent().length, Date.now() - start < 1_000]).toStrictEqual(['402', 2, true]);
	});

	it('stops new requests and lets those in flight end; the first error is that of the node', async () => {
		fault(REFUSED, { which: says('text 0') });
		fault({ kind: 'error', code: 'insufficient_quota' }, { which: says('text 1') });
		const late = gateway.control.hold({ which: says('text 0') });
		void eventually(() => sent()[1]?.status === 402).then(late.release);
		const { error } = await gateway.run(generating({ items: numbered(6) }, { concurrency: 2 }));
		expect([error?.httpCode, error?.context?.itemIndex]).toStrictEqual(['402', 1]);
		expect(sent().map(({ outcome }) => outcome)).toStrictEqual(['finished', 'finished']);
	});
});

describe('the node itself', () => {
	it('returns nothing for no items', async () => {
		const context = { getInputData: () => [] };
		expect(await packageNodes.textGeneration.execute.call(context as never)).toStrictEqual([[]]);
	});

	it('leaves no listener on an execution, which outlives it', async () => {
		const { signal } = new AbortController();
		await attempt(generating({ items: numbered(1) }), { signal });
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
	});

	it('rejects an unknown operation', async () => {
		const context = await attemptContext(generating());
		const values: Record<string, string> = { resource: 'text', operation: 'invent' };
		jest.spyOn(context, 'getNodeParameter').mockImplementation((name: string) => values[name]);
		const error = await rejection(executeOn({ node: 'textGeneration' }, context));
		expect(error).toHaveProperty('message', 'Unknown operation: text invent');
	});

	it('fails for each item with an invalid address: it may be an expression', async () => {
		const credential = { baseUrl: 'gateway', apiKey: 'sk-test' };
		const outputs = await attempt(generating({ items: numbered(2), settings: CONTINUE, credential }));
		const message = expect.stringContaining('base URL') as string;
		expect(outputs.map(({ json }) => json.error)).toMatchObject([{ message }, { message }]);
	});
});

it('each item has the settings that its expressions give', async () => {
	fault({ kind: 'error', code: 'service_unavailable' }, {}, 0);
	const options = { maxRetries: '={{ 2 * $itemIndex }}' };
	await gateway.generate(
		{ prompt: '={{ $json.prompt }}', options },
		{ items: numbered(2), settings: CONTINUE },
	);
	expect([0, 1].map((n) => sent().filter(says(`text ${n}`)).length)).toStrictEqual([1, 3]);
});

it('values that are too large to be kept are read again when the turn of their item comes', async () => {
	const size = 14 * 1024 * 1024;
	const prompt = `={{ 'x'.repeat(${size} + $itemIndex) }}`;
	fault({ kind: 'error', code: 'content_too_large' }, {}, 0);
	await gateway.generate({ prompt, options: { concurrency: 1 } }, { items: numbered(3), settings: CONTINUE });
	const sizes = sent().map(({ body }) => (body.bytes ?? 0) - size);
	expect(sizes.map((bytes) => bytes - (sizes[0] ?? 0))).toStrictEqual([0, 1, 2]);
});

it('a retry asks for what has failed, and for those for which 16 MB of results had no room', async () => {
	for (const [n, megabytes] of [9, 8, 6, 2].entries()) {
		const message = { content: 'x'.repeat(megabytes * 1024 * 1024) };
		fault(respondJson({ choices: [{ message }] }), { which: says(`text ${n}`) });
	}
	fault(REFUSED, { which: says('text 4') });
	const failed = await execute(text({ options: { concurrency: 1 } }), numbered(5));
	const before = sent().length;
	calm();
	expect((await failed.retry()).items()).toHaveLength(5);
	const asked = sent().slice(before);
	const isAsked = numbered(5).map((_, n) => asked.some(says(`text ${n}`)));
	expect(isAsked).toStrictEqual([false, true, false, true, true]);
});

describe('*Retry On Fail*', () => {
	const retrying = { retryOnFail: true, waitBetweenTries: 1 };
	/** How often the text of each item is sent. */
	const times = (count: number) => numbered(count).map((_, n) => sent().filter(says(`text ${n}`)).length);

	it.each([
		['when the first item fails', 0, [3, 1, 1], ['text 0', 'text 1', 'text 2']],
		// n8n does not run the node again for these.
		['only when the first item fails', 1, [1, 1, 1], ['text 0', 'failed', 'text 2']],
	])('with *On Error: Continue* is made %s, and leaves nothing in the execution', async (...row) => {
		const [, failing, expected, shown] = row;
		fault(REFUSED, { which: says(`text ${failing}`) }, 2);
		const settings = { ...retrying, ...CONTINUE };
		const { items, run } = await gateway.run(generating({ items: numbered(3), settings }));
		expect(items.map(({ json }) => json.text ?? 'failed')).toStrictEqual(shown);
		expect(times(3)).toStrictEqual(expected);
		expect(JSON.stringify(run.data.executionData?.contextData)).not.toContain('text 2');
	});

	it('reads the parameters and settings of the items that are sent again in each try', async () => {
		const variables = { word: 'first', concurrency: '1', retries: '0' };
		const isRefused = (request: RequestRecord) => {
			if (!says('text 2 first')(request)) return false;
			Object.assign(variables, { word: 'second', concurrency: '3', retries: '1' });
			return true;
		};
		fault({ kind: 'error', code: 'service_unavailable' }, { which: isRefused });
		const held = gateway.control.hold({ which: says('second') });
		void eventually(() => held.requests.length === 3).then(held.release, held.release);
		const { items, error } = await gateway.generate(
			{
				prompt: '={{ $json.prompt.replace("]]", " " + $vars.word + "]]") }}',
				options: { concurrency: '={{ $vars.concurrency }}', maxRetries: '={{ $vars.retries }}' },
			},
			{ items: numbered(5), settings: retrying, variables },
		);
		expect(error).toBeUndefined();
		// An item keeps the settings that it began with to the end of its try, so it is not sent again.
		const words = ['first', 'first', 'second', 'second', 'second'];
		expect(items.map(({ json }) => json.text)).toStrictEqual(words.map((word, n) => `text ${n} ${word}`));
		expect([sent().length, gateway.control.concurrency().max]).toStrictEqual([6, 3]);
	});

	it('keeps its results as they were when a later node changes its input', async () => {
		const node = generating({ items: numbered(2), settings: { ...retrying, ...CONTINUE } });
		fault(REFUSED, { which: says('text 0') });
		const execution = createRunExecutionData();
		const [, first] = await attempt(node, { execution });
		Object.assign(first ?? {}, { json: {} });
		const second = await attempt(node, { execution });
		expect(second.map(({ json }) => json.text)).toStrictEqual(['text 0', 'text 1']);
	});
});

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

it('the limiter gives a free slot to the work that has waited longest, also when more work arrives at that moment, and after errors', async () => {
	const arrival = fc.record({
		/** Event loop ticks before it arrives, and while it runs. */
		after: fc.integer({ min: 0, max: 6 }),
		lasts: fc.integer({ min: 0, max: 3 }),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 3 }),
			fc.array(arrival, { minLength: 1, maxLength: 15 }),
			async (max, arrivals) => {
				const limiter = new Limiter(max);
				const [came, started, failed]: [number[], number[], unknown[]] = [[], [], []];
				const load = { now: 0, most: 0 };
				const work = async (index: number) => {
					started.push(index);
					load.now += 1;
					load.most = Math.max(load.most, load.now);
					for (let left = arrivals[index]?.lasts ?? 0; left > 0; left -= 1) await tick();
					load.now -= 1;
					if (arrivals[index]?.fails) throw new Error(String(index));
					return index;
				};
				const results = arrivals.map(async ({ after }, index) => {
					for (let left = after; left > 0; left -= 1) await tick();
					came.push(index);
					return await limiter.run(() => work(index)).catch((error: unknown) => failed.push(error));
				});
				await Promise.all(results);
				expect(started).toStrictEqual(came);
				expect(load.most).toBeLessThanOrEqual(max);
				expect(failed).toHaveLength(arrivals.filter(({ fails }) => fails).length);
				// All slots are free again, and there are no more than those.
				const again = { now: 0, most: 0 };
				const one = async () => {
					again.now += 1;
					again.most = Math.max(again.most, again.now);
					await tick();
					again.now -= 1;
				};
				await Promise.all(Array.from({ length: max + 2 }, () => limiter.run(one)));
				expect(again.most).toBe(max);
			},
		),
		{ numRuns: 60 },
	);
});
