import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { HumanMessage } from '@langchain/core/messages';
import { createRunExecutionData } from 'n8n-workflow';

import { asError } from '../../nodes/shared/gateway/errors/errors';
import { asObject } from '../../nodes/shared/gateway/util/json';
import { rubles as inRubles, multiplyDecimals } from '../../nodes/shared/gateway/util/money';
import { eventually } from '../helpers/time';
import { CONTINUE } from '../helpers/values';
import { rejection } from '../helpers/client';
import type { FaultAction } from '../../sandbox/gateway/gateway';
import type { StoryNode } from './execution';
import { image, prompts, respondJson, RETRY_ON_FAIL, says, text, useStories } from './support';

// What one execution counts: each call once, whatever comes between.

const { gateway, execute, disturb, calm, spent } = useStories();

const CREATIONS = { method: 'POST', path: '/async/media/tasks' };
const failTask = (times = 1) =>
	gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times } });
const sums = (gatewayCostRub: string, calls: number, withoutCost = 0) => ({
	gatewayCostRub,
	gatewayCalls: String(calls),
	gatewayCallsWithoutCost: String(withoutCost),
});
const keys = () =>
	gateway.control.requests(CREATIONS).map(({ headers }) => headers['idempotency-key'] as string);
const taskIds = (...executions: Array<{ items(): Array<{ json: { taskId?: unknown } }> }>) =>
	executions.flatMap((execution) => execution.items().map(({ json }) => json.taskId));

describe('two rows with the same words', () => {
	const CATS = prompts('a cat', 'a cat');

	it('the response to the second is lost: *Retry On Fail* finds its picture, and each row has its own', async () => {
		gateway.control.addFault({ match: { ...CREATIONS, nth: 2 }, action: { kind: 'loseResponse' } });
		const node = image({ options: { maxRetries: 0, concurrency: 1 } }, RETRY_ON_FAIL);
		const execution = await execute(node, CATS);
		expect(execution.error).toBeUndefined();
		expect(new Set(taskIds(execution)).size).toBe(2);
		expect([gateway.charges(), new Set(keys()).size]).toStrictEqual([2, 2]);
		expect(execution.sums).toStrictEqual(sums(spent(), 2));
	});

	it.each([
		['first', 0],
		['second', 1],
	])(
		'the task of the %s fails: a retry makes that one again, and the other row keeps its picture',
		async (_, row) => {
			gateway.control.configure({ taskDuration: { image: 10_000_000 } });
			const running = execute(image({ options: { concurrency: 1 } }), CATS);
			await eventually(() => gateway.charges() === 2);
			const made = gateway.control.tasks().map(({ taskId }) => taskId);
			for (const [index, taskId] of made.entries())
				await gateway.control.finishTask(
					taskId,
					index === row ? { failCode: 'MODERATION', failMsg: 'No' } : 'success',
				);
			const failed = await running;
			gateway.control.configure({ taskDuration: { image: 0 } });
			const retried = await failed.retry();
			expect(retried.error).toBeUndefined();
			const again = gateway.control.tasks()[2]?.taskId;
			expect(taskIds(retried)).toStrictEqual(made.map((taskId, index) => (index === row ? again : taskId)));
			expect(gateway.charges()).toBe(3);
			expect(retried.sums).toStrictEqual(sums(spent(2), 1));
		},
	);
});

describe('calls of a chat model under a limit', () => {
	const ask = [new HumanMessage('Hi')];

	/** A model with room for so many calls at a time. */
	async function limited(room: string) {
		const execution = createRunExecutionData();
		const withLimit = async (maxCostRub: number) =>
			(await gateway.chatModel({ execution, options: { maxTokens: 50, maxCostRub } })).lc;
		const refused = asError(await rejection((await withLimit(0.000_001)).invoke(ask)));
		const [, most = ''] = /may cost ₽([\d.]+)/.exec(refused.message) ?? [];
		return { execution, model: await withLimit(Number(multiplyDecimals(most, room))) };
	}

	it('in parallel: as many as fit are in flight, the others wait, and all are answered', async () => {
		const { execution, model } = await limited('2.9');
		const inFlight = gateway.control.hold({ path: '/chat/completions' });
		let first = 0;
		void eventually(() => inFlight.requests.length > 0).then(() => {
			first = inFlight.requests.length;
			inFlight.release();
		});
		await Promise.all(Array.from({ length: 5 }, async () => await model.invoke(ask)));
		expect([first, gateway.charges()]).toStrictEqual([2, 5]);
		expect(execution.resultData.metadata).toStrictEqual(sums(spent(), 5));
	});

	it('one that is given up while it waits, or as it is sent, holds only what it may cost if it was sent', async () => {
		let begun = 0;
		const note = () => void (begun += 1);
		subscribe('http.client.request.start', note);
		const outcomes = new Set<boolean>();
		for (let steps = 0; steps < 100; steps += 1) {
			await gateway.control.reset();
			const { execution, model } = await limited('1.5');
			const inFlight = gateway.control.hold({ path: '/chat/completions' });
			const first = model.invoke(ask);
			await eventually(() => inFlight.requests.length === 1);
			begun = 0;
			const left = new AbortController();
			const waiting = model.invoke(ask, { signal: left.signal }).catch(asError);
			inFlight.release();
			for (let step = 0; step < steps; step += 1) await new Promise((resolve) => setImmediate(resolve));
			left.abort(new Error('left'));
			const [, given] = await Promise.all([first, waiting]);
			// It has its answer.
			if (!(given instanceof Error)) break;
			const isSent = begun > 0;
			outcomes.add(isSent);
			const next = await model.invoke(ask).catch(asError);
			expect([steps, next instanceof Error]).toStrictEqual([steps, isSent]);
			expect(execution.resultData.metadata).toMatchObject({
				gatewayCalls: '2',
				gatewayCallsWithoutCost: isSent ? '1' : '0',
			});
		}
		unsubscribe('http.client.request.start', note);
		expect(outcomes.size).toBe(2);
	});
});

it.each<[number, charges: number, refusals: RegExp[]]>([
	[3.6, 2, []],
	[3.59, 1, [/may cost ₽1\.80.*spent ₽0, and up to ₽1\.80 for calls whose cost is unknown/s]],
])(
	'a task that fails in a node without a limit counts with its price for the next node, with a limit of ₽%d',
	async (maxCostRub, charges, refusals) => {
		failTask();
		const execution = await execute(
			[image({}, CONTINUE), image({ prompt: 'a dog', options: { maxCostRub } }, CONTINUE)],
			prompts('a cat'),
		);
		expect(gateway.charges()).toBe(charges);
		const texts = execution
			.errors('Gateway 2')
			.map(({ message, description }) => [message, description].join(' '));
		expect(texts).toStrictEqual(refusals.map((words) => expect.stringMatching(words) as string));
		expect(execution.sums).toStrictEqual(charges === 2 ? sums('1.8', 2, 1) : sums('0', 1, 1));
	},
);

it('a task of another execution that fails in *Wait* changes no sums', async () => {
	gateway.control.configure({ taskDuration: { image: 60_000 } });
	failTask();
	const created = await execute(image({ resource: 'task', operation: 'create' }), prompts('a cat'));
	const wait: StoryNode = {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'wait', taskId: String(taskIds(created)[0]), options: {} },
		settings: CONTINUE,
	};
	const other = await execute([wait, image({ prompt: 'a dog', options: { maxCostRub: 1.8 } })], prompts(''));
	expect(other.errors()).toMatchObject([{ code: 'MODERATION' }]);
	expect(other.error).toBeUndefined();
	expect(other.sums).toStrictEqual(sums('1.8', 1));
});

it('an own key in two nodes is one task for one content, and an error for another content', async () => {
	const ordered = (prompt: string) => image({ prompt, options: { idempotencyKey: 'order-7' } }, CONTINUE);
	const execution = await execute([ordered('a cat'), ordered('a cat'), ordered('a dog')], prompts(''));
	const ids = ['Gateway', 'Gateway 2'].map((node) => execution.items(node)[0]?.json.taskId);
	expect(ids).toStrictEqual(Array(2).fill(gateway.control.tasks()[0]?.taskId));
	expect(execution.errors('Gateway 3')).toMatchObject([{ param: 'idempotencyKey' }]);
	expect([gateway.charges(), execution.sums]).toStrictEqual([1, sums('0', 1, 1)]);
});

describe('a prompt with `$now`, and the response to its creation is lost', () => {
	const node = (settings = {}) =>
		image({ prompt: '=a cat at {{ $now.toMillis() }}', options: { maxRetries: 0 } }, settings);
	const lose = () => gateway.control.addFault({ match: CREATIONS, action: { kind: 'loseResponse' } });

	it('*Retry On Fail* sends the key of the record, and pays once', async () => {
		lose();
		const execution = await execute(node(RETRY_ON_FAIL), prompts(''));
		expect(execution.error).toBeUndefined();
		expect([new Set(keys()).size, keys().length, gateway.charges()]).toStrictEqual([1, 2, 1]);
		expect(execution.sums).toStrictEqual(sums(spent(), 1));
	});

	it('a retry does, too, also a retry of the retry', async () => {
		lose();
		lose();
		const lost = await (await execute(node(), prompts(''))).retry();
		const retried = await lost.retry();
		expect(retried.error).toBeUndefined();
		expect([new Set(keys()).size, keys().length, gateway.charges()]).toStrictEqual([1, 3, 1]);
		expect(retried.sums).toStrictEqual(sums(spent(), 1));
	});
});

it('a lost creation stays in doubt when a retry of the edited node, with the same request, is refused', async () => {
	gateway.control.addFault({ match: CREATIONS, action: { kind: 'loseResponse' } });
	gateway.control.addFault({ match: CREATIONS, action: { kind: 'error', code: 'insufficient_quota' } });
	const lost = await execute(image({ options: { maxRetries: 0 } }), prompts('a cat'));
	const refused = await lost.retry({ prompt: '={{ $json.prompt.trim() }}' });
	expect(refused.errorText).toMatch(/not enough money.*may have been created and charged/s);
	const retried = await refused.retry();
	expect(retried.error).toBeUndefined();
	expect([new Set(keys()).size, gateway.charges()]).toStrictEqual([1, 1]);
});

it('a task that fails after *Create* has no known cost when *Get Tasks of This Execution* finds it', async () => {
	failTask();
	const parameters = { resource: 'task', operation: 'getFromExecution', options: {} };
	const create = image({ resource: 'task', operation: 'create' });
	const execution = await execute([create, { node: 'mediaTask', parameters }], prompts('a cat'));
	expect(execution.items('Gateway 2')[0]?.json.state).toBe('fail');
	expect(execution.sums).toStrictEqual(sums('0', 1, 1));
});

it('a task fails whose ID a poll spells in another way: it has no known cost, and a retry makes another one', async () => {
	gateway.control.configure({ taskDuration: { image: 60_000 } });
	const running = execute(image(), prompts('a cat'));
	await eventually(() => gateway.charges() === 1);
	const [{ taskId = '' } = {}] = gateway.control.tasks();
	disturb(
		({ path }) => path.endsWith(taskId),
		respondJson({ data: { taskId: taskId.toUpperCase(), state: 'fail', failMsg: 'No' } }),
	);
	const failed = await running;
	expect(failed.sums).toStrictEqual(sums('0', 1, 1));
	gateway.control.configure({ taskDuration: { image: 0 } });
	expect((await failed.retry()).error).toBeUndefined();
	expect(gateway.charges()).toBe(2);
});

it('the hint of a retry of a retry has what all executions before have cost', async () => {
	const node = text({ options: { concurrency: 1 } });
	const rows = prompts('[[say:one]]', '[[say:two two]]', '[[say:three three three]]');
	disturb(says('two two'), { kind: 'error', code: 'invalid_request' });
	const first = await execute(node, rows);
	disturb(says('three three'), { kind: 'error', code: 'invalid_request' });
	const second = await first.retry();
	calm();
	const third = await second.retry();
	expect([first, second, third].map((execution) => execution.sums)).toStrictEqual([
		sums(spent(0, 1), 1),
		sums(spent(1, 2), 1),
		sums(spent(2), 1),
	]);
	const [so, before] = [spent(2), spent(0, 2)].map(inRubles);
	expect(third.hints()).toContain(`(execution so far: ${so}; before this retry: ${before})`);
});

it('a cost below zero counts as zero: for the item, the hint, the sums and the limit', async () => {
	const message = { role: 'assistant', content: 'Hi' };
	const body = { id: 'c1', choices: [{ message, finish_reason: 'stop' }], usage: { cost_rub: -5 } };
	gateway.control.addFault({ match: { method: 'POST' }, action: respondJson(body) });
	const options = { maxTokens: 50, maxCostRub: 1 };
	const execution = await execute(
		[text({ options }), image({ prompt: 'a cat', options: { maxCostRub: 1.8 } })],
		prompts('Hi'),
	);
	expect(execution.items()[0]?.json.costRub).toBe(0);
	expect(execution.hints()).not.toMatch(/-/);
	expect(execution.sums).toStrictEqual(sums('1.8', 2));
	expect(execution.error).toBeUndefined();
});

it('a creation whose response is lost, and whose repetition is refused, may have been charged: a retry gets its task', async () => {
	const refusal = { kind: 'error', code: 'insufficient_quota' } as const;
	for (const action of [{ kind: 'loseResponse' } as const, refusal])
		gateway.control.addFault({ match: CREATIONS, action });
	const failed = await execute(image(), prompts('a cat'));
	expect(failed.errorText).toContain('may have been created and charged');
	expect(failed.errorText).not.toContain('not charged');
	expect(failed.sums).toStrictEqual(sums('0', 1, 1));
	calm();
	const retried = await failed.retry();
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(1);
});

describe('an own key that is an e-mail address', () => {
	const keyed = image({ options: { idempotencyKey: '={{ $json.prompt }}@example.com' } });

	it.each<[string, FaultAction | undefined]>([
		['makes a picture', undefined],
		['is lost', { kind: 'loseResponse' }],
		['is refused', { kind: 'error', code: 'invalid_request' }],
	])('is not in what n8n stores of the nodes when it %s, and a retry sends it', async (_, action) => {
		// The second item fails, so that the records stay.
		disturb(says('second'), { kind: 'error', code: 'invalid_request' });
		if (action) disturb(says('first'), action);
		const failed = await execute(keyed, prompts('first', 'second'));
		const stored = JSON.stringify(failed.contexts);
		expect(stored).toContain('aiGatewayLedger');
		expect(stored).not.toContain('example.com');
		calm();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect([gateway.charges(), new Set(keys())]).toStrictEqual([
			2,
			new Set(['first@example.com', 'second@example.com']),
		]);
	});
});

describe('calls that wait for a limit', () => {
	const tasksOf = () => gateway.control.requests(CREATIONS).map(({ body }) => JSON.stringify(body.json));

	it.each([
		[
			'costs its price: the next one is refused for what is spent',
			false,
			['success', 'success', 'maxCostRub'],
		],
		['is refused by the gateway: the next one is sent', true, ['success', null, 'success']],
	])(
		'a repetition is sent at once, and may exceed the limit; the first in flight %s',
		async (_, isRefused, states) => {
			// One is lost, and two are not charged.
			disturb(says('a cow'), { kind: 'loseResponse' });
			gateway.control.addFault({
				match: CREATIONS,
				action: { kind: 'error', code: 'service_unavailable' },
				times: 2,
			});
			const rows = prompts('a cow', 'a cat', 'a dog');
			const failed = await execute(image({ options: { maxRetries: 0 } }), rows);
			expect(gateway.charges()).toBe(1);
			calm();
			const refusal = { kind: 'error', code: 'invalid_request' } as const;
			if (isRefused) gateway.control.addFault({ match: { which: says('a cat') }, action: refusal });
			const sent = tasksOf().length;
			const inFlight = gateway.control.hold({ which: says('a cat') });
			const seen: string[][] = [];
			void eventually(() => inFlight.requests.length === 1 && tasksOf().length >= sent + 2).then(() => {
				seen.push(tasksOf().slice(sent));
				inFlight.release();
			});
			const retried = await failed.retry({ options: { maxRetries: 0, maxCostRub: 3.6 } }, CONTINUE);
			expect(seen[0]?.map((body) => /a (cat|dog|cow)/.exec(body)?.[1]).sort()).toStrictEqual(['cat', 'cow']);
			expect(gateway.charges()).toBe(2);
			expect(retried.items().map(({ json }) => json.state ?? asObject(json.error)?.param)).toStrictEqual(
				states,
			);
		},
	);
});
