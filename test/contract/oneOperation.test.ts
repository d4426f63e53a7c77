import type { RunOptions } from '../helpers/engine';
import { quickTime } from '../helpers/time';
import { filled, useGateway } from './support';

// One operation has one idempotency key (§4.6), whatever its expressions evaluate to the second time.

const gateway = useGateway();

const MODEL = 'aurora/canvas-1';
/** A node that creates tasks and waits for them. */
const draw = (more: object = {}) => ({
	node: 'mediaTask' as const,
	parameters: {
		resource: 'task',
		operation: 'createAndWait',
		downloadResults: false,
		...filled(MODEL, { prompt: '={{ $json.prompt ?? $json.query }}' }),
		...more,
	} as RunOptions['parameters'],
});
const prompts = (...texts: string[]) => texts.map((prompt) => ({ json: { prompt } }));
const failOnce = () =>
	gateway.control.configure({ taskFailure: { code: 'policy', message: 'no', times: 1 } });

describe('an agent’s tool', () => {
	quickTime();

	const call = (toolCallId: string, query: string) => ({
		...draw(),
		asTool: true,
		items: [{ json: { query, toolCallId } }],
	});

	it('that is called again with another ID of the model: one task', async () => {
		const first = await gateway.run(call('call_1', 'a cat'));
		const second = await gateway.again(first, call('call_2', 'a cat'));
		expect(second.items[0]?.json.taskId).toBe(first.items[0]?.json.taskId);
		expect(gateway.charges()).toBe(1);
	});
});

describe('a retry of a failed execution', () => {
	quickTime();

	it('finds the tasks that the first one has created', async () => {
		gateway.control.addFault({
			match: { method: 'POST', path: '/async/media/tasks', nth: 2 },
			action: { kind: 'error', code: 'insufficient_quota' },
		});
		const options = { ...draw({ options: { concurrency: 1 } }), items: prompts('a', 'b') };
		const first = await gateway.run(options);
		expect([first.error !== undefined, gateway.charges()]).toStrictEqual([true, 1]);
		const { error, items } = await gateway.again(first, { ...options, executionId: 'execution-2' });
		expect([error, items.length, gateway.charges()]).toStrictEqual([undefined, 2, 2]);
	});
});

it('a retry of a failed execution creates a task again that has failed; Retry On Fail does not', async () => {
	failOnce();
	const options = { ...draw(), items: prompts('a') };
	const first = await gateway.run({
		...options,
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	});
	expect(first.error?.message).toBe('The media task failed');
	expect(first.error?.description).toContain('within this execution');
	expect(gateway.control.tasks()).toHaveLength(1);
	await new Promise((resolve) => setTimeout(resolve, 3_100));
	const second = await gateway.again(first, { ...options, executionId: 'execution-2' });
	expect([second.error, gateway.control.tasks().length]).toStrictEqual([undefined, 2]);
	const third = await gateway.again(first, { ...options, executionId: 'execution-3' });
	expect(third.items[0]?.json.taskId).toBe(second.items[0]?.json.taskId);
});

describe('Idempotency Scope: Workflow', () => {
	const shared = (more: object = {}) =>
		draw({ options: { idempotencyScope: 'workflow', maxRetries: 0 }, ...more });

	it('creates nothing when the catalogue cannot be read: the defaults of the form are part of the key', async () => {
		await gateway.run({ ...shared(), items: prompts('a') });
		gateway.control.addFault({
			match: { path: '/media/models' },
			action: { kind: 'error', code: 'internal_error' },
			times: 0,
		});
		const { error } = await gateway.run({ ...shared(), items: prompts('a'), executionId: 'execution-2' });
		expect(error?.httpCode).toBe('500');
		expect(gateway.charges()).toBe(1);
	});

	it('creates a task again that failed in an earlier execution, once', async () => {
		failOnce();
		const inExecution = async (executionId: string) =>
			await gateway.run({ ...shared(), items: prompts('a'), executionId });
		expect((await inExecution('e1')).error?.message).toBe('The media task failed');
		expect(gateway.control.tasks()).toHaveLength(1);
		await new Promise((resolve) => setTimeout(resolve, 3_100));
		const second = await inExecution('e2');
		expect([second.error, gateway.control.tasks().length]).toStrictEqual([undefined, 2]);
		expect((await inExecution('e3')).items[0]?.json.taskId).toBe(second.items[0]?.json.taskId);
		expect(gateway.control.tasks()).toHaveLength(2);
	});

	it('does not create a task again for a tool that is called again in the execution', async () => {
		gateway.control.configure({ taskFailure: { code: 'policy', message: 'no', times: 0 } });
		const call = { ...shared(), asTool: true, items: [{ json: { query: 'a cat' } }] };
		const first = await gateway.run(call);
		await new Promise((resolve) => setTimeout(resolve, 3_100));
		await gateway.again(first, call);
		expect(gateway.control.tasks()).toHaveLength(1);
	});

	it('pays once after a retry of the execution', async () => {
		failOnce();
		const options = { ...shared(), items: prompts('a') };
		await gateway.run({ ...options, executionId: 'e1' });
		await new Promise((resolve) => setTimeout(resolve, 3_100));
		failOnce();
		const second = await gateway.run({ ...options, executionId: 'e2' });
		expect(second.error?.message).toBe('The media task failed');
		await new Promise((resolve) => setTimeout(resolve, 3_100));
		const third = await gateway.again(second, { ...options, executionId: 'e3' });
		const fourth = await gateway.run({ ...options, executionId: 'e4' });
		expect(fourth.items[0]?.json.taskId).toBe(third.items[0]?.json.taskId);
		expect(gateway.control.tasks()).toHaveLength(3);
	});

	it('does not create a task again that has just failed', async () => {
		gateway.control.configure({ taskFailure: { code: 'policy', message: 'no', times: 0 } });
		await gateway.run({ ...shared(), items: prompts('a') });
		expect(gateway.control.tasks()).toHaveLength(1);
	});
});

it('no key of the credential is stored with an execution', async () => {
	gateway.control.configure({ taskFailure: { code: 'policy', message: 'no', times: 0 } });
	const { run } = await gateway.run({
		...draw({ options: { idempotencyKey: 'order 7' } }),
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		items: prompts('a'),
	});
	const stored = JSON.stringify(run.data);
	expect(stored).toContain('aiGatewayJournal');
	expect(stored).not.toContain(gateway.apiKey);
});
