import { form, locator } from '../helpers/values';
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
	['success', { model: undefined, ...files() }, 'success'],
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
		expect(shown).toHaveProperty('model', 'aurora/canvas-1');
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

test('a task that failed with a file is an error that has its URL', async () => {
	const inResult = `data:audio/mpeg;base64,${'A'.repeat(20_000)}`;
	poll({ state: 'fail', failMsg: 'The second track is missing', ...files([LINK, inResult]) });
	const { json } = await run('mediaTask', image());
	const description = expect.stringMatching(`Files that it has made: ${LINK}\\.`) as string;
	expect(json.error).toMatchObject({ code: 'task_failed', state: 'fail', resultUrls: [LINK], description });
});

const RUNNING: Array<[state: string, task: object]> = [
	['generating', files()],
	['GENERATING', { ...files(), failMsg: '' }],
	['processing', files()],
	['Waiting', {}],
	['RUNNING', {}],
	['queuing', { failCode: 0, failMsg: '' }],
	['queued', { resultJson: '{}' }],
	['queued', files()],
	['Submitted', files()],
	['SCHEDULED', { ...files(), failMsg: 'Waits for a slot' }],
	['in queue', files()],
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

describe('an empty result file', () => {
	const EMPTY = { kind: 'raw', status: 200, body: 'empty' } as const;
	const FILES = { host: 'files' } as const;
	const fetched = () => gateway.control.requests(FILES).length;
	const twoFiles = () => {
		const { url } = gateway.control.createBigFile({ size: 2_000, mimeType: 'image/png' });
		const other = gateway.control.createBigFile({ size: 2_000, mimeType: 'image/png' });
		poll({ state: 'success', ...files([url, other.url]) });
		gateway.control.addFault({ match: FILES, action: EMPTY, times: 0 });
	};

	test('is fetched once by the trigger, which starts the workflow with the error', async () => {
		twoFiles();
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
		const start = Date.now();
		const taskId = freshTask();
		const { item, status } = await sendCallback({}, { body: { taskId } }, { credential });
		expect(item?.json).toMatchObject({ taskId, state: 'success', downloadError: { code: 'empty_file' } });
		expect([status, fetched()]).toStrictEqual([200, 1]);
		expect(Date.now() - start).toBeLessThan(1_000);
	});

	test.each<[string, object]>([
		['*Generate*', { ...image(), downloadResults: true }],
		['*Wait*', { resource: 'task', operation: 'wait', taskId: 't-1', options: {} }],
	])('is an error of %s that says how to get the others', async (_, parameters) => {
		twoFiles();
		const { json } = await run('mediaTask', parameters);
		expect(json.error).toMatchObject({
			message: 'The file is empty',
			description: expect.stringContaining("The operation 'Get' returns the URLs of all files") as string,
			retryable: false,
		});
		expect(fetched()).toBe(1);
	});

	test('at the URL of an upload is an error, and nothing is sent', async () => {
		const { url } = gateway.control.createBigFile({ size: 2_000, mimeType: 'image/png' });
		gateway.control.addFault({ match: FILES, action: EMPTY, times: 0 });
		const upload = { resource: 'file', operation: 'upload', uploadSource: 'url', url };
		const { json, sent } = await run('storage', upload);
		expect(json.error).toMatchObject({ message: 'The file is empty', retryable: false });
		expect([fetched(), sent]).toStrictEqual([1, []]);
	});
});

// A file, or thousands of numbers, would cost tokens in each further request of the agent.
describe('as a tool of an agent, without *Simplify*', () => {
	const DATA_URL = `data:image/png;base64,${'A'.repeat(20_000)}`;
	const asTool = async (operation: string, parameters: object) => {
		const { items } = await gateway.media(operation, { simplify: false, ...parameters }, { asTool: true });
		return items.map(({ json }) => json);
	};

	test('*Get Lyrics* gives the words without the waveform', async () => {
		const alignedWords = [{ word: 'La', success: true, startS: 0, endS: 1, palign: 0 }];
		const data = { alignedWords, waveformData: Array.from({ length: 3_000 }, () => 0.123), hootCer: 0.1 };
		const text = JSON.stringify({ code: 200, msg: 'success', data });
		gateway.control.addFault({
			match: { path: `${POLLS}/lyrics/timestamped` },
			action: { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } },
		});
		const lyrics = { taskId: 't-1', audioId: 'a-1', alignedWords, hootCer: 0.1 };
		expect(await asTool('getLyrics', { taskId: 't-1', audioId: 'a-1', options: {} })).toStrictEqual([lyrics]);
	});

	test.each<[string, object]>([
		['get', {}],
		['wait', { options: {} }],
		['getMany', { returnAll: true, options: {} }],
	])('*%s* gives the beginning of a data URL', async (operation, more) => {
		const task = { taskId: 't-1', state: 'success', ...files([DATA_URL]) };
		poll(task);
		const text = JSON.stringify({ data: [task] });
		gateway.control.addFault({
			match: { path: '/async/media/tasks', method: 'GET' },
			action: { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } },
		});
		const [json] = await asTool(operation, { taskId: 't-1', ...more });
		expect(json).toMatchObject({ taskId: 't-1', resultUrls: [`${DATA_URL.slice(0, 80)}…`] });
		expect(JSON.stringify(json).length).toBeLessThan(300);
	});
});

// §3.1: images every 3 to 5 s, all others every 5 to 10 s.
test.each([
	['image', 'aurora/canvas-1', 3_000, 5_000],
	['video', 'lumen/motion-2', 5_000, 7_000],
	['music', 'harmonia/song-3', 5_000, 7_000],
	['speech', 'voxa/speech-1', 5_000, 7_000],
])('%s is polled in its pace from the beginning', async (resource, model, least, most) => {
	poll({ state: 'processing' }, { state: 'success', ...files() });
	const parameters = { ...image(), resource, model: locator(model), input: form({}) };
	await run(
		'mediaTask',
		parameters,
		Array.from({ length: 8 }, (_, n) => ({ json: { n } })),
	);
	const created = gateway.control.requests({ path: '/async/media/tasks', method: 'POST' });
	const first = gateway.control.requests({ path: POLLS }).slice(0, 8);
	expect([created.length, first.length]).toStrictEqual([8, 8]);
	for (const { startedAt } of first) {
		expect(startedAt - (created[0]?.endedAt ?? NaN)).toBeGreaterThanOrEqual(least);
		expect(startedAt - (created.at(-1)?.endedAt ?? NaN)).toBeLessThanOrEqual(most + 500);
	}
});
