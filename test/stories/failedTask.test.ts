import { image, prompts, RETRY_ON_FAIL, useStories } from './support';

// A task fails. Within its execution, it stays the answer; a retry of the execution creates another one in its place.

const { gateway, execute, disturb, calm } = useStories();

const tasks = () => gateway.control.tasks();
const failedIds = () => tasks().flatMap(({ state, taskId }) => (state === 'fail' ? [taskId] : []));

/** Three pictures are requested; the task of one fails. */
async function failedTask() {
	gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
	const failed = await execute(image(), prompts('a cat', 'a dog', 'a cow'));
	expect(failed.errorText).toContain('The media task failed');
	expect([gateway.charges(), failedIds().length]).toStrictEqual([3, 1]);
	return failed;
}

it('*Retry On Fail* creates no other task, and the error says why', async () => {
	gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
	const { errorText } = await execute(image({}, RETRY_ON_FAIL), prompts('a cat'));
	expect(errorText).toMatch(/within this execution, the item keeps its task/);
	expect(tasks()).toHaveLength(1);
});

it('a retry pays for one more task, and returns its picture', async () => {
	const failed = await failedTask();
	const retried = await failed.retry();
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(4);
	const ids = retried.items().map(({ json }) => json.taskId);
	expect(new Set(ids)).toStrictEqual(
		new Set(tasks().flatMap(({ state, taskId }) => (state === 'success' ? [taskId] : []))),
	);
});

it('when the response to that task’s creation is lost, the next retry returns its picture, and pays nothing', async () => {
	const failed = await failedTask();
	const first = tasks().map(({ idempotencyKey }) => idempotencyKey);
	disturb(
		({ group, headers }) => group === 'mediaCreate' && !first.includes(String(headers['idempotency-key'])),
		{ kind: 'loseResponse' },
	);
	const lost = await failed.retry();
	expect(lost.error).toBeDefined();
	expect(gateway.charges()).toBe(4);
	calm();
	const retried = await lost.retry();
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(4);
	const ids = retried.items().map(({ json }) => json.taskId);
	expect(ids).toContain(tasks()[3]?.taskId);
	expect(ids).not.toContain(failedIds()[0]);
	// Whether a failed task is charged, nobody knows.
	const paid = new RegExp(`${failedIds()[0]} (is|was) paid`);
	for (const { errorText } of [failed, lost]) expect(errorText).not.toMatch(paid);
	expect(lost.errorText).not.toContain('Nothing was charged');
	expect(lost.errorText).toMatch(/may have been (created|charged)/);
});
