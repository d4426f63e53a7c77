import nock from 'nock';

import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { catalogue, creations, envelope, files, form, model, painter, run, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

/** Another execution may have created the task of this key, so the first poll has no pause. */
const options = { idempotencyKey: 'mine' };

/** Ends each task, with one file. */
function results(): void {
	nock('https://gateway.test')
		.persist()
		.get(new RegExp(`${TASKS}/`))
		.reply(200, () =>
			envelope({ taskId: 't1', state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' }),
		);
	files().persist().get('/a.png').reply(200, 'bytes', { 'content-type': 'image/png' });
}

const TYPES = [
	['image', 'image'],
	['video', 'video'],
	['music', 'music'],
	['speech', 'audio'],
] as const;

describe.each(TYPES)('%s: generate', (resource, mediaType) => {
	test('creates a task with the prompt, waits for it, and downloads its file', async () => {
		catalogue([painter(sandbox.canvas, { media_type: mediaType })]);
		const sent = creations();
		results();
		const input = form({ quality: 'draft' });
		const { items, error } = await run('generate', { model, prompt: 'A cat', input, options }, {}, resource);
		expect(error).toBeUndefined();
		expect(sent.map(({ body }) => body)).toStrictEqual([
			{ model: 'acme/painter', input: { quality: 'draft', prompt: 'A cat' } },
		]);
		expect(items[0]?.json).toMatchObject({ taskId: 't1', state: 'success', priceRub: 6 });
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'image/png' });
	});

	test.each(TYPES.filter(([other]) => other !== resource))(
		'sends nothing for a model for %s, and names the operation for it',
		async (other, otherType) => {
			catalogue([painter({}, { media_type: otherType })]);
			const sent = creations();
			const parameters = { model, inputMode: 'json', inputJson: '{ "prompt": "A cat" }', options };
			const { error } = await run('generate', parameters, {}, resource);
			const name = other.charAt(0).toUpperCase() + other.slice(1);
			expect(error?.message).toContain(`The media type of the model "acme/painter" is ${name}, not`);
			expect(error?.description).toContain(`'${name}: Generate'`);
			expect(sent).toStrictEqual([]);
		},
	);
});

describe('image: edit', () => {
	const edit = async (parameters: object, extra: Parameters<typeof run>[2] = {}) =>
		await run(
			'edit',
			{ model, prompt: 'Add a hat', input: form({}), options, ...parameters },
			extra,
			'image',
		);
	const binary = { data: { data: 'YQ==', mimeType: 'image/png', fileName: 'cat.png' } };

	test('creates a task with the file of the item, and downloads the result', async () => {
		catalogue([painter(sandbox.retouch)]);
		const sent = creations();
		results();
		nock('https://gateway.test')
			.post('/api/v1/storage/upload')
			.reply(200, { id: 'f', url: 'https://files.test/cat' });
		const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image_urls' }] };
		const { items, error } = await edit({ inputFiles }, { items: [{ json: {}, binary }] });
		expect(error).toBeUndefined();
		expect(sent.map(({ body }) => body.input)).toStrictEqual([
			{ prompt: 'Add a hat', image_urls: ['https://files.test/cat'] },
		]);
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'image/png' });
	});

	test.each([
		['a form', { input: form({ quality: 'draft' }) }],
		['JSON', { inputMode: 'json', inputJson: '{ "prompt": "Add a hat" }' }],
	])('sends nothing without an image in %s, although the model can do without', async (_, parameters) => {
		catalogue([painter(sandbox.canvas)]);
		const sent = creations();
		const { error } = await edit(parameters);
		expect(error?.message).toBe('There is no image to edit');
		expect(sent).toStrictEqual([]);
	});

	test('takes a URL in the fields of the model, also as a tool, which gets no files', async () => {
		catalogue([painter(sandbox.retouch)]);
		const sent = creations();
		results();
		const input = form({ image_urls: 'https://files.test/cat' });
		const { error } = await edit({ input }, { asTool: true });
		expect(error).toBeUndefined();
		expect(sent.map(({ body }) => body.input)).toStrictEqual([
			{ prompt: 'Add a hat', image_urls: ['https://files.test/cat'] },
		]);
	});
});

/** The input that is sent for the parameters of an operation. */
async function inputOf(
	parameters: object,
	schema: object = sandbox.canvas,
	extra: Parameters<typeof run>[2] = {},
): Promise<unknown> {
	catalogue([painter(schema)]);
	const sent = creations();
	const { error } = await run('create', { model, ...parameters }, extra);
	return sent[0]?.body.input ?? error?.message;
}

describe('the prompt', () => {
	test('goes into the field that the model has for it', async () => {
		expect(await inputOf({ prompt: 'Hello', input: form({ voice: 'anna' }) }, sandbox.speech)).toStrictEqual({
			text: 'Hello',
			voice: 'anna',
		});
	});

	test.each([
		['JSON', { inputJson: '{"n": 1}' }, { n: 1, prompt: 'A cat' }],
		['JSON that begins with an empty prompt', {}, { prompt: 'A cat' }],
	])('is added to %s', async (_, parameters, input) => {
		expect(await inputOf({ prompt: 'A cat', inputMode: 'json', ...parameters })).toStrictEqual(input);
	});

	test.each([
		['JSON', { inputMode: 'json', inputJson: '{"prompt": "A dog"}' }],
		['form', { input: form({ prompt: 'A dog' }) }],
	])('does not replace one in the %s', async (_, parameters) => {
		expect(await inputOf({ prompt: 'A cat', ...parameters })).toStrictEqual({ prompt: 'A dog' });
	});

	test('is called prompt where the catalogue shows no fields', async () => {
		const input = form({ a: 'b' });
		expect(await inputOf({ prompt: 'A cat', input }, {})).toStrictEqual({ a: 'b', prompt: 'A cat' });
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
		expect((await speak()).error).toBeDefined();
		expect(sent.map(({ body }) => body.input)).toStrictEqual([{ text: 'Hello' }]);
	});
});
