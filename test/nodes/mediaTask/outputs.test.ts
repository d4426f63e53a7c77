import {
	continueOnFail,
	catalogue,
	creations,
	envelope,
	form,
	gateway,
	model,
	painter,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';

// The output of the smaller operations, and the input of a task.

useNock();

const taskId = 't1';
const jsonOf = async (...parameters: Parameters<typeof run>) =>
	(await run(...parameters)).items.map(({ json }) => json);

describe('getLyrics', () => {
	const lyrics = (data: unknown) =>
		gateway().post(`${TASKS}/t1/lyrics/timestamped`, { audioId: 'a1' }).reply(200, envelope(data));
	const parameters = { taskId, audioId: 'a1' };

	it('returns the waveform', async () => {
		const data = { alignedWords: [], waveformData: [1] };
		lyrics(data);
		expect(await jsonOf('getLyrics', parameters)).toStrictEqual([{ taskId, audioId: 'a1', ...data }]);
	});

	it('returns everything but the waveform to an AI Agent', async () => {
		lyrics({ alignedWords: [{ word: 'a' }], waveformData: [1], hootCer: 0.1 });
		expect(await jsonOf('getLyrics', parameters, { asTool: true })).toStrictEqual([
			{ taskId, audioId: 'a1', alignedWords: [{ word: 'a' }], hootCer: 0.1 },
		]);
	});
});

it('getLyrics makes a subtitle file, which a tool does not', async () => {
	const words = [{ word: 'Hello\n', success: true, startS: 1, endS: 2 }];
	const parameters = { taskId, audioId: 'a1', options: { subtitleFormat: 'vtt' } };
	const made = async (context: object) => {
		gateway()
			.post(`${TASKS}/t1/lyrics/timestamped`)
			.reply(200, envelope({ alignedWords: words }));
		return (await run('getLyrics', parameters, context)).items[0]?.binary?.subtitles;
	};
	expect(await made({})).toMatchObject({ mimeType: 'text/vtt', fileName: 'subtitles.vtt' });
	expect(await made({ asTool: true })).toBeUndefined();
});

describe('session: create', () => {
	it('returns the gateway’s data without Simplify', async () => {
		gateway()
			.post('/api/v1/media/sessions', {})
			.reply(201, envelope({ sessionId: 's' }));
		expect(await jsonOf('create', { simplify: false }, {}, 'session')).toStrictEqual([
			envelope({ sessionId: 's' }),
		]);
	});
});

describe('model: getMany', () => {
	const models = [
		painter({ properties: {} }, { extra: 1 }),
		painter({}, { id: 'acme/film', media_type: 'video' }),
		painter({}, { id: 'vox/say', media_type: 'audio', owned_by: 'zeta' }),
	];
	it('returns the records unchanged, up to the limit', async () => {
		catalogue(models);
		expect(await jsonOf('getMany', {}, {}, 'model')).toStrictEqual(models);
		expect(await jsonOf('getMany', { limit: 2 }, {}, 'model')).toStrictEqual(models.slice(0, 2));
	});

	const ids = async (parameters: object) => {
		catalogue(models);
		return (await jsonOf('getMany', parameters, {}, 'model')).map(({ id }) => id);
	};

	it.each([
		['in their owner', 'zeta', ['vox/say']],
		['in their media type', 'video', ['acme/film']],
		['in several of these', 'audio vox zeta', ['vox/say']],
		['in their ID', 'PAINT', ['acme/painter']],
		['but not across ID and owner', 'painteracme', []],
		['but not across owner and media type', 'acmevideo', []],
	])('searches words %s', async (_, search, found) => {
		expect(await ids({ search })).toStrictEqual(found);
	});

	it('returns everything but the schemas to an AI Agent', async () => {
		catalogue(models);
		const items = await jsonOf('getMany', { search: 'image' }, { asTool: true }, 'model');
		const small: Record<string, unknown> = painter({}, { extra: 1 });
		delete small.input_schema;
		expect(items).toStrictEqual([small]);
	});
});

describe('the input of a task', () => {
	const sentInput = async (parameters: object) => {
		catalogue([painter({ properties: { prompt: { type: 'string' } } })]);
		const sent = creations();
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

	it.each([
		['an empty form', { inputMode: 'form', input: form({}) }, {}],
		['an untouched form', { inputMode: 'form' }, {}],
		['an empty form that shows fields, and JSON', { input: form({}, [field]), inputJson: '{"a": 1}' }, {}],
		[
			'a form with a value that shows no fields, and JSON',
			{ input: form({ prompt: 'x' }), inputJson: '{"a": 1}' },
			{ prompt: 'x' },
		],
		[
			'JSON, and a form that was filled in before',
			{ inputMode: 'json', input: form({ prompt: 'x' }), inputJson: '{"a": 1}' },
			{ a: 1 },
		],
	])('is read from %s', async (_, parameters, input) => {
		expect(await sentInput(parameters)).toStrictEqual([input]);
	});
});

describe('input files', () => {
	const rows = (...fields: string[]) => ({
		files: fields.map((inputField) => ({ binaryPropertyName: 'data', inputField })),
	});
	const items = [{ json: {}, binary: { data: { data: 'aGk=', mimeType: 'image/png', fileName: 'a.png' } } }];
	const taskRequest = { model, inputMode: 'json', inputJson: '{"prompt": "a"}' };
	const uploads = () => {
		const count = { uploads: 0 };
		gateway()
			.persist()
			.post('/api/v1/storage/upload')
			.optionally()
			.reply(() => {
				count.uploads += 1;
				return [200, { id: String(count.uploads), url: `https://files.test/${count.uploads}` }];
			});
		return count;
	};

	it('are not uploaded when the key cannot be sent', async () => {
		catalogue();
		const count = uploads();
		const parameters = {
			...taskRequest,
			inputFiles: rows('image'),
			options: { idempotencyKey: 'заказ' },
		};
		const result = await run('create', parameters, { items, ...continueOnFail });
		expect(result.items.map(({ json }) => json.error)).toMatchObject([{ param: 'idempotencyKey' }]);
		expect(count.uploads).toBe(0);
	});
});
