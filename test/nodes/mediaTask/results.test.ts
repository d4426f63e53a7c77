import { binaryStorage } from '../../helpers/engine';
import {
	catalogue,
	creations,
	envelope,
	files,
	gateway,
	model,
	painter,
	polls,
	run,
	serve,
	task,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { CONTINUE, form } from '../../helpers/values';

// The output of the smaller operations, and the input of a task.

useNock();

const taskId = 't1';
const taskRequest = { model, inputMode: 'json', inputJson: '{}', downloadResults: false };

const jsonOf = async (...parameters: Parameters<typeof run>) =>
	(await run(...parameters)).items.map(({ json }) => json);

it.each([
	['everything, with a subtitle file', {}, { waveformData: [1] }],
	['everything but the waveform to an AI Agent, and no file', { asTool: true }, {}],
])('getLyrics returns %s', async (_, context, more) => {
	const data = { alignedWords: [{ word: 'Hello\n', success: true, startS: 1, endS: 2 }], hootCer: 0.1 };
	gateway()
		.post(`${TASKS}/t1/lyrics/timestamped`, { audioId: 'a1' })
		.reply(200, envelope({ ...data, waveformData: [1] }));
	const parameters = { taskId, audioId: 'a1', options: { subtitleFormat: 'vtt' } };
	const [item] = (await run('getLyrics', parameters, context)).items;
	expect(item?.json).toStrictEqual({ taskId, audioId: 'a1', ...data, ...more });
	const file = { mimeType: 'text/vtt', fileName: 'subtitles_a1.vtt' };
	expect(item?.binary ?? {}).toMatchObject('asTool' in context ? {} : { subtitles: file });
	expect(item?.binary === undefined).toBe('asTool' in context);
});

it.each([
	['lrc', 'text/plain'],
	['srt', 'application/x-subrip'],
	['vtt', 'text/vtt'],
])(
	'getLyrics returns the gateway’s response without Simplify, and a file as %s, of the type %s',
	async (subtitleFormat, mimeType) => {
		const body = envelope({ alignedWords: [{ word: 'Hello', success: true, startS: 1, endS: 2 }] });
		gateway().post(`${TASKS}/t1/lyrics/timestamped`).reply(200, body);
		const parameters = { taskId, audioId: 'a1', simplify: false, options: { subtitleFormat } };
		const [item] = (await run('getLyrics', parameters)).items;
		expect(item?.json).toStrictEqual(body);
		expect(item?.binary?.subtitles).toMatchObject({ mimeType, fileName: `subtitles_a1.${subtitleFormat}` });
	},
);

it('getLyrics with subtitles is an error for a track without words, and says what to do', async () => {
	const body = envelope({ alignedWords: [] });
	gateway().post(`${TASKS}/t1/lyrics/timestamped`).reply(200, body);
	const parameters = { taskId, audioId: 'a1', simplify: false, options: { subtitleFormat: 'srt' } };
	const { error } = await run('getLyrics', parameters);
	expect(error?.message).toBe('There are no times for subtitles');
	expect(error?.description).toContain("Without 'Subtitle Format'");
});

it.each<
	[operation: string, method: string, path: string, body: { archive: boolean } | undefined, done: object]
>([
	['archive', 'PATCH', '/archive', { archive: true }, { archived: true }],
	['unarchive', 'PATCH', '/archive', { archive: false }, { archived: false }],
	['delete', 'DELETE', '', undefined, { deleted: true }],
	['restore', 'POST', '/restore', undefined, { restored: true }],
])('%s is sent to the gateway, and returns what it has done', async (operation, method, path, body, done) => {
	const sent = gateway().intercept(`${TASKS}/t1${path}`, method, body).reply(200, envelope({}));
	expect(await jsonOf(operation, { taskId })).toStrictEqual([{ ...done, taskId }]);
	expect(sent.isDone()).toBe(true);
});

it('session: create returns the gateway’s data without Simplify', async () => {
	gateway()
		.post('/api/v1/media/sessions', {})
		.reply(201, envelope({ sessionId: 's' }));
	expect(await jsonOf('create', { simplify: false }, {}, 'session')).toStrictEqual([
		envelope({ sessionId: 's' }),
	]);
});

describe('model: getMany', () => {
	const models = [
		painter({ properties: {} }, { extra: 1 }),
		painter({}, { id: 'acme/film', media_type: 'video' }),
		painter({}, { id: 'vox/say', media_type: 'audio', owned_by: 'zeta' }),
	];
	it('returns the records unchanged, up to the limit; to an AI Agent, all but the schemas', async () => {
		catalogue(models);
		expect(await jsonOf('getMany', {}, {}, 'model')).toStrictEqual(models);
		expect(await jsonOf('getMany', { limit: 2 }, {}, 'model')).toStrictEqual(models.slice(0, 2));
		const small: Record<string, unknown> = painter({}, { extra: 1 });
		delete small.input_schema;
		const search = { search: 'image' };
		expect(await jsonOf('getMany', search, { asTool: true }, 'model')).toStrictEqual([small]);
	});

	it.each([
		['in their ID, owner or media type', 'audio VOX zeta', ['vox/say']],
		['but not across ID and owner', 'painteracme', []],
		['but not across owner and media type', 'acmevideo', []],
	])('searches words %s', async (_, search, found) => {
		catalogue(models);
		const json = await jsonOf('getMany', { search, limit: 1 }, {}, 'model');
		expect(json.map(({ id }) => id)).toStrictEqual(found);
	});
});

describe('the input of a task', () => {
	const sentInput = async (parameters: object) => {
		const sent = serve(painter({ properties: { prompt: { type: 'string' } } }));
		const { error } = await run('create', { model, ...parameters });
		expect(error).toBeUndefined();
		return sent.map(({ body }) => body.input);
	};
	const field = {
		id: 'prompt',
		displayName: 'Prompt',
		type: 'string',
		required: false,
		display: true,
		defaultMatch: false,
	};

	const filled = form({ prompt: 'x' });

	it.each([
		['an empty form', { inputMode: 'form', input: form({}) }, {}],
		['an untouched form', { inputMode: 'form' }, {}],
		['an empty form that shows fields, and JSON', { input: form({}, [field]), inputJson: '{"a": 1}' }, {}],
		['a form that shows no fields, and JSON', { input: filled, inputJson: '{"a": 1}' }, { prompt: 'x' }],
		['JSON, and a former form', { inputMode: 'json', input: filled, inputJson: '{"a": 1}' }, { a: 1 }],
	])('is read from %s', async (_, parameters, input) => {
		expect(await sentInput(parameters)).toStrictEqual([input]);
	});
});

/** An ended task with these files. */
function finished(...urls: string[]) {
	catalogue();
	task(taskId, { state: 'success', resultJson: JSON.stringify({ resultUrls: urls }) });
}
const served = (
	path: string,
	body: string | Buffer = 'bytes',
	headers: Record<string, string> = { 'content-type': 'image/png' },
) => files().get(path).reply(200, body, headers);

const OCTETS = 'application/octet-stream';

describe('the files of a task', () => {
	it('are in a field each, with names and bytes; the type may be that of the first bytes', async () => {
		const paths = ['/a.PNG', '/b', '/', '/1A2b', '/5E6f'];
		finished(...paths.map((path) => `https://files.test${path}`));
		served('/a.PNG', 'one');
		served('/b', 'two', { 'content-type': 'audio/mpeg' });
		served('/', 'three');
		served('/1A2b', 'ID3\x04 a song', { 'content-type': OCTETS });
		served('/5E6f', 'a note', {});
		const { items } = await run('wait', { taskId, options: { binaryPropertyName: 'result' } });
		const storage = await binaryStorage();
		const found = Object.entries(items[0]?.binary ?? {}).map(async ([field, file]) => [
			...[field, file.fileName, file.mimeType],
			String(await storage.getAsBuffer(file)),
		]);
		expect(await Promise.all(found)).toStrictEqual([
			['result', 'a_t1.PNG', 'image/png', 'one'],
			['result_1', 'b_t1_1.mp3', 'audio/mpeg', 'two'],
			['result_2', 'task_t1_2.png', 'image/png', 'three'],
			['result_3', '1A2b_t1_3.mp3', 'audio/mpeg', 'ID3\x04 a song'],
			['result_4', '5E6f_t1_4', 'text/plain', 'a note'],
		]);
		expect(items[0]?.binary?.result_3?.fileExtension).toBe('mp3');
	});

	it('are downloaded as an archive of the name that the gateway gives it', async () => {
		const headers = {
			'content-type': 'application/zip',
			'content-disposition': 'attachment; filename="task_t1.zip"',
		};
		gateway().get(`${TASKS}/t1/download`).reply(200, 'PK', headers);
		const [item] = (await run('download', { taskId })).items;
		const file = { fileName: 'task_t1.zip', mimeType: 'application/zip' };
		expect(item?.json).toStrictEqual({ taskId, ...file });
		expect(item?.binary?.data).toMatchObject(file);
	});

	it('have the name of the address to which the gateway redirects a download', async () => {
		gateway().get(`${TASKS}/t1/download`).reply(302, '', { location: 'https://files.test/lake.png?size=1' });
		served('/lake.png?size=1');
		const [item] = (await run('download', { taskId })).items;
		expect(item?.binary?.data?.fileName).toBe('lake_t1.png');
	});

	it.each(['__proto__', 'toString'])('may be in a field of any name: %s', async (name) => {
		finished('https://files.test/a.png');
		served('/a.png', 'one');
		const { items } = await run('wait', { taskId, options: { binaryPropertyName: name } });
		expect(Object.keys(items[0]?.binary ?? {})).toStrictEqual([name]);
	});

	it.each(['wait', 'download', 'createAndWait'])(
		'are not fetched for an AI Agent, which gets the URLs: %s',
		async (operation) => {
			const resultUrls = ['https://files.test/a.png', 'https://files.test/b.png'];
			finished(...resultUrls);
			if (operation === 'createAndWait') creations();
			// The first poll is sent at once.
			const options = { idempotencyKey: 'mine' };
			const created = operation === 'createAndWait' ? { ...taskRequest, options } : { taskId };
			const { items, error } = await run(operation, { ...created, downloadResults: true }, { asTool: true });
			expect(error).toBeUndefined();
			expect(items[0]?.json).toMatchObject({ taskId, state: 'success', resultUrls });
			expect(items[0]?.binary).toBeUndefined();
		},
	);
});

describe('polls', () => {
	/** A task that has ended at this poll, without random delays. */
	const endsAtPoll = (number: number) =>
		task(taskId, ...Array<object>(number - 1).fill({ state: 'processing' }), { state: 'success' });

	it.each([
		['wait', { taskId: 't1', downloadResults: false }],
		['createAndWait', { ...taskRequest, options: { idempotencyKey: 'mine' } }],
	])('a task that may have ended is polled at once: %s %j', async (operation, parameters) => {
		serve();
		const polls = endsAtPoll(1);
		const timers = jest.spyOn(globalThis, 'setTimeout');
		const { items } = await run(operation, parameters);
		const pauses = timers.mock.calls.filter(([, delay = 0]) => delay >= 3_000 && delay < 10_000);
		expect([items[0]?.json.state, polls.requests, pauses]).toStrictEqual(['success', 1, []]);
	});

	it('a task that does not end in time, from when it is created, is an error with its state and ID, and paid', async () => {
		gateway().post(TASKS).reply(429, envelope(null, 429), { 'retry-after': '20' });
		serve();
		const polls = endsAtPoll(1_000);
		const { items } = await run(
			'createAndWait',
			{ ...taskRequest, options: { maxWait: 0.2 } },
			{ settings: CONTINUE },
		);
		expect(items.map(({ json }) => json.error)).toMatchObject([
			{ taskId: 't1', code: 'wait_timeout', state: 'processing', paid: true, retryable: false },
		]);
		expect(polls.requests).toBeGreaterThan(1);
	});

	it('a task that failed, whose price is unknown, is still one of the item: the error says what to change', async () => {
		catalogue([painter({}, { pricing: { currency: 'RUB', type: 'tiered', tiers: [] } })]);
		creations();
		task(taskId, { state: 'fail', failMsg: 'No face' });
		const parameters = { ...taskRequest, options: { idempotencyKey: 'mine' } };
		const { error } = await run('createAndWait', parameters);
		expect(error?.description).toContain('in this run of the node, the item keeps its task');
	});

	describe('the longest wait', () => {
		it.each([
			['0.001', 1],
			['0.0009', 0],
			['0', 0],
		])('of %s minutes allows this number of task requests: %i', async (maxWait, count) => {
			const sent = serve();
			endsAtPoll(1);
			const options = { maxWait: `={{ ${maxWait} }}`, idempotencyKey: 'mine' };
			const { items } = await run('createAndWait', { ...taskRequest, options }, { settings: CONTINUE });
			expect(sent).toHaveLength(count);
			expect(items.map(({ json }) => 'error' in json)).toStrictEqual([count === 0]);
		});

		it('ends after half an hour where nothing is set', async () => {
			catalogue();
			const start = Date.now();
			let lastPoll = 0;
			polls(taskId, (count) => {
				// Each poll takes 8 minutes.
				lastPoll = count * 8 * 60_000;
				jest.setSystemTime(start + lastPoll);
				return [200, envelope({ state: 'waiting' })];
			});
			const { items } = await run('wait', { taskId: 't1' }, { settings: CONTINUE });
			expect(items.map(({ json }) => json.error)).toMatchObject([{ code: 'wait_timeout' }]);
			expect(lastPoll).toBe(32 * 60_000);
		});
	});
});

describe('an ID that would reach another endpoint', () => {
	const ids = ['.', '..', '%2e%2e', 't1/..', 't1%2F..', '..\\', '../t1', '/'];

	it.each(ids)('%s is rejected before anything is sent, also for other items', async (bad) => {
		const items = [{ json: { taskId } }, { json: { taskId: bad } }];
		for (const operation of ['get', 'delete', 'archive', 'restore', 'download', 'wait', 'getLyrics']) {
			const parameters = { taskId: '={{ $json.taskId }}', audioId: 'a1' };
			const { error } = await run(operation, parameters, { items });
			expect(error?.message).toContain(`'Task ID' has a value that is not allowed: ${JSON.stringify(bad)}`);
		}
	});
});

const done = {
	taskId: 't1',
	model: 'acme/painter',
	state: 'success',
	createTime: 1_772_323_200_000,
	resultJson: '{"resultUrls":["https://files.test/a.png"]}',
	failCode: null,
	failMsg: null,
};
const failed = { ...done, taskId: 't2', state: 'fail', resultJson: '', failCode: 'X', failMsg: 'No' };
const simple = {
	taskId: 't1',
	state: 'success',
	model: 'acme/painter',
	createdAt: '2026-03-01T00:00:00.000Z',
	resultUrls: ['https://files.test/a.png'],
};

const list = async (body: object, parameters: object = {}) => {
	gateway().get(TASKS).reply(200, body);
	return await run('getMany', { returnAll: true, ...parameters });
};

describe('task: getMany', () => {
	it.each<[string, object]>([
		['an envelope with items', envelope({ items: [done], total: 1, page: 1 })],
		['tasks with another name of the ID', { tasks: [{ ...done, taskId: undefined, task_id: 't1' }] }],
		['tasks with a plain ID', { tasks: [{ ...done, taskId: undefined, id: 't1' }] }],
	])('finds the tasks in %s', async (_, body) => {
		const { items, error } = await list(body);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject(simple);
		expect(items[0]?.pairedItem).toStrictEqual({ item: 0 });
	});

	it('returns the records as received without Simplify, up to the limit', async () => {
		const { items } = await list(envelope({ items: [done, failed] }), {
			returnAll: false,
			limit: 1,
			simplify: false,
		});
		expect(items.map(({ json }) => json)).toStrictEqual([done]);
	});

	it('returns a record without an ID among the tasks as received', async () => {
		const { items } = await list(envelope({ items: [done, { note: 'archived' }] }));
		expect(items.map(({ json }) => json)).toStrictEqual([simple, { note: 'archived' }]);
	});

	it.each([
		[{ returnAll: true }, [expect.stringContaining('The gateway has more than these 2') as string]],
		[{ returnAll: false, limit: 2 }, []],
	])('says that there is more where the limit %j is not reached', async (parameters, expected) => {
		const { hints } = await list(envelope({ items: [done, failed], total: 7 }), parameters);
		expect(hints).toStrictEqual(expected);
	});
});
