import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';
import { z as zodOfAnotherVersion } from 'zod/v4';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { toChatMessages } from '../../../nodes/ChatModel/messages';
import { keptReasoning } from '../../../nodes/ChatModel/messages';
import { toToolDefinitions } from '../../../nodes/ChatModel/sdk';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { gateway } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { endpoints } from '../text/support';
import { modelWith } from './mocked';
import { supplied } from './supplied';
import { callOf, streamed, streamOf, whole } from './support';

useNock();

const FORMATS = ['chat', 'responses', 'messages'] as const;

type Format = (typeof FORMATS)[number];

interface Request extends INodeParameters {
	format?: Format;
	options?: INodeParameters;
}
interface Call {
	messages?: BaseMessage[];
	tools?: unknown[];
	toolChoice?: string;
	/** Other options of the call. */
	more?: object;
	response?: string;
}

const GO = [new HumanMessage('Go')];

/** Asks the model of a node: the body of the request, which has the key in its header. */
async function ask({ options = {}, ...parameters }: Request, call: Call = {}) {
	const { messages = GO, tools = [], toolChoice, more = {}, response } = call;
	const bodies: JsonObject[] = [];
	const { path = '', response: usual } = endpoints[parameters.format ?? 'chat'] ?? {};
	gateway()
		.post(path, (body) => bodies.push(body as JsonObject) > 0)
		.reply(200, response ?? JSON.stringify(usual), { 'Content-Type': 'application/json' });
	const { lc, close, logged } = await supplied({ parameters, options });
	const settings = toolChoice === undefined ? {} : { tool_choice: toolChoice };
	try {
		const model = tools.length > 0 ? lc.bindTools(tools, settings) : lc;
		await model.invoke(messages, more);
		expect(JSON.stringify(bodies)).not.toContain('sk-test');
		return {
			body: bodies[0] ?? {},
			hints: logged().flatMap(({ hints = [] }) => hints.map(({ message }) => message)),
		};
	} finally {
		await close();
	}
}

describe('wire', () => {
	// Options of the node and of a call in the request.

	/** The bodies without options. */
	const BARE: Record<Format, JsonObject> = {
		chat: { model: 'acme/writer', messages: [{ role: 'user', content: 'Go' }] },
		responses: { model: 'acme/writer', input: 'Go' },
		messages: { model: 'acme/writer', max_tokens: 4096, messages: [{ role: 'user', content: 'Go' }] },
	};

	const [{ options: listed } = {}] = new ChatModel().description.properties.filter(
		({ name }) => name === 'options',
	);
	const panel = listed as INodeProperties[];
	it.each(FORMATS)('%s: sends only the prompt when no option is set', async (format) =>
		expect((await ask({ format })).body).toStrictEqual(BARE[format]),
	);

	it('no option mentions a raw output, which an agent does not have', () => {
		const descriptions = panel.map(({ description = '' }) => description);
		expect(descriptions.filter((text) => /simplify|raw output/i.test(text))).toStrictEqual([]);
	});

	it.each<[string, INodeParameters, object, object]>([
		[
			'may have stop sequences',
			{ sampling: { stop: ['A'], topK: 2 } },
			{ stop: ['B'] },
			{ stop: ['B'], top_k: 2 },
		],
		[
			'keep the node’s stop sequences when they have none',
			{ sampling: { stop: ['A'] } },
			{ stop: [] },
			{ stop: ['A'] },
		],
		['of other kinds are not sent', {}, { timeout: 5_000, metadata: { a: 1 }, temperature: 1 }, {}],
	])('options of a call %s', async (_, options, call, fields) =>
		expect((await ask({ options }, { more: call })).body).toStrictEqual({ ...BARE.chat, ...fields }),
	);
});

describe('the tokens of a text, by which chains split it,', () => {
	let fetched: jest.SpyInstance;
	beforeEach(() => {
		fetched = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no connection'));
	});
	afterEach(() => fetched.mockRestore());

	it.each<[unknown, number]>([
		['', 0],
		['four', 1],
		['five!', 2],
		['четыре', 3],
		['文字文字', 3],
		[[{ type: 'text', text: 'four' }, { type: 'image_url', image_url: { url: 'data:' } }, 'more'], 2],
		[[null, { type: 'text' }], 0],
	])('are counted without a request: %j', async (content, tokens) => {
		const { lc } = await modelWith(whole({ content: 'Hi' }));
		expect(await lc.getNumTokens(content)).toBe(tokens);
		expect(await lc.bindTools([]).getNumTokens(content)).toBe(tokens);
		expect(fetched).not.toHaveBeenCalled();
	});
});

describe('text is a string, not a list of blocks', () => {
	it('in a response', async () => {
		const response = await (
			await modelWith(whole({ content: '{"a":1}' }))
		).lc.invoke([new HumanMessage('Go')]);
		expect(response.content).toBe('{"a":1}');
	});

	it('in each chunk of a stream, and in all of them together', async () => {
		const { lc } = await modelWith(streamOf({ content: '{"title":' }, { content: '"Rivers"}' }));
		for await (const { content } of await lc.stream([new HumanMessage('Go')])) {
			expect(typeof content).toBe('string');
		}
		const again = await modelWith(streamOf({ content: '{"title":' }, { content: '"Rivers"}' }));
		expect((await streamed(again.lc)).content).toBe('{"title":"Rivers"}');
	});
});

/** A tool of an agent. */
const tool = (name: string, description = 'Searches', schema: unknown = z.object({})) => ({
	name,
	description,
	schema,
	invoke: () => '',
});

it.each<[string, unknown, unknown]>([
	['any', 'any', 'required'],
	['auto', 'auto', 'auto'],
	['none', 'none', 'none'],
	['nothing', undefined, undefined],
	['an empty text', '', undefined],
	['a name', 'search', { type: 'function', function: { name: 'search' } }],
	[
		'a function',
		{ type: 'function', function: { name: 'search' } },
		{ type: 'function', function: { name: 'search' } },
	],
	['a tool', { type: 'tool', name: 'search' }, { type: 'function', function: { name: 'search' } }],
	['an object without a name', { type: 'auto' }, undefined],
])('understands LangChain’s choice of tools, also when they are added again: %s', async (_, choice, wire) => {
	const { lc, requests } = await modelWith(whole({ content: 'Hi' }));
	const [search, mail, news] = [tool('search'), tool('mail'), tool('news')];
	await lc.bindTools([search, mail], { tool_choice: choice }).bindTools([search, news]).invoke(GO);
	expect(requests[0]?.tool_choice).toStrictEqual(wire);
	const names = (requests[0]?.tools as Array<{ function: { name: string } }>).map((one) => one.function.name);
	expect(names).toStrictEqual(['mail', 'search', 'news']);
});

describe('tools', () => {
	async function sentParameters(schema: unknown): Promise<unknown> {
		const { lc, requests } = await modelWith(whole({ content: 'Hi' }));
		await lc.bindTools([tool('search', 'Searches', schema)]).invoke(GO);
		const [sent] = requests[0]?.tools as Array<{ function: { parameters: unknown } }>;
		return sent?.function.parameters;
	}

	describe('the input of a tool', () => {
		const wanted = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };

		it.each([
			['JSON Schema', wanted],
			[
				'a zod that converts itself to JSON Schema',
				{
					'~standard': {},
					safeParse: () => undefined,
					// Defaults need not be given, and dates do not throw.
					toJSONSchema: ({ io, unrepresentable }: Record<string, string>) =>
						io === 'input' && unrepresentable === 'any' ? wanted : {},
				},
			],
		])('written with %s is sent', async (_, schema) =>
			expect(await sentParameters(schema)).toStrictEqual(wanted),
		);

		it.each([{}, { type: 'object' }])('that takes nothing is an object without fields: %j', async (schema) =>
			expect(await sentParameters(schema)).toStrictEqual({ type: 'object', properties: {} }),
		);

		it('written with a zod that does not is rejected before anything is sent', async () => {
			const { lc, requests } = await modelWith(whole({ content: 'Hi' }));
			const foreign = tool('search', '', zodOfAnotherVersion.object({ q: zodOfAnotherVersion.string() }));
			await expect(lc.bindTools([foreign]).invoke(GO)).rejects.toMatchObject({
				name: 'NodeOperationError',
				message: 'The Gateway Chat Model cannot read what the tool "search" takes',
			});
			expect(requests).toStrictEqual([]);
		});
	});

	const definitionOf = (name: string, schema: unknown = {}) =>
		toToolDefinitions([{ type: 'function', name, inputSchema: {} }], () => schema as object);

	it.each([
		['an old zod', { safeParse: (): void => undefined }],
		['another schema library', { '~standard': {} }],
		['a schema that cannot be converted', { safeParse: (): void => undefined, toJSONSchema: 'no function' }],
	])('a tool written with %s is rejected', (_, schema) =>
		expect(() => definitionOf('t', schema)).toThrow('cannot read what the tool "t" takes'),
	);

	it('the model with tools keeps the callbacks and metadata of the model', async () => {
		const { lc } = await modelWith(whole({ content: 'Hi' }));
		const selector = { name: 'selector' };
		lc.callbacks = [...lc.callbacks, selector];
		lc.metadata = { sourceNodeName: 'Model' };
		const bound = lc.bindTools([]);
		expect(bound.callbacks).toStrictEqual(lc.callbacks);
		expect(bound.metadata).toStrictEqual({ sourceNodeName: 'Model' });
	});

	describe('structured output', () => {
		const schema = z.object({ city: z.string(), unit: z.string().default('°C') });
		const response = (name: string, args = '{"city":"Omsk"}') =>
			whole({ content: null, tool_calls: [callOf('a', name, args)] }, 'tool_calls');

		it('is a required tool call, parsed by the schema', async () => {
			const { lc, requests } = await modelWith(response('extract'));
			expect(await lc.withStructuredOutput(schema).invoke(GO)).toStrictEqual({ city: 'Omsk', unit: '°C' });
			expect(requests).toMatchObject([
				{
					tool_choice: { type: 'function', function: { name: 'extract' } },
					tools: [
						{ function: { name: 'extract', parameters: { properties: { city: { type: 'string' } } } } },
					],
				},
			]);
		});

		it('is read from a stream', async () => {
			const { lc } = await modelWith(streamOf({ tool_calls: [callOf('a', 'extract', '{"city":"Omsk"}')] }));
			const chunks: unknown[] = [];
			for await (const chunk of await lc.withStructuredOutput(schema).stream(GO)) chunks.push(chunk);
			expect(chunks).toStrictEqual([{ city: 'Omsk', unit: '°C' }]);
		});

		it('is read from the call of its function among others, and keeps null', async () => {
			const calls = [callOf('a', 'other', '{}', 0), callOf('b', 'extract', '{"a":{"b":null}}', 1)];
			const { lc } = await modelWith(whole({ content: 'Hm', tool_calls: calls }, 'tool_calls'));
			expect(await lc.withStructuredOutput({ type: 'object' }).invoke(GO)).toStrictEqual({ a: { b: null } });
		});

		it('that is missing or does not fit the schema is an error', async () => {
			const said = (await modelWith(whole({ content: 'Omsk' }))).lc.withStructuredOutput(schema);
			await expect(said.invoke(GO)).rejects.toThrow('it did not call "extract"');
			const wrong = (await modelWith(response('extract', '{"city":5}'))).lc.withStructuredOutput(schema);
			await expect(wrong.invoke(GO)).rejects.toThrow(/expected.*string/is);
		});
	});
});

describe('response format', () => {
	// The response format, and the choice of tools, of the node.

	const search = tool('search', 'Searches', { type: 'object', properties: {} });
	/** A conversation in which the tool has been called. */
	const called: BaseMessage[] = [
		...GO,
		new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'search', args: {}, type: 'tool_call' }] }),
		new ToolMessage({ tool_call_id: 'c1', content: 'Found' }),
	];

	const place = {
		outputFormat: 'jsonSchema',
		schemaName: 'place',
		jsonSchema: '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}',
	};

	it.each(['any', 'auto'])('the response format is sent with the choice of tools %s', async (toolChoice) => {
		expect((await ask(place, { tools: [search], toolChoice })).body).toHaveProperty('response_format');
	});

	it('the response format gives way to a tool that the node must have called', async () => {
		const response = whole({ content: null, tool_calls: [callOf('a', 'search', '{}')] }, 'tool_calls');
		const { body } = await ask(place, { tools: [search], toolChoice: 'search', response });
		expect(body).not.toHaveProperty('response_format');
		expect(body.tool_choice).toStrictEqual({ type: 'function', function: { name: 'search' } });
	});

	it('no hint says that the JSON of the response format is missing when a tool must be called', async () => {
		const call = { tools: [search], response: whole({ content: 'Hi' }) };
		const forced = await ask(place, { ...call, toolChoice: 'search' });
		expect(forced.hints.join()).not.toContain('not JSON');
		expect((await ask(place, call)).hints.join()).toContain('not JSON');
	});

	describe('the choice of tools', () => {
		const choice = (toolChoice: string, more: INodeParameters = {}) => ({ options: { toolChoice, ...more } });
		const builtIn = { builtIn: { builtInTools: '[{"type": "web_search"}]' } };

		it('is not sent where the model decides', async () => {
			const { body } = await ask(choice('auto'), { tools: [search] });
			expect(body).not.toHaveProperty('tool_choice');
		});

		it('forces a built-in tool where the agent has no tools', async () => {
			const { body } = await ask({ ...choice('required', builtIn), format: 'responses' });
			expect(body).toMatchObject({ tools: [{ type: 'web_search' }], tool_choice: 'required' });
		});

		it('is for the first request of a message of the user: after the result of a tool the model decides', async () => {
			const required = await ask(choice('required'), { tools: [search], messages: called });
			expect(required.body).not.toHaveProperty('tool_choice');
			const none = await ask(choice('none'), { tools: [search], messages: called });
			expect(none.body.tool_choice).toBe('none');
			const next = await ask(choice('required'), {
				tools: [search],
				messages: [...called, new HumanMessage('Next')],
			});
			expect(next.body.tool_choice).toBe('required');
		});

		it('of an agent or chain without tools is not sent', async () => {
			const { lc, requests } = await modelWith(whole({ content: 'Hi' }));
			await lc.bindTools([], { tool_choice: 'any' }).invoke(GO);
			expect(requests[0]).not.toHaveProperty('tool_choice');
		});

		it('gives way to that of the agent or chain', async () => {
			const { body } = await ask(choice('none'), { tools: [search], toolChoice: 'any' });
			expect(body.tool_choice).toBe('required');
		});
	});
});

describe('reasoning', () => {
	// Reasoning that goes back to the model with the results of its tool calls. How the formats send it is in
	// contract/texts.test.ts.

	const kept = {
		source: 'chat m',
		id: 'one',
		text: '',
		parts: [{ reasoning: 'Hm' }],
	};
	const storedAs = (value: unknown) => ({ reasoning_content: JSON.stringify({ aiGatewayReasoning: value }) });
	const called = (id: string, more: object = {}, content = '') =>
		new AIMessage({
			content,
			tool_calls: [{ id, name: 'f', args: {} }],
			additional_kwargs: storedAs({ ...kept, ...more }),
		});
	const result = (id: string) => new ToolMessage({ tool_call_id: id, content: 'x' });
	const go = new HumanMessage('Go');
	const sent = (...messages: BaseMessage[]) => toChatMessages([go, ...messages], 'chat m').slice(1);

	describe('what agents keep', () => {
		it.each([
			['its text', storedAs(kept)],
			['its text, parsed', { reasoning_content: { aiGatewayReasoning: kept } }],
		])('is read from %s', (_, stored) => expect(keptReasoning(stored)).toStrictEqual(kept));

		it.each([
			['the reasoning of another model', { reasoning_content: 'I think' }],
			['other JSON', { reasoning_content: '{"source":"chat m","id":"one"}' }],
			['an incomplete record', storedAs({ source: 'chat m' })],
			['another one', storedAs({ id: 'one' })],
			['nothing', undefined],
		])('%s is not read', (_, value) => expect(keptReasoning(value)).toBeUndefined());
	});

	describe('a message', () => {
		it.each<[string, BaseMessage[]]>([
			['of another format or model', [called('a', { source: 'responses m' })]],
			['of an earlier message of the user', [called('a'), result('a'), new HumanMessage('And?')]],
		])('goes back without reasoning %s', (_, messages) =>
			expect(sent(...messages)[0]).toMatchObject({ reasoning: [] }),
		);

		it('has the text of its completion, which n8n does not keep, once', () => {
			expect(sent(called('a', { text: 'Let me see' }))).toMatchObject([{ text: 'Let me see' }]);
			expect(sent(called('a', { text: 'Let me see' }, 'Let me see'))).toMatchObject([{ text: 'Let me see' }]);
		});
	});

	describe('a completion', () => {
		const reply = { reasoning: 'Hm', content: null, tool_calls: [callOf('a', 'f', '{}')] };

		it.each([
			['calls no tools', { ...reply, tool_calls: [], content: 'Hi' }],
			['has no reasoning', { ...reply, reasoning: null }],
		])('that %s gives nothing', async (_, message) => {
			const response = await (await modelWith(whole(message))).lc.invoke([go]);
			expect(response.additional_kwargs).toStrictEqual({});
		});
	});
});
