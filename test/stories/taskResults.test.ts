import type { IBinaryData } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/gateway/control/types';
import { binaryStorage } from '../helpers/engine';
import type { Execution, StoryNode } from './execution';
import { image, prompts, useStories } from './support';

// Results of tasks in other shapes than those that the specification shows (§2.6).

const { gateway, execute } = useStories();

const TASKS = '/async/media/tasks';
const IDS = prompts('9b2d7c1e-0000-4000-8000-000000000001', '9b2d7c1e-0000-4000-8000-000000000002');
const task = (operation: string, parameters: object = {}): StoryNode => ({
	node: 'mediaTask',
	parameters: { resource: 'task', operation, taskId: '={{ $json.prompt }}', ...parameters },
});
const NODES: Array<[string, StoryNode]> = [
	['Generate', image()],
	['Wait', task('wait')],
	['Download', task('download')],
];

const answer = (path: string, action: FaultAction) =>
	gateway.control.addFault({ match: { method: 'GET', path }, action, times: 0 });
const json = (body: object, status = 200): FaultAction => ({
	kind: 'raw',
	status,
	body: { text: JSON.stringify(body), contentType: 'application/json' },
});
const NO_FILE = { kind: 'error', code: 'not_found' } as const;

/** Each task ends with this result, and the gateway's download gives this. */
function end(resultJson: unknown, download: FaultAction) {
	answer(`${TASKS}/*/download`, download);
	const text = typeof resultJson === 'string' ? resultJson : JSON.stringify(resultJson);
	answer(`${TASKS}/*`, json({ code: 200, msg: 'success', data: { state: 'success', resultJson: text } }));
}

const content = async (file: IBinaryData | undefined) =>
	file && String(await (await binaryStorage()).getAsBuffer(file));

/** Name, type and content of each file of the first item. */
async function filesOf(execution: Execution) {
	const files = Object.entries(execution.items()[0]?.binary ?? {});
	return await Promise.all(
		files.map(async ([field, file]) => [field, file.fileName, file.mimeType, await content(file)]),
	);
}

describe.each(NODES)('%s', (name, node) => {
	test.each<[unknown, object]>([
		[{ caption: 'a fox' }, { result: { caption: 'a fox' } }],
		['a fox', { result: 'a fox' }],
		['["a","fox"]', { result: ['a', 'fox'] }],
		[{ resultUrls: [], caption: 'a fox' }, { result: { caption: 'a fox' } }],
		[{ resultUrls: ['/a.png'] }, { resultUrls: ['/a.png'] }],
		[{ tracks: ['t1'] }, { result: { tracks: ['t1'] } }],
		[{ tracks: { id: 't1' } }, { tracks: [{ id: 't1' }] }],
	])('a task without a file gives its result, and a hint: %j', async (resultJson, output) => {
		end(resultJson, NO_FILE);
		const items = name === 'Generate' ? prompts('a cat', 'a dog') : IDS;
		const execution = await execute(node, items);
		expect(execution.error).toBeUndefined();
		expect(execution.items()).toHaveLength(2);
		expect(execution.items()[0]?.json).toMatchObject({ state: 'success', ...output });
		expect(execution.items()[0]?.binary).toBeUndefined();
		expect(execution.hints()).toMatch(/without a file/);
		expect(gateway.charges()).toBe(name === 'Generate' ? 2 : 0);
	});

	test.each<unknown>(['', '{}', 'null', { resultUrls: null }])(
		'a task with neither a file nor a result is an error with its ID: %j',
		async (resultJson) => {
			end(resultJson, NO_FILE);
			const { error } = await execute(node, name === 'Generate' ? prompts('a cat') : IDS.slice(1));
			expect(error?.message).toBe('The gateway has no such media task');
		},
	);

	test.each<[object, string]>([
		[{ code: 402, msg: 'Insufficient funds', data: null }, 'There is not enough money in the gateway wallet'],
		[{ error: { message: 'No key', code: 'invalid_api_key' } }, 'The gateway refused the API key'],
	])('an error in place of the file is that error: %j', async (body, message) => {
		end({ seed: 7 }, json(body));
		const execution = await execute(node, name === 'Generate' ? prompts('a cat') : IDS.slice(1));
		expect(execution.error?.message).toBe(message);
		expect(execution.items()).toStrictEqual([]);
	});

	test('a file to which the gateway redirects is fetched without the key', async () => {
		const { url, size } = gateway.control.createBigFile({ size: 3_000 });
		end({ seed: 7 }, { kind: 'redirect', location: url, status: 302 });
		const execution = await execute(node, name === 'Generate' ? prompts('a cat') : IDS.slice(1));
		expect(execution.error).toBeUndefined();
		const [[field, , type, text] = []] = await filesOf(execution);
		expect([field, type, text?.length]).toStrictEqual(['data', 'video/mp4', size]);
		const requests = gateway.control.requests({ host: 'files' });
		expect(requests).toHaveLength(1);
		expect(JSON.stringify(requests)).not.toContain(gateway.apiKey);
	});
});

const PNG = 'data:image/png;base64,aGVsbG8=';

test.each<[string, object, Array<[string, string, string, string]>]>([
	['base64', { resultUrls: [PNG] }, [['data', 'task_1_0.png', 'image/png', 'hello']]],
	[
		'percent-encoded',
		{ resultUrls: ['data:image/svg+xml,%3Csvg%3E%D0%BA%3C/svg%3E'] },
		[['data', 'task_1_0.svg', 'image/svg+xml', '<svg>к</svg>']],
	],
	['without a type', { resultUrls: ['data:,hi'] }, [['data', 'task_1_0.txt', 'text/plain', 'hi']]],
	[
		'several',
		{ resultUrls: [PNG, 'DATA:audio/mpeg;base64,aGk='] },
		[
			['data', 'task_1_0.png', 'image/png', 'hello'],
			['data_1', 'task_1_1.mp3', 'audio/mpeg', 'hi'],
		],
	],
])('a data URL becomes the file, and is not in the JSON as a whole: %s', async (_, resultJson, files) => {
	end(resultJson, NO_FILE);
	const execution = await execute(task('wait', { taskId: '1' }), prompts('a', 'b'));
	expect(execution.error).toBeUndefined();
	expect(await filesOf(execution)).toStrictEqual(files);
	expect(execution.hints()).not.toContain('without a file');
});

test('a large data URL is shortened in the JSON', async () => {
	end({ resultUrls: [`data:image/png;base64,${'aGVs'.repeat(1_000)}`] }, NO_FILE);
	const execution = await execute(task('wait'), IDS);
	const [url] = execution.items()[0]?.json.resultUrls as string[];
	expect(url).toMatch(/^data:image\/png;base64,aGVs.*…$/);
	expect(url?.length).toBeLessThan(100);
});

describe('a result in another shape', () => {
	const URL_A = 'https://files.test/a.png';

	test.each<[object, object]>([
		[{ resultUrls: [{ url: URL_A }] }, { resultUrls: [URL_A], result: { resultUrls: [{ url: URL_A }] } }],
		[{ resultUrls: { url: URL_A } }, { resultUrls: [URL_A], result: { resultUrls: { url: URL_A } } }],
		[{ resultUrls: [{ href: URL_A }] }, { resultUrls: [], result: { resultUrls: [{ href: URL_A }] } }],
		[{ resultUrl: URL_A }, { resultUrls: [], result: { resultUrl: URL_A } }],
		[
			{ url: URL_A, seed: 1 },
			{ resultUrls: [], result: { url: URL_A, seed: 1 } },
		],
		[{ tracks: { id: 't1', title: 'x' } }, { resultUrls: [], tracks: [{ id: 't1', title: 'x' }] }],
		[{ tracks: ['t1', { id: 't2' }] }, { tracks: [{ id: 't2' }], result: { tracks: ['t1', { id: 't2' }] } }],
		[{ tracks: 't1' }, { resultUrls: [], result: { tracks: 't1' } }],
	])('loses nothing: %j', async (resultJson, output) => {
		end(resultJson, NO_FILE);
		const execution = await execute(task('get'), IDS);
		expect(execution.items()[0]?.json).toStrictEqual({
			taskId: IDS[0]?.json.prompt,
			state: 'success',
			resultUrls: [],
			...output,
		});
	});

	test.each<[string, (url: string) => unknown]>([
		['a URL in an object', (url) => ({ resultUrls: [{ url }] })],
		['a URL in one object', (url) => ({ resultUrls: { url } })],
	])('gives its files: %s', async (_, resultJson) => {
		const { url } = gateway.control.createBigFile({ size: 2_000 });
		end(resultJson(url), NO_FILE);
		const execution = await execute(task('wait'), IDS);
		expect((await filesOf(execution)).map(([field]) => field)).toStrictEqual(['data']);
	});

	test.each<[unknown]>([
		[{ resultUrl: URL_A }],
		[{ resultUrls: ['/a.png'] }],
		[{ resultUrls: ['ftp://files.test/a.png', URL_A] }],
		[{ tracks: ['t1'] }],
		[URL_A],
	])('gives the file that the gateway has: %j', async (resultJson) => {
		end(resultJson, { kind: 'raw', status: 200, body: { text: 'a file', contentType: 'image/png' } });
		const execution = await execute(task('wait'), IDS);
		expect((await filesOf(execution)).map(([, , type, text]) => [type, text])).toStrictEqual([
			['image/png', 'a file'],
		]);
	});
});

test('a file that has expired is an error, not a task without a file', async () => {
	end({ resultUrls: ['https://files.test/a.png'], seed: 1 }, NO_FILE);
	const { error } = await execute(task('download'), IDS);
	expect(error?.message).toBe('The gateway has no such media task');
});
