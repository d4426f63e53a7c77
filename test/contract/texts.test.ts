import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { INodeExecutionData, StructuredChunk } from 'n8n-workflow';
import { z } from 'zod';

import { textFormat } from '../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import type { FaultAction } from '../../sandbox/gateway/gateway';
import type { RunOptions, RunResult } from '../helpers/engine';
import { quickTime } from '../helpers/time';
import { CONTINUE, FORMATS, locator } from '../helpers/values';
import { type LangChainModel, streamed } from '../nodes/chatModel/support';
import { b64, film, paper, picture, sound, withFiles } from '../nodes/text/files';
import { TEXT_MODEL, useGateway } from './support';

const gateway = useGateway();

it('the error of an unknown previous response names it', async () => {
	const { error } = await gateway.generate({
		format: 'responses',
		options: { context: { values: { previousResponseId: 'resp_unknown' } } },
	});
	expect(error?.description).toContain(
		"With 'Previous Response ID', that response may be unknown. The gateway says: “Response resp_unknown",
	);
});

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
		expect(sent()[0]?.headers['content-length']).toBe(String(sent()[0]?.body.bytes));
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

describe('fallback', () => {
	const [SECOND, THIRD] = ['sandbox/swift-1', 'sandbox/thinker-3'];

	/** What becomes of the calls to a model. */
	function fault(model: string, action: FaultAction): void {
		gateway.control.addFault({ match: { method: 'POST', model }, action, times: 0 });
	}
	const reject = (model: string, code: string) =>
		fault(model, { kind: 'error', code: code as 'no_providers' });
	const asked = () =>
		gateway.control.requests({ method: 'POST' }).map(({ body }) => (body.json as { model: string }).model);
	const generate = async (options: object = {}, more: object = {}, count = 1) =>
		await gateway.generate(
			{ options: { maxRetries: 0, fallbackModels: [SECOND, THIRD], ...options }, ...more },
			{
				items: Array.from({ length: count }, (_, n) => ({ json: { n } })),
				settings: CONTINUE,
			},
		);

	const TRANSIENT = ['rate_limit_exceeded', 'token_limit_exceeded', 'provider_error', 'no_providers'];
	const OF_MODEL = ['model_not_found', 'feature_not_available', 'content_too_large'];
	const OF_ACCOUNT = ['invalid_request', 'invalid_api_key', 'insufficient_quota', 'internal_error'];

	describe.each(FORMATS)('%s: the next model', (format) => {
		test.each([...TRANSIENT, 'service_unavailable', ...OF_MODEL])('is asked after %s', async (code) => {
			reject(TEXT_MODEL, code);
			const { items } = await generate({ rateLimitWait: 0 }, { format });
			expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL] });
			expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
			expect(gateway.charges()).toBe(1);
		});

		// §7.4: in the messages format, there are no codes.
		test.each(OF_ACCOUNT)('is not asked after %s', async (code) => {
			reject(TEXT_MODEL, code);
			const { items } = await generate({}, { format });
			expect(items[0]?.json.error).toBeDefined();
			expect(asked()).toStrictEqual([TEXT_MODEL]);
		});
	});

	describe('the next model', () => {
		it('is asked after an input that is too long', async () => {
			reject(TEXT_MODEL, 'context_length_exceeded');
			expect((await generate()).items[0]?.json).toMatchObject({ model: SECOND });
		});

		test.each(['sub_account_blocked', 'limit_exceeded', 'gateway_timeout'])(
			'is not asked after %s',
			async (code) => {
				reject(TEXT_MODEL, code);
				expect((await generate()).items[0]?.json.error).toMatchObject({ code });
				expect(asked()).toStrictEqual([TEXT_MODEL]);
			},
		);

		test.each<[string, FaultAction]>([
			['lost', { kind: 'loseResponse' }],
			['cut off', { kind: 'cutBody' }],
			['of a proxy', { kind: 'raw', status: 502, body: 'html' }],
			['of a proxy that no longer waits', { kind: 'raw', status: 408, body: 'html' }],
			['for a client that has gone', { kind: 'error', code: 'client_closed_request' }],
		])('is not asked after a response that is %s', async (_, action) => {
			fault(TEXT_MODEL, action);
			const { items } = await generate();
			expect(items[0]?.json.error).toMatchObject({ mayBeCharged: true });
			expect(asked()).toStrictEqual([TEXT_MODEL]);
		});

		it('is not asked after a response that says it has failed', async () => {
			const error = { code: 'context_length_exceeded', message: 'too long' };
			const text = JSON.stringify({ id: 'r1', status: 'failed', error, output: [] });
			fault(TEXT_MODEL, { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } });
			const { items } = await generate({}, { format: 'responses' });
			expect(items[0]?.json.error).toMatchObject({ code: 'context_length_exceeded' });
			expect(asked()).toStrictEqual([TEXT_MODEL]);
		});

		it('is asked without the blanks with which its ID was pasted', async () => {
			reject(TEXT_MODEL, 'no_providers');
			const { items } = await generate({ fallbackModels: [' ', ` ${SECOND}\n`] });
			expect(items[0]?.json).toMatchObject({ model: SECOND });
		});

		it('is asked after the retries of the one before', async () => {
			reject(TEXT_MODEL, 'no_providers');
			await generate({ maxRetries: 1 });
			expect(asked()).toStrictEqual([TEXT_MODEL, TEXT_MODEL, SECOND]);
		});

		it('is asked in its order; the last error names those that were rejected', async () => {
			for (const model of [TEXT_MODEL, SECOND, THIRD]) reject(model, 'no_providers');
			const { items } = await generate();
			expect(asked()).toStrictEqual([TEXT_MODEL, SECOND, THIRD]);
			expect(items[0]?.json.error).toMatchObject({
				code: 'no_providers',
				description: expect.stringMatching(
					`Rejected before: ${TEXT_MODEL} \\(“.+”\\), ${SECOND} \\(“.+”\\)\\. Nothing was charged\\.$`,
				) as string,
			});
			expect(gateway.charges()).toBe(0);
		});

		it('is not asked when the limit of the execution does not allow it', async () => {
			reject(TEXT_MODEL, 'no_providers');
			const options = { fallbackModels: [THIRD], maxTokens: 1_000, maxCostRub: 2 };
			const { items } = await generate(options);
			expect(items[0]?.json.error).toMatchObject({
				param: 'maxCostRub',
				description: expect.stringContaining(`Rejected before: ${TEXT_MODEL} (“`) as string,
			});
			expect(asked()).toStrictEqual([TEXT_MODEL]);
		});

		it('is passed over when the limit of the execution does not allow it, and the one after it does', async () => {
			reject(TEXT_MODEL, 'no_providers');
			const options = { fallbackModels: [THIRD, SECOND], maxTokens: 1_000, maxCostRub: 2 };
			const { items } = await generate(options);
			expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL, THIRD] });
			expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
		});

		it('streams the one response to the chat', async () => {
			reject(TEXT_MODEL, 'no_providers');
			const chunks: StructuredChunk[] = [];
			const onChunk = (chunk: StructuredChunk) => void chunks.push(chunk);
			await gateway.generate(
				{ prompt: '[[say:one two three]]', options: { maxRetries: 0, fallbackModels: [SECOND] } },
				{ onChunk },
			);
			expect(chunks.map(({ type }) => type)).toStrictEqual([
				'begin',
				...chunks.slice(2).map(() => 'item'),
				'end',
			]);
			expect(chunks.map(({ content = '' }) => content).join('')).toBe('one two three');
		});
	});

	describe('after a 429, which pauses the account’s other requests, the next model', () => {
		quickTime(40);
		/** Calls to a model are refused, for so many seconds. */
		const refuse = (model: string, retryAfter: number, times: number) => {
			const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter } as const;
			gateway.control.addFault({ match: { method: 'POST', model }, action, times });
		};
		const one = { fallbackModels: [SECOND] };

		it('is asked where the Retry-After is longer than Rate Limit Wait', async () => {
			refuse(TEXT_MODEL, 1_200, 0);
			const { items } = await generate({ ...one, rateLimitWait: 15 });
			expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
			expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL] });
		});

		it.each<[string, object]>([
			['does not exist', { fallbackModels: ['acme/one'] }],
			['costs too much', { fallbackModels: [THIRD], maxTokens: 1_000, maxCostRub: 2 }],
		])('is not waited for if it %s: the first one is asked again, and waits', async (_, options) => {
			refuse(TEXT_MODEL, 8, 2);
			const { items } = await generate(options);
			expect(items[0]?.json).toMatchObject({ model: TEXT_MODEL });
			expect(items[0]?.json).not.toHaveProperty('fallbackFrom');
		});

		it('waits for its own rate limit if it is the last one', async () => {
			reject(TEXT_MODEL, 'no_providers');
			refuse(SECOND, 8, 1);
			expect((await generate(one)).items[0]?.json).toMatchObject({ model: SECOND });
			expect(asked()).toStrictEqual([TEXT_MODEL, SECOND, SECOND]);
		});
	});

	it.each([
		['is asked before the others', [SECOND], [THIRD, SECOND]],
		['is not repeated', [THIRD, SECOND], [THIRD, SECOND]],
		['may be followed by that of the list', [TEXT_MODEL], [THIRD, TEXT_MODEL]],
	])('a model in Extra Body %s', async (_, fallbackModels, models) => {
		reject(THIRD, 'no_providers');
		const { items } = await generate({ extraBody: JSON.stringify({ model: THIRD }), fallbackModels });
		expect(asked()).toStrictEqual(models);
		expect(items[0]?.json).toMatchObject({ model: models[1], fallbackFrom: [THIRD] });
	});

	it('a fallback model that the gateway does not know is passed over', async () => {
		reject(TEXT_MODEL, 'rate_limit_exceeded');
		const { items } = await generate({ fallbackModels: ['acme/one', THIRD], rateLimitWait: 0 });
		expect(items[0]?.json).toMatchObject({ model: THIRD, fallbackFrom: [TEXT_MODEL, 'acme/one'] });
		expect(gateway.charges()).toBe(1);
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

	test('a model that cannot return encrypted reasoning is asked once without', async () => {
		gateway.control.addFault({
			match: { path: '/responses', nth: 1 },
			action: { kind: 'error', code: 'provider_bad_request' },
		});
		const lc = await modelOf('responses', 'sandbox/swift-1');
		await lc.invoke([new HumanMessage('Hello')]);
		expect(bodies('responses').map(({ include }) => include)).toStrictEqual([
			['reasoning.encrypted_content'],
			undefined,
		]);
		expect(gateway.charges()).toBe(1);
	});

	test('an input that is too long is not sent again without reasoning', async () => {
		const lc = await modelOf('responses');
		await expect(whole(lc, [new HumanMessage('[[error:context_length_exceeded]]')])).rejects.toThrow();
		expect(bodies('responses')).toHaveLength(1);
	});
});
