import type { INodeExecutionData, StructuredChunk } from 'n8n-workflow';

import { asObject } from '../../nodes/shared/gateway/util/json';
import type { RunOptions } from '../helpers/engine';
import { b64, film, paper, picture, sound, withFiles } from '../nodes/text/files';
import { locator, useGateway } from './support';

// Image: Analyze, Video: Analyze, Audio: Transcribe and Document: Read: Chat Completions with files (§4.2).

const gateway = useGateway();

const OMNI = 'polyglot/omni-audio';

const PRESETS = [
	{
		resource: 'image',
		operation: 'analyze',
		kind: 'image',
		file: picture,
		prompt: 'Describe this image',
		part: { type: 'image_url', image_url: { url: `data:image/png;base64,${b64(picture)}` } },
	},
	{
		resource: 'video',
		operation: 'analyze',
		kind: 'video',
		file: film,
		prompt: 'Describe what happens in this video',
		part: { type: 'video_url', video_url: { url: `data:video/mp4;base64,${b64(film)}` } },
	},
	{
		resource: 'audio',
		operation: 'transcribe',
		kind: 'audio',
		file: sound,
		prompt: 'Transcribe this audio. Return only the text.',
		part: { type: 'input_audio', input_audio: { data: b64(sound), format: 'mp3' } },
	},
	{
		resource: 'document',
		operation: 'read',
		kind: 'file',
		file: paper,
		prompt: 'Extract the text of this document. Return only the text.',
		part: {
			type: 'file',
			file: { filename: 'd.pdf', file_data: `data:application/pdf;base64,${b64(paper)}` },
		},
	},
] as const;

type Preset = (typeof PRESETS)[number];

const run = async (
	{ resource, operation }: Pick<Preset, 'resource' | 'operation'>,
	parameters: object,
	more: Partial<RunOptions> = {},
) =>
	await gateway.run({
		node: 'textGeneration',
		...more,
		parameters: { resource, operation, model: locator(OMNI), ...parameters },
	});

const sent = () => gateway.control.requests({ method: 'POST' });
const fileIn = async (file: Preset['file']): Promise<INodeExecutionData[]> => [
	await withFiles({ ...file, name: 'data' }),
];

describe.each(PRESETS)('$resource: $operation', (preset) => {
	it('sends the file of the input with its prompt, and returns the text and the cost', async () => {
		const { items, error } = await run(preset, {}, { items: await fileIn(preset.file) });
		expect(error).toBeUndefined();
		expect(sent().map(({ path, body }) => [path, body.json])).toStrictEqual([
			[
				'/api/v1/chat/completions',
				{
					model: OMNI,
					messages: [{ role: 'user', content: [{ type: 'text', text: preset.prompt }, preset.part] }],
				},
			],
		]);
		expect(items[0]?.json.text).toContain(`I also received: ${preset.kind}`);
		expect(items[0]?.json.costRub).toBe(Number(gateway.control.ledger()[0]?.amount));
	});

	it('sends several files of the input in their order, as one call', async () => {
		const second = { ...preset.file, name: 'b', content: Buffer.concat([preset.file.content, Buffer.of(0)]) };
		const items = [await withFiles(second, { ...preset.file, name: 'a' })];
		const { error } = await run(preset, { binaryPropertyName: 'a, b,' }, { items });
		expect(error).toBeUndefined();
		const other = JSON.parse(JSON.stringify(preset.part).replace(b64(preset.file), b64(second))) as object;
		expect(sent().map(({ body }) => body.json)).toMatchObject([
			{ messages: [{ content: [{ type: 'text' }, preset.part, other] }] },
		]);
	});

	it('says to a tool of an agent, which gets no files, that it takes a URL', async () => {
		const { items, error } = await run(preset, {}, { asTool: true });
		expect(JSON.stringify(error ?? items)).toContain('give the file by its URL');
		expect(sent()).toStrictEqual([]);
	});
});

it.each([
	['streamed when the workflow is', {}, true, true],
	['streamed when the option says so', { stream: true }, false, true],
	['not streamed when the workflow is not', {}, false, false],
	['not streamed when the option says so', { stream: false }, true, false],
])('the response is %s', async (_, options, isWorkflowStreaming, isStreamed) => {
	const chunks: string[] = [];
	const more = isWorkflowStreaming
		? { onChunk: ({ content = '' }: StructuredChunk) => void chunks.push(content) }
		: {};
	const analyze = { source: 'url', url: 'https://files.test/photo.jpg', options };
	const { items, error } = await run({ resource: 'image', operation: 'analyze' }, analyze, more);
	expect(error).toBeUndefined();
	expect(sent().map(({ body }) => asObject(body.json)?.stream === true)).toStrictEqual([isStreamed]);
	const text = isWorkflowStreaming && isStreamed ? items[0]?.json.text : '';
	expect(chunks.join('')).toBe(text);
});

describe('several files', () => {
	const analyze = { resource: 'image', operation: 'analyze' } as const;
	const [one, two] = ['https://files.test/a.png', 'https://files.test/w_9,h_9/b.png'];

	it.each([
		['one', one, [one]],
		['commas', `${one},${two}`, [one, two]],
		['commas with spaces, and one at the end', `${one} , ${two}, `, [one, two]],
		['line breaks', `${one}\n\n${two}\n`, [one, two]],
		['a list from an expression', `={{ ${JSON.stringify([one, two])} }}`, [one, two]],
	])('are URLs with commas in them, given as %s', async (_, url, urls) => {
		const { error } = await run(analyze, { source: 'url', url });
		expect(error).toBeUndefined();
		const content = urls.map((part) => ({ type: 'image_url', image_url: { url: part } }));
		expect(sent()[0]?.body.json).toMatchObject({ messages: [{ content: [{ type: 'text' }, ...content] }] });
	});

	it.each([
		['no file', { binaryPropertyName: '={{ [] }}' }, "'Input Binary Fields' is empty"],
		['only commas', { binaryPropertyName: ' , ' }, "'Input Binary Fields' is empty"],
		['no URL', { source: 'url', url: '={{ [] }}' }, "'URLs': the URL is not a web address"],
		['a field too many', { binaryPropertyName: 'photo,b' }, "names the binary field 'b'"],
		['a wrong URL', { source: 'url', url: [one, 'b.png'] }, "'URLs', file 2: the URL is not a web address"],
	])('are refused before sending: %s', async (_, files, message) => {
		const { error } = await run(analyze, files, { items: [await withFiles(picture, sound)] });
		expect(error?.message).toContain(message);
		expect(sent()).toStrictEqual([]);
	});
});

it('a document is read into the fields of a schema, with options, and fields that have none', async () => {
	const { items } = await run(
		{ resource: 'document', operation: 'read' },
		{
			prompt: 'Read the invoice',
			outputFormat: 'jsonSchema',
			jsonSchema: '{"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}',
			options: { maxTokens: 200, schemaStrict: true, extraBody: '{ "temperature": 0 }' },
		},
		{ items: await fileIn(paper) },
	);
	expect(items[0]?.json.output).toStrictEqual({ total: expect.any(Number) as number });
	expect(sent()[0]?.body.json).toMatchObject({
		temperature: 0,
		max_tokens: 200,
		response_format: { json_schema: { strict: true } },
	});
});
