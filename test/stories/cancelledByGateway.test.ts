import { CONTINUE, image, prompts, says, useStories } from './support';

// The gateway, or something before it, says that a creation was cancelled or took too long, after the task was created.

const { gateway, execute, disturb, calm } = useStories();

/** The task is created; the response has this status. */
function respond(status: number): void {
	const text = JSON.stringify({ code: status, msg: 'The request ended early', data: null });
	const body = { text, contentType: 'application/json' };
	disturb(says('a cat'), { kind: 'raw', status, body, afterEffect: true });
}

describe.each([499, 408])('the response to a creation is a %d', (status) => {
	it('the error does not say that nothing was charged; a retry returns the picture, and pays nothing', async () => {
		respond(status);
		const failed = await execute(image(), prompts('a cat'));
		expect(gateway.charges()).toBe(1);
		expect(failed.errorText).not.toContain('Nothing was charged');
		expect(failed.errorText).toMatch(/may have been (created|charged)/);
		expect(failed.error?.httpCode).toBe(String(status));
		calm();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(
			gateway.control.tasks().map(({ taskId }) => taskId),
		);
		expect(gateway.charges()).toBe(1);
	});

	it('the error item says that it may be charged; the others have their pictures', async () => {
		respond(status);
		const execution = await execute(image({}, CONTINUE), prompts('a cat', 'a dog', 'a cow'));
		expect(gateway.charges()).toBe(3);
		const errors = execution.errors();
		expect(errors).toHaveLength(1);
		expect(errors[0]).toMatchObject({ httpCode: String(status), mayBeCharged: true, retryable: false });
		expect(errors[0]?.description).not.toContain('Nothing was charged');
		expect(execution.items().filter(({ json }) => json.state === 'success')).toHaveLength(2);
	});
});
