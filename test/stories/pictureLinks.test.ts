import type { FaultAction } from '../../sandbox/gateway/control/types';
import { binaryStorage } from '../helpers/engine';
import { prompts, text, useStories } from './support';

// Pictures of a text that come as links.

const { gateway, execute } = useStories();

const ASKED = { options: { audioAndImages: { values: { modalities: ['text', 'image'] } } } };
const SIZE = 2_000;

/** Each response, which is charged, has this message. */
function respond(message: object, stream = false) {
	const delta = { choices: [{ index: 0, message, delta: message, finish_reason: 'stop' }] };
	const body = { ...delta, usage: { prompt_tokens: 1, completion_tokens: 1, cost_rub: 0.5 } };
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
		times: 0,
	});
}
const picture = () => gateway.control.createBigFile({ size: SIZE, mimeType: 'image/png' }).url;
const part = (url: string) => ({ type: 'image_url', image_url: { url } });

const SHAPES: Array<[string, (url: string) => object]> = [
	['next to the content', (url) => ({ content: 'Here', images: [part(url)] })],
	['in the content', (url) => ({ content: [{ type: 'text', text: 'Here' }, part(url)] })],
	['as text in a part', (url) => ({ content: 'Here', images: [{ type: 'image_url', image_url: url }] })],
	['as plain text', (url) => ({ content: 'Here', images: [url] })],
	['as one part', (url) => ({ content: 'Here', images: part(url) })],
];

describe.each([false, true])('streamed: %s', (stream) => {
	test.each(SHAPES)('a link %s becomes a file of each item, fetched without the key', async (_, message) => {
		const url = picture();
		respond(message(url), stream);
		const node = text({ options: { ...ASKED.options, ...(stream && { stream }) } });
		const execution = await execute(node, prompts('a', 'b'));
		expect(execution.error).toBeUndefined();
		expect(execution.items()).toHaveLength(2);
		for (const { json, binary } of execution.items()) {
			expect(json).toMatchObject({ text: 'Here', costRub: 0.5 });
			expect(JSON.stringify(json.otherOutput)).toContain(url);
			expect(Object.keys(binary ?? {})).toStrictEqual(['image']);
			expect(binary?.image).toMatchObject({ mimeType: 'image/png', fileExtension: 'png' });
			const bytes = binary?.image && (await (await binaryStorage()).getAsBuffer(binary.image));
			expect(bytes?.length).toBe(SIZE);
		}
		expect(JSON.stringify(gateway.control.requests({ host: 'files' }))).not.toContain(gateway.apiKey);
		expect(gateway.charges()).toBe(stream ? 0 : 2);
	});

	test.each(SHAPES)('a data URL %s becomes a file', async (_, message) => {
		respond(message('data:image/svg+xml,%3Csvg/%3E'), stream);
		const node = text({ options: { ...ASKED.options, ...(stream && { stream }) } });
		const [item] = (await execute(node, prompts('a'))).items();
		expect(item?.json).not.toHaveProperty('otherOutput');
		expect(item?.binary?.image).toMatchObject({ mimeType: 'image/svg+xml' });
	});
});

test('links and data URLs are numbered together', async () => {
	respond({ content: 'Here', images: [picture(), 'data:image/png;base64,aGk=', picture()].map(part) });
	const [item] = (await execute(text(ASKED), prompts('a'))).items();
	expect(Object.keys(item?.binary ?? {})).toStrictEqual(['image', 'image_1', 'image_2']);
});

test.each<[string, object]>([
	['by Extra Body', { extraBody: '{ "modalities": ["image"] }' }],
	['by a size', { audioAndImages: { values: { imageConfigSize: '512x512' } } }],
])('pictures may be asked for %s', async (_, options) => {
	respond({ content: 'Here', images: [part(picture())] });
	const [item] = (await execute(text({ options }), prompts('a'))).items();
	expect(Object.keys(item?.binary ?? {})).toStrictEqual(['image']);
});

test('a link that nobody asked for is not fetched', async () => {
	const url = picture();
	respond({ content: 'Here', images: [part(url)] });
	const [item] = (await execute(text(), prompts('a'))).items();
	expect(item?.binary).toBeUndefined();
	expect(item?.json.otherOutput).toStrictEqual([part(url)]);
	expect(gateway.control.requests({ host: 'files' })).toStrictEqual([]);
});

test.each<[string, FaultAction]>([
	['is gone', { kind: 'raw', status: 404, body: 'empty' }],
	['is a web page', { kind: 'raw', status: 200, body: 'html' }],
	['breaks', { kind: 'cutBody', afterBytes: 10 }],
])('a link that %s loses neither the text nor its URL, and a hint says so', async (_, action) => {
	const url = picture();
	respond({ content: 'Here', images: [part(url)] });
	gateway.control.addFault({ match: { host: 'files' }, action, times: 0 });
	const execution = await execute(text(ASKED), prompts('a', 'b'));
	expect(execution.error).toBeUndefined();
	expect(execution.items()).toHaveLength(2);
	for (const { json, binary } of execution.items()) {
		expect(json).toMatchObject({ text: 'Here', otherOutput: [part(url)], costRub: 0.5 });
		expect(binary).toBeUndefined();
	}
	expect(execution.hints()).toMatch(/picture could not be downloaded.*otherOutput/);
	expect(gateway.charges()).toBe(2);
});
