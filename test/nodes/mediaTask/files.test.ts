import nock from 'nock';

import type { INodeExecutionData } from 'n8n-workflow';

import {
	continueOnFail,
	catalogue,
	creations,
	form,
	gateway,
	model,
	painter,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const SCHEMA = {
	properties: {
		prompt: { type: 'string' },
		image_urls: { type: 'array', title: 'Images', items: { type: 'string', format: 'uri' }, minItems: 1 },
		mask_url: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
	},
	required: ['prompt', 'image_urls'],
	additionalProperties: false,
};
const retouch = painter(SCHEMA);
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
	it('are uploaded, and their URLs are set where the schema expects them', async () => {
		catalogue([retouch]);
		const sent = creations();
		const bodies = uploads();
		const files = rows(['data', 'image_urls'], ['second', 'image_urls'], ['mask', 'mask_url']);
		const items = [item({ data: 'one', second: 'two', mask: 'three' })];
		const { error } = await run('create', edit(files), { items });
		expect(error).toBeUndefined();
		expect(bodies.map((body) => /one|two|three/.exec(body)?.[0])).toStrictEqual(['one', 'two', 'three']);
		expect(sent[0]?.body.input).toStrictEqual({
			prompt: 'a',
			image_urls: ['https://files.test/1', 'https://files.test/2'],
			mask_url: 'https://files.test/3',
		});
	});

	it('are appended to existing values', async () => {
		catalogue([retouch]);
		const sent = creations();
		uploads();
		const value = { prompt: 'a', image_urls: '["https://x.test/0"]' };
		await run('create', edit(rows(['data', 'image_urls']), value), { items: [item({ data: 'x' })] });
		expect(sent[0]?.body.input).toMatchObject({ image_urls: ['https://x.test/0', 'https://files.test/1'] });
	});

	it('are also set in JSON input, by the schema of the model', async () => {
		catalogue([retouch]);
		const sent = creations();
		uploads();
		const parameters = { model, inputMode: 'json', inputJson: '{"prompt":"a"}' };
		await run(
			'create',
			{ ...parameters, inputFiles: rows(['data', 'image_urls']) },
			{ items: [item({ data: 'x' })] },
		);
		expect(sent[0]?.body.input).toStrictEqual({ prompt: 'a', image_urls: ['https://files.test/1'] });
	});

	it('are each item’s own; a missing one is that item’s error before anything of it is sent', async () => {
		catalogue([retouch]);
		const sent = creations();
		const bodies = uploads();
		const items = [item({ data: 'one' }), item({ other: 'x' }), item({ data: 'three' })];
		const result = await run('create', edit(rows(['data', 'image_urls'])), { ...continueOnFail, items });
		expect(sent).toHaveLength(2);
		expect(bodies).toHaveLength(2);
		expect(result.items[1]?.json.error).toMatchObject({
			message:
				"'Input Files', row 1: 'Input Binary Field' names the binary field 'data', which the input item does not have",
			description: 'It has: other. Nothing was sent.',
			param: 'inputFiles',
			code: 'invalid_input',
		});
	});

	test.each<[string, Record<string, string>, object, string]>([
		['an empty file', { data: '' }, rows(['data', 'image_urls']), 'The file is empty'],
		[
			'a row with an empty field from an expression',
			{ data: 'x' },
			rows(['data', '={{ $json.missing }}']),
			"'Input Files', row 1: 'Target Field' is empty",
		],
		[
			'a row with an empty binary field from an expression',
			{ data: 'x' },
			rows(['={{ $json.missing }}', 'image_urls']),
			"'Input Files', row 1: 'Input Binary Field' is empty",
		],
		[
			'a binary from an expression without its bytes',
			{ data: 'x', photo: 'y' },
			rows(['={{ $binary.photo }}', 'image_urls']),
			"'Input Files', row 1: 'Input Binary Field' is an object without the bytes of a file",
		],
	])('rejects %s before anything is sent', async (_, files, inputFiles, message) => {
		catalogue([retouch]);
		const sent = creations();
		const bodies = uploads();
		const { items } = await run('create', edit(inputFiles), { ...continueOnFail, items: [item(files)] });
		expect(items[0]?.json.error).toMatchObject({ message });
		expect([...sent, ...bodies]).toStrictEqual([]);
	});
});

describe('two items with files and one Idempotency Key', () => {
	it.each<[string, boolean, string, object]>([
		['the same content', true, 'content', {}],
		['another name', true, 'content', { fileName: 'other-name.png' }],
		['other content of the same size', false, 'tnetnoc', {}],
		['another type', false, 'content', { mimeType: 'image/jpeg' }],
		['another field', false, 'content', { field: 'mask_url' }],
	])(
		'with %s are sent: %s',
		async (_, isSame, text, { field = 'image_urls', ...facts }: { field?: string }) => {
			catalogue([retouch]);
			const sent = creations();
			uploads();
			const items = [
				{ json: { field: 'image_urls' }, binary: { data: binary('content') } },
				{ json: { field }, binary: { data: { ...binary(text), ...facts } } },
			];
			const options = { idempotencyKey: 'mine', concurrency: 1 };
			const parameters = { ...edit(rows(['data', '={{ $json.field }}'])), options };
			await run('create', parameters, { ...continueOnFail, items });
			expect(sent.map(({ key }) => key)).toStrictEqual(isSame ? ['mine', 'mine'] : ['mine']);
		},
	);
});

describe('a file', () => {
	it('is uploaded once when the task request is retried', async () => {
		catalogue([retouch]);
		const bodies = uploads();
		gateway().post(TASKS).twice().reply(503, '', { 'retry-after': '0' });
		const sent = creations();
		await run('create', edit(rows(['data', 'image_urls'])), { items: [item({ data: 'x' })] });
		expect(sent).toHaveLength(1);
		expect(bodies).toHaveLength(1);
	});
});
