import { locator } from '../contract/support';
import { form } from '../helpers/media';
import { CONTINUE, image, prompts, useStories } from './support';

// The user's own *Idempotency Key*, in a workflow that uses it more than once.

const { gateway, execute } = useStories();

const SAME_KEY = /key.*same for two different inputs/i;
const order = (parameters = {}) => image({ options: { idempotencyKey: 'order-7' }, ...parameters });

describe('one key in each round of a loop', () => {
	it('is an error when the prompts differ: the second picture would be the first one', async () => {
		const execution = await execute(order(), prompts('a cat'), { rounds: [prompts('a dog')] });
		expect(execution.errorText).toMatch(SAME_KEY);
		expect(gateway.charges()).toBe(1);
		expect(gateway.control.tasks().map(({ input }) => input.prompt)).toStrictEqual(['a cat']);
	});

	it('returns the same picture in each round when the prompts are the same, and pays once', async () => {
		const execution = await execute(order(), prompts('a cat'), {
			rounds: [prompts('a cat'), prompts('a cat')],
		});
		expect(execution.error).toBeUndefined();
		const tasks = gateway.control.tasks().map(({ taskId }) => taskId);
		expect(tasks).toHaveLength(1);
		expect(execution.items().map(({ json }) => json.taskId)).toStrictEqual([...tasks, ...tasks, ...tasks]);
		expect(gateway.charges()).toBe(1);
	});

	it('makes as many pictures as the key has values', async () => {
		const keyed = order({ options: { idempotencyKey: '=order-{{ $json.prompt }}' } });
		const execution = await execute(keyed, prompts('a cat', 'a dog'), {
			rounds: [prompts('a cow', 'a cat')],
		});
		expect(execution.error).toBeUndefined();
		const drawn = execution.items().map(({ json }) => json.taskId);
		expect(new Set(drawn).size).toBe(3);
		expect(drawn[3]).toBe(drawn[0]);
		expect(gateway.charges()).toBe(3);
	});
});

it('one key in two nodes of an execution is an error at the second: it is no video, but the picture', async () => {
	const video = order({
		resource: 'video',
		model: locator('lumen/motion-2'),
		prompt: 'waves',
		input: form({ duration: 5 }),
	});
	const execution = await execute([order(), video], prompts('a cat'));
	expect(execution.items('Gateway')).toHaveLength(1);
	expect(execution.errorText).toMatch(SAME_KEY);
	expect(gateway.charges()).toBe(1);
});

describe('the gateway refuses the first request with a key', () => {
	beforeEach(() =>
		gateway.control.addFault({
			match: { method: 'POST' },
			action: { kind: 'error', code: 'invalid_request' },
		}),
	);

	it('the picture that the second one makes is in the cost of the execution', async () => {
		const node = image({ options: { idempotencyKey: 'order-7', maxCostRub: 100 } }, CONTINUE);
		const execution = await execute(node, prompts('a cat', 'a cat', 'a cat'), { rounds: [prompts('a cat')] });
		expect(gateway.charges()).toBe(1);
		expect(execution.hints()).toMatch(/calls of unknown cost: 1\b/);
	});

	it('a retry with a corrected prompt makes its picture', async () => {
		const failed = await execute(order(), prompts('a cat'));
		expect(failed.errorText).toContain('Nothing was charged');
		const retried = await failed.retry({ prompt: '={{ $json.prompt }}, sitting' });
		expect(retried.error).toBeUndefined();
		expect(gateway.control.tasks().map(({ input }) => input.prompt)).toStrictEqual(['a cat, sitting']);
	});
});
