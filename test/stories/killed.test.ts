import { image, prompts, useStories } from './support';

// n8n is killed while it waits for pictures: it has stored the execution's start, and nothing of what the node has done.

const { gateway, execute, executeUntilKilled } = useStories();

const CATS = ['a grey cat', 'a red cat', 'a black cat'];
const taskOf = (prompt: string) =>
	gateway.control.tasks().find(({ input }) => input.prompt === prompt)?.taskId;

/** n8n is killed when three tasks have been created; later they end. */
async function killed() {
	gateway.control.configure({ taskDuration: { image: 10_000_000 } });
	const execution = await executeUntilKilled(3, image(), prompts(...CATS));
	for (const { taskId } of gateway.control.tasks()) await gateway.control.finishTask(taskId);
	gateway.control.configure({ taskDuration: { image: 0 } });
	return execution;
}

it('a retry returns the pictures that were begun, and pays nothing', async () => {
	const retried = await (await killed()).retryAfterKill();
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(3);
	expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(CATS.map(taskOf));
	expect(retried.items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([
		['data'],
		['data'],
		['data'],
	]);
});

it('a retry returns them also when n8n is killed a second time', async () => {
	const again = await (await killed()).retryAfterKill();
	const retried = await again.retryAfterKill();
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(3);
	expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(CATS.map(taskOf));
});

it('another execution makes pictures of its own', async () => {
	await killed();
	const other = await execute(image(), prompts(...CATS));
	expect(other.error).toBeUndefined();
	expect(gateway.charges()).toBe(6);
});
