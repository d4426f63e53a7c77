import { image, useStories } from './support';

// An AI Agent asks its tool twice for the same picture, in one execution.

const { gateway, execute } = useStories();

/** A call of the tool. The ID is the model's. */
const call = (toolCallId: string, prompt = 'a cat') => [{ json: { prompt, toolCallId } }];
const tool = () => ({ ...image(), asTool: true });

it('the agent gets the same picture, pays once, and reads that another one needs another input', async () => {
	const first = await execute(tool(), call('call-1'));
	expect(JSON.stringify(first.items())).not.toMatch(/same task as before/i);
	const second = await first.callAgain(call('call-2'));
	expect(second.error).toBeUndefined();
	expect(gateway.charges()).toBe(1);
	const [task] = gateway.control.tasks();
	const output = second.items()[0]?.json;
	expect(output).toMatchObject({ taskId: task?.taskId, state: 'success', resultUrls: task?.resultUrls });
	expect(JSON.stringify(output)).toMatch(/same task as before/i);
	expect(JSON.stringify(output)).toMatch(/change/i);
});

it('the agent reads it a third time, too', async () => {
	const first = await execute(tool(), call('call-1'));
	const third = await (await first.callAgain(call('call-2'))).callAgain(call('call-3'));
	expect(gateway.charges()).toBe(1);
	expect(JSON.stringify(third.items())).toMatch(/same task as before/i);
});

it('the agent gets another picture for another input, without that note', async () => {
	const first = await execute(tool(), call('call-1'));
	const second = await first.callAgain(call('call-2', 'a dog'));
	expect(gateway.charges()).toBe(2);
	expect(JSON.stringify(second.items())).not.toMatch(/same task as before/i);
});

it('after a task that failed, the agent reads that the item keeps it, and pays for no other one', async () => {
	gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
	const first = await execute(tool(), call('call-1'));
	const second = await first.callAgain(call('call-2'));
	for (const execution of [first, second])
		expect(execution.items()[0]?.json.error).toMatch(/^The media task failed.*keeps its task/);
	expect(gateway.control.tasks()).toHaveLength(1);
});
