import type { INodeExecutionData } from 'n8n-workflow';
import nock from 'nock';

import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import {
	catalogue,
	creations,
	files,
	gateway,
	model,
	painter,
	run,
	serve,
	TASKS,
	task,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { CONTINUE, form, locator } from '../../helpers/values';

useNock();

/** Another execution may have created the task of this key, so the first poll has no pause. */
const options = { idempotencyKey: 'mine' };

/** Ends each task, with one file. */
function results(): void {
	task('t1', { state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' });
	files().persist().get('/a.png').reply(200, 'bytes', { 'content-type': 'image/png' });
}

describe('image: edit', () => {
	const edit = async (parameters: object, extra: Parameters<typeof run>[2] = {}) =>
		await run(
			'edit',
			{ model, prompt: 'Add a hat', input: form({}), options, ...parameters },
			extra,
			'image',
		);

	test.each([
		['a form', { input: form({ quality: 'draft' }) }],
		['a list of nothing in a form', { input: form({ image_urls: '={{ [$json.none] }}' }) }],
	])('sends nothing without an image in %s, although the model can do without', async (_, parameters) => {
		const sent = serve(painter(sandbox.canvas));
		const { error } = await edit(parameters);
		expect(error?.message).toBe('There is no image to edit');
		expect(sent).toStrictEqual([]);
	});

	test.each(['https://files.test/cat', 'data:image/png;base64,aGk='])(
		'takes %s in the fields of the model, also as a tool, which gets no files',
		async (url) => {
			const sent = serve(painter(sandbox.retouch));
			results();
			const input = form({ image_urls: url });
			const { error } = await edit({ input }, { asTool: true });
			expect(error).toBeUndefined();
			expect(sent.map(({ body }) => body.input)).toStrictEqual([{ prompt: 'Add a hat', image_urls: [url] }]);
		},
	);
});

it('a model whose media type the catalogue does not have makes what is asked for', async () => {
	const sent = serve(painter({}, { media_type: undefined }));
	results();
	const parameters = { model, prompt: 'A film', input: form({}), options };
	const { error } = await run('generate', parameters, {}, 'video');
	expect([error, sent.length]).toStrictEqual([undefined, 1]);
});

/** The input that is sent for the parameters of an operation. */
async function inputOf(parameters: object, schema: object): Promise<unknown> {
	const sent = serve(painter(schema));
	const { error } = await run('create', { model, ...parameters });
	return sent[0]?.body.input ?? error?.message;
}

describe('the prompt', () => {
	const own = '{"prompt": "A dog"}';

	test.each<[string, object, object, object?]>([
		[
			'goes into its field',
			{ input: form({ voice: 'anna' }) },
			{ text: 'A cat', voice: 'anna' },
			sandbox.speech,
		],
		['is called prompt without fields', { input: form({ a: 'b' }) }, { a: 'b', prompt: 'A cat' }, {}],
		['of blanks is none', { prompt: '  ', input: form({ n: 1 }) }, { n: 1 }],
		['is added to JSON', { inputMode: 'json', inputJson: '{"n": 1}' }, { n: 1, prompt: 'A cat' }],
		['is added to JSON that begins with an empty one', { inputMode: 'json' }, { prompt: 'A cat' }],
		['does not replace one in JSON', { inputMode: 'json', inputJson: own }, { prompt: 'A dog' }],
		['does not replace one in a form', { input: form({ prompt: 'A dog' }) }, { prompt: 'A dog' }],
	])('%s', async (_, parameters, input, schema = sandbox.canvas) =>
		expect(await inputOf({ prompt: 'A cat', ...parameters }, schema)).toStrictEqual(input),
	);

	it('may be missing for a tool where the model does not need one', async () => {
		const sent = serve(painter({ properties: { prompt: { type: 'string' } } }));
		await run('create', { model, prompt: '', input: form({ n: 1 }) }, { asTool: true });
		expect(sent.map(({ body }) => body.input)).toStrictEqual([{ n: 1 }]);
	});

	test.each([
		['form', { input: form({}) }],
		['JSON', { inputMode: 'json', inputJson: '{}' }],
	])('is not sent under a guessed name where the catalogue cannot be read: %s', async (_, parameters) => {
		const schema = { type: 'object', properties: { text: { type: 'string' } } };
		let status = 200;
		nock('https://gateway.test')
			.persist()
			.get('/api/v1/media/models')
			.reply(() => [status, { data: [painter(schema)] }]);
		const sent = creations();
		const speak = async () => await run('create', { model, prompt: 'Hello', ...parameters });
		expect((await speak()).error).toBeUndefined();
		status = 403;
		expect((await speak()).error?.httpCode).toBe('403');
		expect(sent.map(({ body }) => body.input)).toStrictEqual([{ text: 'Hello' }]);
	});
});

const SCHEMA = {
	properties: {
		prompt: { type: 'string' },
		image_urls: { type: 'array', title: 'Images', items: { type: 'string', format: 'uri' }, minItems: 1 },
		mask_url: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
	},
	required: ['prompt', 'image_urls'],
	additionalProperties: false,
};
const retouch = painter(SCHEMA, {
	pricing: {
		currency: 'RUB',
		type: 'tiered',
		tiers: [
			{ params: {}, price: '6.00' },
			{ params: { mask_url: null }, price: '3.00' },
		],
	},
});
const rows = (...files: Array<[binary: string, field: string]>) => ({
	files: files.map(([binaryPropertyName, inputField]) => ({ binaryPropertyName, inputField })),
});
const binary = (text: string, fileName = 'a.png') => ({
	data: Buffer.from(text).toString('base64'),
	mimeType: 'image/png',
	fileName,
});
const item = (files: Record<string, string>): INodeExecutionData => ({
	json: {},
	binary: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, binary(text)])),
});
const edit = (inputFiles: object, value: object = { prompt: 'a' }) => ({
	model,
	inputMode: 'form',
	input: form(value),
	inputFiles,
});

/** Accepts uploads, each with another URL, and records their bodies. */
function uploads(): string[] {
	const bodies: string[] = [];
	nock('https://gateway.test')
		.persist()
		.post('/api/v1/storage/upload')
		.reply(200, (_, body) => {
			bodies.push(typeof body === 'string' ? body : JSON.stringify(body));
			return { id: String(bodies.length), url: `https://files.test/${bodies.length}` };
		});
	return bodies;
}

describe('files of the item', () => {
	it('are uploaded, their URLs are set where the schema expects them, and the price is one with them', async () => {
		const sent = serve(retouch);
		const bodies = uploads();
		const files = rows(['data', 'image_urls'], ['second', 'image_urls'], ['mask', 'mask_url']);
		const items = [item({ data: 'one', second: 'two', mask: 'three' })];
		const { items: outputs } = await run('create', edit(files), { items });
		expect(outputs[0]?.json.priceRub).toBe(6);
		expect(bodies.map((body) => /one|two|three/.exec(body)?.[0])).toStrictEqual(['one', 'two', 'three']);
		expect(sent[0]?.body.input).toStrictEqual({
			prompt: 'a',
			image_urls: ['https://files.test/1', 'https://files.test/2'],
			mask_url: 'https://files.test/3',
		});
	});

	it('are each item’s own; a missing one is that item’s error before anything of it is sent', async () => {
		const sent = serve(retouch);
		const bodies = uploads();
		const items = [item({ data: 'one' }), item({ other: 'x' }), item({ data: 'three' })];
		const result = await run('create', edit(rows(['data', 'image_urls'])), { settings: CONTINUE, items });
		expect(sent).toHaveLength(2);
		expect(bodies).toHaveLength(2);
		expect(result.items[1]?.json.error).toMatchObject({
			message:
				"'Input Files', row 1: 'Input Binary Fields' names the binary field 'data', which the input item does not have",
			description: 'It has: other. Nothing was sent.',
			param: 'inputFiles',
			code: 'invalid_input',
		});
	});

	it('go into the field that is named where the catalogue has no fields of the model', async () => {
		const sent = serve(painter({}));
		uploads();
		await run('create', edit(rows(['data', 'photo'])), { items: [item({ data: 'one' })] });
		expect(sent.map(({ body }) => body.input)).toStrictEqual([
			{ prompt: 'a', photo: 'https://files.test/1' },
		]);
	});

	it('that are empty are rejected before anything is sent, also where n8n does not say their size', async () => {
		const sent = serve(retouch);
		const bodies = uploads();
		const { error } = await run('create', edit(rows(['data', 'image_urls'])), {
			items: [item({ data: '' })],
		});
		expect(error?.message).toBe('The file is empty');
		expect([...sent, ...bodies]).toStrictEqual([]);
	});

	it('with an empty target field are rejected before anything is sent', async () => {
		const sent = serve(retouch);
		const bodies = uploads();
		const parameters = edit(rows(['data', '={{ $json.missing }}']));
		const { error } = await run('create', parameters, { items: [item({ data: 'x' })] });
		expect(error?.message).toBe("'Input Files', row 1: 'Target Field Name or ID' is empty");
		expect([...sent, ...bodies]).toStrictEqual([]);
	});
});

it.each<[string, boolean, string, object]>([
	['the same content', true, 'content', {}],
	['another name', true, 'content', { fileName: 'other-name.png' }],
	['other content of the same size', false, 'tnetnoc', {}],
	['another type', false, 'content', { mimeType: 'image/jpeg' }],
	['another field', false, 'content', { field: 'mask_url' }],
])(
	'two items with files and one Idempotency Key with %s are sent: %s',
	async (_, isSame, text, { field = 'image_urls', ...facts }: { field?: string }) => {
		const sent = serve(retouch);
		uploads();
		const items = [
			{ json: { field: 'image_urls' }, binary: { data: binary('content') } },
			{ json: { field }, binary: { data: { ...binary(text), ...facts } } },
		];
		const options = { idempotencyKey: 'mine', concurrency: 1 };
		const parameters = { ...edit(rows(['data', '={{ $json.field }}'])), options };
		await run('create', parameters, { settings: CONTINUE, items });
		expect(sent.map(({ key }) => key)).toStrictEqual(isSame ? ['mine', 'mine'] : ['mine']);
	},
);

it.each<[string, object]>([
	['model', { model: locator('={{ $json.own }}') }],
	['session', { options: { idempotencyKey: 'mine', concurrency: 1, sessionId: '={{ $json.own }}' } }],
])('of two items with one Idempotency Key, neither is sent with another %s', async (_, parameters) => {
	const sent = serve(painter(), painter({}, { id: 'acme/other' }));
	const items = ['acme/painter', 'acme/other'].map((own) => ({ json: { own } }));
	const same = { model, prompt: 'a', options: { idempotencyKey: 'mine', concurrency: 1 } };
	const result = await run('create', { ...same, ...parameters }, { settings: CONTINUE, items });
	expect(sent).toStrictEqual([]);
	expect(result.items.map(({ json }) => 'error' in json)).toStrictEqual([true, true]);
});

it('a file is uploaded once when the task request is retried', async () => {
	catalogue([retouch]);
	const bodies = uploads();
	gateway().post(TASKS).twice().reply(503, '', { 'retry-after': '0' });
	const sent = creations();
	await run('create', edit(rows(['data', 'image_urls'])), { items: [item({ data: 'x' })] });
	expect(sent).toHaveLength(1);
	expect(bodies).toHaveLength(1);
});
