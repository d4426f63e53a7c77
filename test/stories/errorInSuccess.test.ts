import type { StoryNode } from './execution';
import { CONTINUE, image, prompts, useStories } from './support';

// The gateway's envelope has an error, and the response itself the status 200.

const { gateway, execute } = useStories();

const TASKS = '/async/media/tasks';
const get: StoryNode = {
	node: 'mediaTask',
	parameters: { resource: 'task', operation: 'get', taskId: '={{ $json.prompt }}' },
};
const IDS = prompts('9b2d7c1e-0000-4000-8000-000000000001', '9b2d7c1e-0000-4000-8000-000000000002');

/** What users read of an error with this status in the envelope. */
async function shown(code: number, msg: string, status: number, path: string, node: StoryNode) {
	gateway.control.addFault({
		match: { path },
		action: {
			kind: 'raw',
			status,
			body: { text: JSON.stringify({ code, msg, data: null }), contentType: 'application/json' },
		},
		times: 0,
	});
	const items = node === get ? IDS : prompts('a cat', 'a dog');
	const stopped = await execute(node, items.slice(1));
	const continued = await execute({ ...node, settings: CONTINUE }, items);
	const { message, description, httpCode } = stopped.error ?? {};
	gateway.control.clearFaults();
	return { message, description, httpCode, items: continued.errors() };
}

test.each<[number, string, string, StoryNode, RegExp]>([
	[402, 'Insufficient funds', TASKS, image(), /not enough money.*Nothing was charged/],
	[422, 'input.size: must be one of the values', TASKS, image(), /^'Size'.*Nothing was charged/],
	[403, 'The model is not on the plan', TASKS, image(), /plan.*Nothing was charged/],
	[404, 'Task not found', `${TASKS}/*`, get, /no such media task/],
])('a %d in the envelope, “%s”, is shown like one in the status', async (code, msg, path, node, words) => {
	const plain = await shown(code, msg, code, path, node);
	const wrapped = await shown(code, msg, 200, path, node);
	expect(wrapped).toStrictEqual(plain);
	expect(wrapped.httpCode).toBe(String(code));
	expect(`${wrapped.message} ${wrapped.description}`).toMatch(words);
	expect(wrapped.items).toHaveLength(2);
	expect(gateway.charges()).toBe(0);
});
