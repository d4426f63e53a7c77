import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod';

import { textFormat } from '../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import type { RunOptions, RunResult } from '../helpers/engine';
import { FORMATS, locator } from '../helpers/values';
import { type LangChainModel, streamed } from '../nodes/chatModel/support';
import { b64, film, paper, picture, sound, withFiles } from '../nodes/text/files';
import { useGateway } from './support';

const gateway = useGateway();

describe('incomplete', () => {
	const aboutText = ({ hints }: RunResult) => hints.filter((hint) => hint.startsWith('The text'));

	test.each(FORMATS)('%s: a text that is cut off says so first, and a hint what to do', async (format) => {
		const result = await gateway.generate({ format, options: { maxTokens: 2 } });
		expect(Object.entries(result.items[0]?.json ?? {})[0]).toStrictEqual(['isComplete', false]);
		expect(result.items[0]?.json).toMatchObject({ finishReason: 'length' });
		expect(aboutText(result)).toStrictEqual([
			"The text is cut off at 2 tokens. Raise the option 'Max Tokens'.",
		]);
	});

	test.each<[string, RegExp[]]>([
		['[[say:{"town": 1}]]', [/^The response does not fit the schema: output\.city is missing\. /]],
		['[[say:Oslo]]', [/^The model’s response is not JSON\. /]],
		['[[say:{"city": "Oslo"}]]', []],
	])('a chat model says in a hint that %s is not the JSON that is asked for', async (prompt, expected) => {
		const fields = { field: [{ name: 'city', type: 'text' }] };
		const parameters = { outputFormat: 'jsonFields', fields };
		const { lc, logged } = await gateway.chatModel({ parameters });
		await lc.invoke([new HumanMessage(prompt)]);
		const hints = logged()[0]?.hints?.map(({ message }) => message) ?? [];
		const about = hints.filter((message) => !message.startsWith('Cost'));
		expect(about).toStrictEqual(expected.map((hint) => expect.stringMatching(hint) as string));
	});

	test('a chat model’s JSON that is cut off has one hint, that of each text', async () => {
		const parameters = { outputFormat: 'jsonObject' };
		const { lc, logged } = await gateway.chatModel({ parameters, options: { maxTokens: 2 } });
		await lc.invoke([new HumanMessage('[[say:{"city": "Oslo", "country": "Norway"}]]')]);
		const hints = logged()[0]?.hints?.map(({ message }) => message) ?? [];
		expect(hints.filter((message) => !message.startsWith('Cost'))).toStrictEqual([
			"The text is cut off at 2 tokens. Raise the option 'Max Tokens'.",
		]);
	});

	test('a text that is filtered has a hint to rephrase it', async () => {
		const result = await gateway.generate({ prompt: 'Say [[filter]]' });
		expect(result.items[0]?.json).toMatchObject({ isComplete: false, finishReason: 'content_filter' });
		expect(aboutText(result)).toStrictEqual([expect.stringContaining('Rephrase the prompt')]);
	});

	test('several texts that are cut off give one hint, also in full responses', async () => {
		const items = [{ json: {} }, { json: {} }];
		const result = await gateway.generate({ simplify: false, options: { maxTokens: 2 } }, { items });
		expect(aboutText(result)).toHaveLength(1);
	});
});

const OMNI = 'polyglot/omni-audio';

const PRESETS = [
	{
		resource: 'image',
		operation: 'analyze',
		kind: 'image',
		reply: 'I also received: image',
		file: picture,
		prompt: 'Describe this image',
		part: { type: 'image_url', image_url: { url: `data:image/png;base64,${b64(picture)}` } },
	},
	{
		resource: 'video',
		operation: 'analyze',
		kind: 'video',
		reply: 'I also received: video',
		file: film,
		prompt: 'Describe what happens in this video',
		part: { type: 'video_url', video_url: { url: `data:video/mp4;base64,${b64(film)}` } },
	},
	{
		resource: 'audio',
		operation: 'transcribe',
		kind: 'audio',
		reply: 'Can you move my appointment',
		file: sound,
		prompt: 'Transcribe this audio. Return only the text.',
		part: { type: 'input_audio', input_audio: { data: b64(sound), format: 'mp3' } },
	},
	{
		resource: 'document',
		operation: 'read',
		kind: 'file',
		reply: 'I also received: file',
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
		expect(sent()[0]?.headers['content-length']).toBe(String(sent()[0]?.body.bytes));
		expect(items[0]?.json.text).toContain(preset.reply);
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

it('a file is sent again, as a whole, with the next attempt and to a fallback model', async () => {
	const [audio] = PRESETS.filter(({ kind }) => kind === 'audio');
	if (!audio) throw new Error('there is no preset for audio');
	gateway.control.addFault({
		match: { model: OMNI },
		action: { kind: 'error', code: 'no_providers' },
		times: 2,
	});
	const options = { maxRetries: 1, fallbackModels: ['sandbox/swift-1'] };
	await run(audio, { options }, { items: await fileIn(audio.file) });
	const bodies = sent().map(({ body }) => JSON.stringify(body.json));
	expect(bodies.map((body) => body.includes(JSON.stringify(audio.part)))).toStrictEqual([true, true, true]);
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
		['no URL', { source: 'url', url: '={{ [] }}' }, "'URLs' is empty"],
		['a field too many', { binaryPropertyName: 'photo,b' }, "names the binary field 'b'"],
		['a wrong URL', { source: 'url', url: [one, 'b.png'] }, "'URLs', file 2: the URL is not a web address"],
	])('are refused before sending: %s', async (_, files, message) => {
		const { error } = await run(analyze, files, { items: [await withFiles(picture, sound)] });
		expect(error?.message).toContain(message);
		expect(sent()).toStrictEqual([]);
	});
});

describe('returned reasoning', () => {
	const THINKER = 'sandbox/recall-5';

	const tool = (name: string) => ({
		name,
		description: 'Counts',
		schema: z.object({ word: z.string() }),
		invoke: () => '',
	});

	async function modelOf(format: string, model = THINKER, options = {}): Promise<LangChainModel> {
		const { lc } = await gateway.chatModel({ parameters: { format, model: locator(model) }, options });
		return lc.bindTools([tool('count_words'), tool('count_signs')]);
	}

	type Ask = (lc: LangChainModel, messages: BaseMessage[]) => Promise<AIMessage>;

	const whole: Ask = async (lc, messages) => await lc.invoke(messages);
	const ways: Array<[string, Ask]> = [
		['whole', whole],
		['streamed', streamed],
	];

	const resultsOf = (message: AIMessage) =>
		(message.tool_calls ?? []).map(({ id = '' }) => new ToolMessage({ tool_call_id: id, content: '[7]' }));

	/** The messages that an agent makes of a completion and the results of its tool calls. */
	type Keep = (message: AIMessage) => BaseMessage[];

	const keepWhole: Keep = (message) => [message, ...resultsOf(message)];
	/** n8n's agent stores each tool call with its execution, and makes a message of each. */
	const keepCalls: Keep = (message) =>
		resultsOf(message).flatMap((result, index) => [
			new AIMessage({
				content: [],
				tool_calls: (message.tool_calls ?? []).slice(index, index + 1),
				additional_kwargs: { reasoning_content: message.additional_kwargs.reasoning_content },
			}),
			result,
		]);
	const agents: Array<[string, Keep]> = [
		['the whole message', keepWhole],
		['a message per tool call', keepCalls],
	];

	/** An agent: runs tools until the model responds. */
	async function converse(lc: LangChainModel, prompt: string, ask: Ask, keep: Keep): Promise<AIMessage> {
		const messages: BaseMessage[] = [new HumanMessage(prompt)];
		for (;;) {
			const message = await ask(lc, messages);
			if (!message.tool_calls?.length) return message;
			messages.push(...keep(message));
		}
	}

	const bodies = (format: string) =>
		gateway.control.requests({ path: textFormat(format).path }).map(({ body }) => body.json as JsonObject);

	const returnsReasoning = (body: JsonObject) =>
		/"reasoning_details"|"type":"(reasoning|thinking)"/.test(JSON.stringify(body));
	const hasReasoning = (body: JsonObject) => returnsReasoning(body) || 'include' in body;

	describe.each(FORMATS)('%s', (format) => {
		describe.each(ways)('%s', (_way, ask) => {
			describe.each(agents)('an agent that keeps %s', (_agent, keep) => {
				it.each([
					['two rounds of tools', 'use the tool', '[7] | [7]'],
					['tools that are called together', 'call all tools', '[7] | [7] | [7] | [7]'],
				])('responds after %s', async (_, task, results) => {
					const lc = await modelOf(format);
					const message = await converse(lc, `Please ${task} [[rounds:2]]`, ask, keep);
					expect(message.content).toContain(`The tool answered: ${results}`);
					expect(gateway.charges()).toBe(3);
					expect(bodies(format)).toHaveLength(3);
				});
			});
		});

		it('the model of these tests rejects a tool result without its reasoning', async () => {
			const lc = await modelOf(format);
			const keepNothing: Keep = (message) => {
				const { content, tool_calls: calls = [] } = message;
				return [new AIMessage({ content, tool_calls: calls }), ...resultsOf(message)];
			};
			const failure = converse(lc, 'Please use the tool', whole, keepNothing);
			await expect(failure).rejects.toThrow();
			expect(gateway.charges()).toBe(1);
		});

		it('a fallback model is asked without the reasoning of the first', async () => {
			const first = 'sandbox/thinker-3';
			const second = 'sandbox/swift-1';
			gateway.control.addFault({
				match: { path: textFormat(format).path, model: first, nth: 2 },
				action: { kind: 'error', code: 'no_providers' },
			});
			const lc = await modelOf(format, first, { maxRetries: 0, fallbackModels: [second] });
			await converse(lc, 'Please use the tool', whole, keepWhole);
			expect(bodies(format).map((body) => [body.model, returnsReasoning(body)])).toStrictEqual([
				[first, false],
				[first, true],
				[second, false],
			]);
		});

		it('a fallback model gets its own reasoning back with the results of its tool calls', async () => {
			const first = 'sandbox/swift-1';
			gateway.control.addFault({
				match: { path: textFormat(format).path, model: first },
				action: { kind: 'error', code: 'no_providers' },
				times: 0,
			});
			const lc = await modelOf(format, first, { maxRetries: 0, fallbackModels: [THINKER] });
			const message = await converse(lc, 'Please use the tool [[rounds:2]]', whole, keepCalls);
			expect(message.content).toContain('The tool answered: [7] | [7]');
			expect(gateway.charges()).toBe(3);
		});

		it('a gateway that rejects returned reasoning is asked once more without it', async () => {
			gateway.control.addFault({
				match: { path: textFormat(format).path, nth: 2 },
				action: { kind: 'error', code: 'provider_bad_request' },
			});
			const lc = await modelOf(format, 'sandbox/thinker-3');
			const message = await converse(lc, 'Please use the tool', whole, keepCalls);
			expect(message.content).toContain('The tool answered: [7]');
			expect(gateway.charges()).toBe(2);
			expect(bodies(format).map(hasReasoning)).toStrictEqual([format === 'responses', true, false]);
		});
	});

	test('an input that is too long is not sent again without reasoning', async () => {
		const lc = await modelOf('responses');
		await expect(whole(lc, [new HumanMessage('[[error:context_length_exceeded]]')])).rejects.toThrow();
		expect(bodies('responses')).toHaveLength(1);
	});
});
