import { form } from '../helpers/media';
import { locator } from '../helpers/values';
import { freshTask, sendCallback } from '../nodes/mediaTaskTrigger/support';
import { useReports } from './support';

// A task that is paid for ends in the words of its gateway (§3.1).

const { gateway, run } = useReports();

const POLLS = '/async/media/tasks/*';
const LINK = 'https://files.example/a.png';
const files = (resultUrls: unknown = [LINK]) => ({ resultJson: JSON.stringify({ resultUrls }) });

/** The gateway responds to polls with these tasks, and then with the last one. */
function poll(...tasks: object[]): void {
	for (const [index, task] of tasks.entries()) {
		const text = JSON.stringify({ code: 200, msg: 'success', data: { model: 'aurora/canvas-1', ...task } });
		gateway.control.addFault({
			match: { path: POLLS },
			action: { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } },
			times: index === tasks.length - 1 ? 0 : 1,
		});
	}
}

const polls = () => gateway.control.requests({ path: POLLS }).length;

const image = (options: object = {}) => ({
	resource: 'image',
	operation: 'generate',
	model: locator('aurora/canvas-1'),
	prompt: 'A cat',
	input: form({ quality: 'draft', size: '512x512' }),
	downloadResults: false,
	options,
});

const ENDED: Array<[state: unknown, task: object, right: 'success' | 'fail']> = [
	['Success', files(), 'success'],
	[' SUCCESS ', {}, 'success'],
	['succeeded', files(), 'success'],
	['succeeded', {}, 'success'],
	['completed', files(), 'success'],
	[
		'COMPLETED',
		{ resultJson: '{"tracks":[{"id":"a","audioUrl":"https://files.example/a.mp3"}]}' },
		'success',
	],
	['done', { ...files([{ url: LINK }]), failCode: 0, failMsg: '' }, 'success'],
	[undefined, files(), 'success'],
	['FAIL', {}, 'fail'],
	['failed', {}, 'fail'],
	['failed', { failCode: 'MODERATION' }, 'fail'],
	['expired', { failMsg: 'It took too long' }, 'fail'],
	['CANCELLED', { failCode: 499, failMsg: null }, 'fail'],
];

describe.each(ENDED)('a task in state %j with %j', (state, task, right) => {
	test(`has ended with ${right}`, async () => {
		poll({ state, ...task });
		const { json } = await run('mediaTask', image());
		const shown = right === 'success' ? json : json.error;
		expect(shown).toMatchObject({ state: right, taskId: expect.any(String) as string });
		expect(polls()).toBe(1);
		expect(gateway.charges()).toBe(1);
	});

	test(`starts the trigger for ${right}`, async () => {
		poll({ state, ...task });
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
		const parameters = { downloadResults: false, events: right };
		const taskId = freshTask();
		const { item } = await sendCallback(parameters, { body: { taskId } }, { credential });
		expect(item?.json).toMatchObject({ taskId, state: right });
	});
});

const RUNNING: Array<[state: string, task: object]> = [
	['generating', files()],
	['GENERATING', { ...files(), failMsg: '' }],
	['processing', files()],
	['Waiting', {}],
	['RUNNING', {}],
	['queuing', { failCode: 0, failMsg: '' }],
	['queued', { resultJson: '{}' }],
	['in_progress', files()],
	['PENDING', { resultJson: null }],
];

test.each(RUNNING)('a task in state %j with %j goes on', async (state, task) => {
	poll({ state, ...task }, { state, ...task }, { state: 'success', ...files([LINK, LINK]) });
	const { json } = await run('mediaTask', image());
	expect(json).toMatchObject({ state: 'success', resultUrls: [LINK, LINK] });
	expect(polls()).toBe(3);
});

test('an unknown word with nothing is polled until *Max Wait*, and the error has the word', async () => {
	poll({ state: 'Paused' });
	const { json } = await run('mediaTask', image({ maxWait: 0.5 }));
	expect(json.error).toMatchObject({ code: 'wait_timeout', state: 'Paused', paid: true });
});

test.each<[string, object]>([
	['get', { simplify: true }],
	['wait', { downloadResults: false, simplify: true, options: {} }],
])('*%s* gives the state of §3.1, and the files', async (operation, more) => {
	poll({ state: 'Succeeded', ...files() });
	const { json } = await run('mediaTask', { resource: 'task', operation, taskId: 't-1', ...more });
	expect(json).toMatchObject({ taskId: 't-1', state: 'success', resultUrls: [LINK] });
});
