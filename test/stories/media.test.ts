import type { IBinaryData } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/gateway/control/types';
import { binaryStorage } from '../helpers/engine';
import { useServer } from '../helpers/server';
import { passTime } from '../helpers/time';
import { CONTINUE, form, locator } from '../helpers/values';
import { attach, fromField, withFiles } from '../nodes/text/files';
import type { Execution, StoryNode } from './execution';
import { image, prompts, respondJson, RETRY_ON_FAIL, text, useStories } from './support';

describe('tasks whose results have other shapes than expected', () => {
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
	const NO_FILE = { kind: 'error', code: 'not_found' } as const;

	/** Each task ends with this result, and the gateway's download gives this. */
	function end(resultJson: unknown, download: FaultAction) {
		answer(`${TASKS}/*/download`, download);
		const text = typeof resultJson === 'string' ? resultJson : JSON.stringify(resultJson);
		answer(
			`${TASKS}/*`,
			respondJson({ code: 200, msg: 'success', data: { state: 'success', resultJson: text } }),
		);
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
				expect(error?.message).toBe('The gateway has no file of this media task');
			},
		);

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

	// How data URLs are read: gateway/util/base64.test.ts.
	test('files that are in the result itself come out as files', async () => {
		end({ resultUrls: [PNG, 'DATA:audio/mpeg;base64,aGk=', 'data:,hi'] }, NO_FILE);
		const execution = await execute(task('wait', { taskId: '1' }), prompts('a', 'b'));
		expect(execution.error).toBeUndefined();
		expect(await filesOf(execution)).toStrictEqual([
			['data', 'task_1.png', 'image/png', 'hello'],
			['data_1', 'task_1_1.mp3', 'audio/mpeg', 'hi'],
			['data_2', 'task_1_2.txt', 'text/plain', 'hi'],
		]);
		expect(execution.hints()).not.toContain('without a file');
	});

	test('a large file in the result itself is shortened in the JSON', async () => {
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
			[
				{ tracks: ['t1', { id: 't2' }] },
				{ tracks: [{ id: 't2' }], result: { tracks: ['t1', { id: 't2' }] } },
			],
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
			expect(await filesOf(execution)).toStrictEqual([['data', 'task_00000001.png', 'image/png', 'a file']]);
		});
	});

	test('a file that has expired is an error, not a task without a file', async () => {
		end({ resultUrls: ['https://files.test/a.png'], seed: 1 }, NO_FILE);
		const { error } = await execute(task('download'), IDS);
		expect(error?.message).toBe('The gateway has no file of this media task');
	});
});

describe('*Sleep Until the Gateway Calls*, where the execution keeps running', () => {
	const { gateway, execute } = useStories();

	it('items whose tasks take longer than *Max Wait* pass on, as after a sleep', async () => {
		gateway.control.configure({ taskDuration: { image: 3_600_000 } });
		const node = image({ waitStrategy: 'suspend', options: { maxWait: 0.2 } });
		const execution = await execute(node, prompts('a cat', 'a dog'));
		expect(execution.error).toBeUndefined();
		expect(execution.hints()).toMatch(/keeps running instead of sleeping/);
		const made = new Set(gateway.control.tasks().map(({ taskId }) => taskId));
		expect(new Set(execution.items().map(({ json }) => json.taskId))).toStrictEqual(made);
		expect(execution.items().map(({ json }) => json.timedOut)).toStrictEqual([true, true]);
		expect(gateway.charges()).toBe(2);
	});
});

describe('two nodes that are alike', () => {
	// As two copies in imported JSON, which also have the same ID.

	const { gateway, execute } = useStories();

	it('each make a picture of their own, and pay for it', async () => {
		const node = image({ prompt: '={{ $json.taskId ? "the same at night" : "a lighthouse" }}' });
		const execution = await execute([node, node], prompts('-'), { haveSameId: true });
		const made = Object.fromEntries(
			gateway.control.tasks().map(({ taskId, input }) => [taskId, input.prompt]),
		);
		const ids = ['Gateway', 'Gateway 2'].map((name) => execution.items(name)[0]?.json.taskId);
		expect(ids.map((id) => made[id as string])).toStrictEqual(['a lighthouse', 'the same at night']);
		expect(gateway.charges()).toBe(2);
	});
});

describe('files of pictures', () => {
	const { gateway, execute } = useStories();

	it('have another name each, also when the server gives all the same: an archive keeps all', async () => {
		const execution = await execute(image(), prompts('a cat', 'a dog', 'a cow'));
		const names = execution.items().map(({ binary }) => binary?.data?.fileName);
		expect(new Set(names).size).toBe(3);
		for (const name of names) expect(name).toMatch(/^image_\w{8}\.png$/);
	});

	it('to edit are on the error output, so that another node can try again', async () => {
		const content = Buffer.from('a picture');
		const names = ['a.png', 'b.png'];
		const items = await Promise.all(
			names.map(async (fileName) => ({
				...(await withFiles({ name: 'data', content, mimeType: 'image/png', fileName })),
				json: { prompt: 'at night' },
			})),
		);
		const inputFiles = { files: [{ inputField: 'image_urls' }] };
		const node = image({
			operation: 'edit',
			model: locator('aurora/retouch-1'),
			input: form({}),
			inputFiles,
		});
		gateway.control.addFault({
			match: { path: '/async/media/tasks' },
			action: { kind: 'error', code: 'invalid_request' },
			times: 0,
		});
		for (const [onError, has] of [
			['continueErrorOutput', true],
			['continueRegularOutput', false],
		] as const) {
			const execution = await execute({ ...node, settings: { onError } }, items);
			const failed = [...execution.failed(), ...execution.items()];
			expect(failed.map(({ json }) => json.error)).toMatchObject(Array(2).fill({ httpCode: '400' }));
			const kept = failed.map(({ binary }) => binary?.data?.fileName);
			expect(kept).toStrictEqual(has ? names : [undefined, undefined]);
		}
	});
});

describe('pictures that a text model makes', () => {
	// As data URLs, or as links.

	const { gateway, execute } = useStories();

	const ASKED = { options: { audioAndImages: { modalities: ['text', 'image'] } } };

	/** The next response, or without an ID each one, has this message, and is charged. */
	function respond(message: object, stream = false, id?: string) {
		const delta = { choices: [{ index: 0, message, delta: message, finish_reason: 'stop' }] };
		const body = { ...delta, id, usage: { prompt_tokens: 1, completion_tokens: 1, cost_rub: 0.5 } };
		const json = JSON.stringify(body);
		gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: {
				kind: 'raw',
				status: 200,
				body: stream
					? { text: `data: ${json}\n\ndata: [DONE]\n\n`, contentType: 'text/event-stream' }
					: { text: json, contentType: 'application/json' },
				// A fault of a stream has no effect before.
				afterEffect: !stream,
			},
			times: id === undefined ? 0 : 1,
		});
	}
	const picture = () => gateway.control.createBigFile({ size: 2_000, mimeType: 'image/png' }).url;
	const part = (url: string) => ({ type: 'image_url', image_url: { url } });

	const SHAPES: Array<[string, (url: string) => object]> = [
		['next to the content', (url) => ({ content: 'Here', images: [part(url)] })],
		['in the content', (url) => ({ content: [{ type: 'text', text: 'Here' }, part(url)] })],
		['as text in a part', (url) => ({ content: 'Here', images: [{ type: 'image_url', image_url: url }] })],
		['as plain text', (url) => ({ content: 'Here', images: [url] })],
		['as one part', (url) => ({ content: 'Here', images: part(url) })],
	];

	describe.each([false, true])('streamed: %s', (stream) => {
		test.each(SHAPES)('a picture %s comes out as a file', async (_, message) => {
			respond(message('data:image/svg+xml,%3Csvg/%3E'), stream);
			const node = text({ options: { ...ASKED.options, ...(stream && { stream }) } });
			const [item] = (await execute(node, prompts('a'))).items();
			expect(item?.json).not.toHaveProperty('raw');
			expect(item?.binary?.image).toMatchObject({ mimeType: 'image/svg+xml' });
		});
	});

	test('all are files, in a field each, and of names that an archive keeps', async () => {
		const url = (type: string, content: string) =>
			`data:${type};base64,${Buffer.from(content).toString('base64')}`;
		const urls = [url('image/png', 'one'), url('image/webp', 'two'), url('image/unknown', 'three')];
		for (const id of ['gen-12345671', 'gen-12345672'])
			respond({ content: '', images: urls.map(part) }, false, id);
		const items = (await execute(text(ASKED), prompts('a', 'b'))).items();
		const files = items.flatMap(({ binary = {} }) => Object.entries(binary));
		const fields = ['image', 'image_1', 'image_2'];
		expect(files.map(([field]) => field)).toStrictEqual([...fields, ...fields]);
		const contents = files.map(async ([, file]) => String(await (await binaryStorage()).getAsBuffer(file)));
		expect((await Promise.all(contents)).slice(0, 3)).toStrictEqual(['one', 'two', 'three']);
		const types = files.map(([, { mimeType, fileName }]) => [mimeType, fileName?.replace(/.*\./, '')]);
		expect(types.slice(0, 3)).toStrictEqual([
			['image/png', 'png'],
			['image/webp', 'webp'],
			['image/unknown', 'unknown'],
		]);
		expect(new Set(files.map(([, { fileName }]) => fileName)).size).toBe(6);
	});

	test('a link stays in the output, and is not fetched', async () => {
		const url = picture();
		respond({ content: 'Here', images: [part(url)] });
		const [item] = (await execute(text(ASKED), prompts('a'))).items();
		expect(item?.binary).toBeUndefined();
		expect(item?.json).toMatchObject({ text: 'Here', costRub: 0.5 });
		expect(item?.json).toHaveProperty('raw.choices[0].message.images', [part(url)]);
		expect(gateway.control.requests({ host: 'files' })).toStrictEqual([]);
	});
});

describe('a model of another kind of media', () => {
	// *Generate an image* with the model of videos, which cost many times as much, while the catalogue does not respond.

	const { gateway, execute, sent } = useStories();

	const video = () =>
		image({
			model: locator('lumen/motion-2'),
			prompt: '',
			inputMode: 'json',
			inputJson: '={{ JSON.stringify({ prompt: $json.prompt }) }}',
		});

	function failCatalogue(times: number): void {
		const action = { kind: 'error', code: 'service_unavailable' } as const;
		gateway.control.addFault({ match: { path: '/media/models' }, action, times });
	}

	it('nothing is created', async () => {
		failCatalogue(0);
		const { errorText } = await execute(video(), prompts('waves', 'clouds'));
		expect(sent()).toStrictEqual([]);
		expect(gateway.charges()).toBe(0);
		expect(errorText).toMatch(/Nothing was (sent|created)/);
	});

	it('a picture that was asked for is not created, either: a retry makes it when the catalogue responds', async () => {
		failCatalogue(0);
		const json = { ...video().parameters, model: locator('aurora/canvas-1') };
		const failed = await execute(image(json), prompts('a cat', 'a dog'));
		expect(sent()).toStrictEqual([]);
		gateway.control.clearFaults();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(retried.items()).toHaveLength(2);
		expect(gateway.charges()).toBe(2);
	});

	it('a picture that is paid for comes with the next try, also while the catalogue does not respond', async () => {
		const which = () => gateway.charges() > 0;
		const down = { kind: 'error', code: 'service_unavailable' } as const;
		gateway.control.addFault({ match: { path: '/media/models', which }, action: down, times: 0 });
		gateway.control.addFault({
			match: { method: 'GET', path: '/async/media/tasks/*' },
			action: respondJson({ code: 403, msg: 'no' }, 403),
		});
		const execution = await execute(image({}, RETRY_ON_FAIL), prompts('a cat'));
		expect(execution.error).toBeUndefined();
		expect(execution.items()[0]?.binary?.data?.mimeType).toBe('image/png');
		expect(gateway.charges()).toBe(1);
	});

	it.each(['edit', 'generate'])(
		'%s: a file for a field of another model is an error with the fields of this one, and nothing is sent',
		async (operation) => {
			const content = Buffer.from('a picture');
			const item = await withFiles({ name: 'data', content, mimeType: 'image/png', fileName: 'a.png' });
			const targets = ['image_urls', 'image_url'];
			const inputFiles = {
				files: targets.map((inputField) => ({ binaryPropertyName: 'data', inputField })),
			};
			const model = locator('aurora/retouch-1');
			const { errorText } = await execute(image({ operation, model, inputFiles, prompt: 'x' }), [item]);
			expect(errorText).toMatch(/"aurora\/retouch-1" has no field "image_url".*Target Field.*: [a-z_]+/s);
			expect(sent()).toStrictEqual([]);
		},
	);

	it('as soon as the list of models can be read, the error is about the media type, and nothing is created', async () => {
		failCatalogue(1);
		const { error, errorText } = await execute(video(), prompts('waves', 'clouds'));
		expect(sent()).toStrictEqual([]);
		expect(error?.message).toMatch(/media type .*Video/);
		expect(errorText).toContain('Nothing was sent.');
		expect(gateway.charges()).toBe(0);
	});
});

describe('an item that has the URL of a file, and no file', () => {
	// The item has a URL, and the node is set to a binary field.

	const { gateway, execute } = useStories();

	const URL = 'https://files.test/a.png';
	const NODES: Array<[string, StoryNode, string]> = [
		['Analyze', text({ resource: 'image', operation: 'analyze', prompt: '-' }), "set 'Source' to 'URL'"],
		['Attachments', text({ prompt: '-', ...attach(fromField('image', 'data')) }), "set 'Source' to 'URL'"],
		[
			'Upload',
			{ node: 'storage', parameters: { resource: 'file', operation: 'upload' } },
			"set 'Upload Source' to 'URL'",
		],
		[
			'Input Files',
			image({ prompt: '-', inputFiles: { files: [{ inputField: 'image_urls' }] } }),
			'into the model’s field',
		],
	];

	describe.each(NODES)('%s', (_, node, advice) => {
		test.each<[object, string]>([
			[{ url: URL }, '{{ $json.url }}'],
			[{ resultUrls: [URL] }, '{{ $json.resultUrls[0] }}'],
		])('says how to use the URL of %j', async (json, expression) => {
			const { error } = await execute(node, [{ json: { ...json } }, { json: { ...json } }]);
			expect(error?.description).toContain(advice);
			expect(error?.description).toContain(expression);
			expect(error?.description).not.toContain('add a node');
			expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
		});

		test.each([{}, { url: 'a.png' }, { resultUrls: [] }])('says what is missing in %j', async (json) => {
			const { error } = await execute(node, [{ json }]);
			expect(error?.description).toContain('add a node that returns a file');
		});
	});
});

describe('of three links to upload, the second does not work yet', () => {
	// Three links of an earlier node, of which the second does not work yet.

	const { gateway, execute } = useStories();
	let isThere = false;
	const files = useServer(({ url = '' }, response) => {
		if (url === '/b.png' && !isThere) return void response.writeHead(404).end();
		response.writeHead(200, { 'content-type': 'image/png' }).end(`picture ${url}`);
	});
	const node: StoryNode = {
		node: 'storage',
		parameters: { resource: 'file', operation: 'upload', uploadSource: 'url', url: '={{ $json.url }}' },
	};
	const links = () => ['a', 'b', 'c'].map((name) => ({ json: { url: `${files.origin()}/${name}.png` } }));
	const uploads = () => gateway.control.requests({ method: 'POST' }).length;

	beforeEach(() => void (isThere = false));

	it('the node fails before the second is sent; a retry uploads it, and no other again', async () => {
		const failed = await execute(node, links());
		expect(failed.errorText).toContain('The file at this link no longer exists');
		expect(failed.errorText).toContain('Nothing was sent.');
		isThere = true;
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(uploads()).toBe(3);
		expect(new Set(retried.items().map(({ json }) => json.id)).size).toBe(3);
	});

	it('a retry two days later uploads all again: the gateway has deleted the first', async () => {
		const inTurn = { ...node, parameters: { ...node.parameters, options: { concurrency: 1 } } };
		const failed = await execute(inTurn, links());
		expect(uploads()).toBe(1);
		isThere = true;
		await passTime(2 * 24 * 3_600_000);
		const retried = await failed.retry();
		expect(retried.items()).toHaveLength(3);
		for (const { json } of retried.items())
			expect(Date.parse(json.expiresAt as string)).toBeGreaterThan(Date.now());
	});

	it('with On Error: Continue, the others are uploaded', async () => {
		const execution = await execute({ ...node, settings: CONTINUE }, links());
		expect(execution.items().map(({ json }) => json.error !== undefined)).toStrictEqual([false, true, false]);
		expect(uploads()).toBe(2);
	});
});

describe('a list of which the gateway has more', () => {
	const { gateway, execute } = useStories();
	const files = [{ id: 'a' }, { id: 'b' }];

	test.each<[object, limit: number, boolean]>([
		[{ files, total: 3 }, Infinity, true],
		[{ files, total: 3 }, 3, true],
		[{ files, total: 3 }, 2, false],
		[{ files, pagination: { page: 1, total: 3 } }, Infinity, true],
		[{ code: 200, msg: 'success', data: { files, meta: { has_more: true } } }, Infinity, true],
		[{ files, links: { next: 'https://gateway.test/files?page=2' } }, Infinity, true],
		[{ files, next_page: 2 }, Infinity, true],
		[{ files, has_next: true }, Infinity, true],
		[{ files, page: 1, total_pages: 2 }, Infinity, true],
		[{ files, meta: { last_page: 2 } }, Infinity, true],
		[{ files, total: 2, total_pages: 1, totalSize: 9_000, links: { next: null } }, Infinity, false],
		[{ files: [], total: 0 }, Infinity, false],
	])('%j up to a limit of %d has a hint: %s', async (body, limit, hasHint) => {
		gateway.control.addFault({ match: { path: '/storage' }, action: respondJson(body) });
		const parameters = { resource: 'file', operation: 'getMany', returnAll: limit === Infinity, limit };
		const execution = await execute({ node: 'storage', parameters }, prompts('a'));
		expect(execution.items()).toHaveLength('files' in body ? (body.files as object[]).length : 2);
		expect(execution.hints().includes('has more than these 2')).toBe(hasHint);
	});
});
