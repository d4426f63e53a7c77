import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { ITaskData } from 'n8n-workflow';
import { z } from 'zod';

import { rejection } from '../helpers/client';
import { collected, nodesByName } from '../helpers/panel';
import { eventually, passTime } from '../helpers/time';
import { locator } from '../helpers/values';
import { type LangChainModel, streamed } from '../nodes/chatModel/support';
import { respondJson } from '../stories/support';
import { useReports } from './support';

// What an agent, and its user, get of a response that is paid for.

const { gateway, respond } = useReports();

type Ask = (lc: LangChainModel, messages?: BaseMessage[]) => Promise<AIMessage>;

const usage = { prompt_tokens: 3, completion_tokens: 4, cost_rub: 0.5 };
const WAYS: Array<[way: string, ask: Ask, response: (message: object, end: string) => object]> = [
	[
		'whole',
		async (lc, messages = [new HumanMessage('Go')]) => await lc.invoke(messages),
		(message, finish_reason) => ({ id: 'c1', choices: [{ index: 0, message, finish_reason }], usage }),
	],
	[
		'streamed',
		streamed,
		(delta, finish_reason) => [
			{ id: 'c1', choices: [{ index: 0, delta, finish_reason }] },
			{ id: 'c1', choices: [], usage },
		],
	],
];

const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } }];
const call = (args: unknown) => [
	{ index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: args } },
];

const RIGHT: Array<[title: string, message: object, right: object]> = [
	['a refusal is the text', { content: null, refusal: 'I must not' }, { text: 'I must not' }],
	['a text beside a picture is the text', { content: 'Here', images }, { text: 'Here' }],
	['thoughts are no text', { content: 'Hi', reasoning: 'Hm' }, { text: 'Hi' }],
	[
		'a tool call beside a picture is made',
		{ content: '', images, tool_calls: call('{"city":"Omsk"}') },
		{ text: '', tool_calls: [{ id: 'a', name: 'look', args: { city: 'Omsk' } }] },
	],
	[
		'a tool call keeps null in its arguments, and its text',
		{ content: 'Hm', tool_calls: call('{"city":null,"days":[null,1]}') },
		{ text: 'Hm', tool_calls: [{ args: { city: null, days: [null, 1] } }] },
	],
	[
		'a tool call without arguments is made',
		{ content: '', tool_calls: call('') },
		{ tool_calls: [{ args: {} }] },
	],
];

const WRONG: Array<[title: string, message: object, end: string, error: string, advice: string]> = [
	[
		'nothing but thoughts, up to the limit',
		{ content: '', reasoning: 'Hm' },
		'length',
		'The model responded with no text',
		"The text is cut off at 40 tokens. Raise the option 'Max Tokens'.",
	],
	[
		'nothing, as it is filtered',
		{ content: '' },
		'content_filter',
		'The model responded with no text',
		'Rephrase the prompt',
	],
	[
		'a picture alone',
		{ content: '', images },
		'stop',
		'The model responded with an image and no text',
		'Choose another model, or use Gateway Text Generation or Gateway Media Task, also as a tool.',
	],
	[
		'sound alone',
		{ content: '', audio: { data: 'aGk=' } },
		'stop',
		'The model responded with audio and no text',
		'Choose another model, or use Gateway Text Generation or Gateway Media Task, also as a tool.',
	],
	...(
		[
			[
				'that are not JSON',
				'{"city":Omsk',
				'tool_calls',
				'not JSON',
				'Run it again, describe the tool’s input',
			],
			['that are cut off', '{"city":"Om', 'length', 'not JSON', "raise the option 'Max Tokens'"],
			['that are a list', '[1,null]', 'tool_calls', 'no JSON object', 'The arguments: “[1,null]”'],
		] as const
	).map(([title, args, end, lack, advice]): (typeof WRONG)[number] => [
		`a tool call with arguments ${title}`,
		{ content: '', tool_calls: call(args) },
		end,
		`The model called the tool "look" with arguments that are ${lack}`,
		advice,
	]),
];

describe.each(WAYS)('in a response that comes %s', (_way, ask, response) => {
	test.each(RIGHT)('%s', async (_, message, right) => {
		const { lc } = await gateway.chatModel();
		respond(response(message, 'stop'));
		expect(await ask(lc)).toMatchObject(right);
	});

	test.each(WRONG)('%s is an error with its cost and what to do', async (_, message, end, error, advice) => {
		const { lc } = await gateway.chatModel({ options: { maxTokens: 40 } });
		respond(response(message, end));
		const { message: words, description } = (await rejection(ask(lc))) as Record<string, string>;
		expect(words).toBe(error);
		expect(description).toContain(advice);
		expect(description).toMatch(/The call cost ₽0\.50\.$/);
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(1);
	});
});

// The reasoning that goes back is as long as its text: a full context window costs ₽600.
test.each<[string, object]>([
	['*Max Cost per Execution*', { options: { maxCostRub: 100 } }],
	['*Minimum Balance*', { minBalanceRub: 900 }],
])('an agent whose model reasons goes on after its tool calls with %s', async (_, limits) => {
	gateway.control.setBalance('1000', 'agent');
	const { key: apiKey } = gateway.control.createKey({ account: 'agent' });
	for (const format of ['chat', 'responses', 'messages']) {
		const parameters = { format, model: locator('sandbox/recall-5') };
		const { lc: model } = await gateway.chatModel({ apiKey, parameters, ...limits });
		const lc = model.bindTools([
			{ name: 'count', description: 'Counts', schema: z.object({}), invoke: () => '' },
		]);
		const messages: BaseMessage[] = [new HumanMessage('Please use the tool')];
		const first = await lc.invoke(messages);
		const id = first.tool_calls?.[0]?.id ?? '';
		const second = await lc.invoke([
			...messages,
			first,
			new ToolMessage({ tool_call_id: id, content: '[7]' }),
		]);
		expect(second.text).toContain('The tool answered: [7]');
	}
	expect(gateway.control.ledger('agent')).toHaveLength(6);
});

test('a request that waits for the rate limit is not sent any more when the agent has ended', async () => {
	const action = { kind: 'error', code: 'rate_limit_exceeded' } as const;
	gateway.control.addFault({ match: { method: 'POST' }, action });
	const sent = () => gateway.control.requests({ method: 'POST' }).length;
	const { lc, close } = await gateway.chatModel();
	const asked = rejection(lc.invoke([new HumanMessage('Go')]));
	await eventually(() => sent() === 1);
	await close();
	await asked;
	await passTime(600_000);
	expect([sent(), gateway.charges()]).toStrictEqual([1, 0]);
});

// Bytes of a file would be charged as text.
test.each<[string, string, boolean]>([
	['a data URL', `data:image/png;base64,${'A'.repeat(5_000)}`, false],
	['base64', 'Aa0+'.repeat(250), false],
	['short base64', 'A'.repeat(999), true],
	['long text', 'word '.repeat(400), true],
])('a tool that returns %s', async (_, content, isSent) => {
	const { lc } = await gateway.chatModel();
	const made = new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 'look', args: {} }] });
	const result = new ToolMessage({
		tool_call_id: 'a',
		content: [{ type: 'json', json: { id: 7, content } }],
	});
	await lc.invoke([new HumanMessage('Look'), made, result]);
	const [request] = gateway.control.requests({ method: 'POST' });
	const { messages } = request?.body.json as { messages: Array<{ content: string }> };
	const shown = isSent ? content : '(a file, left out)';
	expect(messages[2]?.content).toBe(JSON.stringify({ type: 'json', json: { id: 7, content: shown } }));
});

test('a text file in Windows-1251 is refused, and nothing is sent', async () => {
	const { lc } = await gateway.chatModel();
	const data = Buffer.from([0xcf, 0xf0, 0xe8]).toString('base64');
	const file = { type: 'file', mimeType: 'text/csv', data, metadata: { filename: 'a.csv' } };
	const error = await rejection(lc.invoke([new HumanMessage({ content: [file] })]));
	expect(error).toMatchObject({ message: expect.stringMatching(/"a\.csv" is not in UTF-8/) as string });
	expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
});

describe('tools whose names vendors refuse', () => {
	const named = (...names: string[]) =>
		names.map((name) => ({ name, description: 'Looks', schema: z.object({}), invoke: () => '' }));
	const bodyOf = () => {
		const body = gateway.control.requests({ method: 'POST' }).at(-1)?.body.json;
		return body as { tools: object[]; tool_choice: unknown; messages: object[] };
	};
	const functions = () => bodyOf().tools.map((tool) => (tool as { function: { name: string } }).function);

	test.each<[string[], string[]]>([
		[
			['Test Tool', 'look'],
			['Test_Tool', 'look'],
		],
		[
			['Карточка товара', 'Цена'],
			['tool', 'tool_2'],
		],
		[
			['Test Tool', 'Test_Tool', 'Test.Tool'],
			['Test_Tool_2', 'Test_Tool', 'Test_Tool_3'],
		],
		[['a'.repeat(70)], ['a'.repeat(64)]],
		// Two that are equal as far as a name may reach.
		[
			['a'.repeat(70), 'a'.repeat(71)],
			['a'.repeat(64), `${'a'.repeat(62)}_2`],
		],
		[['n8n.io/lookup (v2)'], ['n8n_io_lookup_v2_']],
	])('%j are sent as %j, and the agent gets its own names', async (own, sent) => {
		for (const [, ask, response] of WAYS) {
			const { lc } = await gateway.chatModel();
			const calls = sent.map((name, index) => ({
				index,
				id: `c${index}`,
				type: 'function',
				function: { name, arguments: '{}' },
			}));
			respond(response({ content: null, tool_calls: calls }, 'tool_calls'));
			const answer = await ask(lc.bindTools(named(...own)));
			expect(functions().map(({ name }) => name)).toStrictEqual(sent);
			expect(answer.tool_calls?.map(({ name }) => name)).toStrictEqual(own);
		}
	});

	test.each<[string, string, object, object]>([
		['web_search', 'web_search_2', {}, { webSearch: 'low' }],
		[
			'x_search',
			'x_search_2',
			{ format: 'responses' },
			{ builtIn: { builtInTools: '[{ "type": "x_search" }]' } },
		],
		['answer', 'answer_2', { format: 'messages', outputFormat: 'jsonObject' }, {}],
	])(
		'%s is sent as %s where the request has a tool of that name',
		async (name, sent, parameters, options) => {
			const { lc } = await gateway.chatModel({ parameters: { ...parameters }, options: { ...options } });
			await lc.bindTools(named(name)).invoke([new HumanMessage('Go')]);
			const names = JSON.stringify(bodyOf().tools).match(/"name":"[^"]*"/g) ?? [];
			expect(names[0]).toBe(`"name":"${sent}"`);
			expect(new Set(names).size).toBe(names.length);
		},
	);

	test('the description has the name that is not sent', async () => {
		const { lc } = await gateway.chatModel();
		await lc.bindTools(named('Карточка товара', 'look')).invoke([new HumanMessage('Go')]);
		expect(functions()).toMatchObject([{ description: 'Карточка товара: Looks' }, { description: 'Looks' }]);
	});

	test('earlier calls go back under the names that are sent, also of tools that are gone', async () => {
		const { lc } = await gateway.chatModel();
		const tool_calls = ['Test Tool', 'Old Tool'].map((name) => ({ id: name, name, args: {} }));
		const results = tool_calls.map(({ id }) => new ToolMessage({ tool_call_id: id, content: '7' }));
		const made = new AIMessage({ content: '', tool_calls });
		await lc.bindTools(named('Test Tool')).invoke([new HumanMessage('Go'), made, ...results]);
		const sent = ['Test_Tool', 'Old_Tool'].map((name) => ({ function: { name } }));
		expect(bodyOf().messages[1]).toMatchObject({ tool_calls: sent });
	});

	test.each([
		['of the node', { toolChoice: 'function', toolChoiceName: 'Test Tool' }, {}],
		['of the agent', {}, { tool_choice: 'Test Tool' }],
	])('a choice %s names the tool as it is sent', async (_, options, settings) => {
		const { lc } = await gateway.chatModel({ options });
		await lc.bindTools(named('Test Tool'), settings).invoke([new HumanMessage('Go')]);
		expect(bodyOf().tool_choice).toStrictEqual({ type: 'function', function: { name: 'Test_Tool' } });
	});

	test.each(['chat', 'responses', 'messages'])(
		'*Must Call a Tool* is not sent without tools: %s',
		async (format) => {
			const { lc } = await gateway.chatModel({ parameters: { format }, options: { toolChoice: 'required' } });
			await lc.invoke([new HumanMessage('Go')]);
			expect(bodyOf()).not.toHaveProperty('tool_choice');
		},
	);
});

test.each([
	['file', 'a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
	['audio', 'a.mp3', 'audio/mpeg'],
	['video', 'a.mp4', 'video/mp4'],
])(
	'a %s that models of the API format Messages do not read is refused, and nothing is sent',
	async (type, filename, mimeType) => {
		const { lc } = await gateway.chatModel({ parameters: { format: 'messages' } });
		const data = Buffer.from('PK').toString('base64');
		const file = { type, mimeType, data, metadata: { filename } };
		const error = await rejection(lc.invoke([new HumanMessage({ content: [file] })]));
		expect(error).toMatchObject({
			message: expect.stringContaining(`PDF and text files only, not "${filename}"`) as string,
		});
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	},
);

test.each([
	['chat', 'file', 'a file'],
	['chat', 'audio', 'audio'],
	['responses', 'audio', 'audio'],
	['responses', 'video', 'video'],
	['messages', 'video', 'video'],
])(
	'of the API format %s, a URL of a part of type %s is refused, and nothing is sent',
	async (format, type, kind) => {
		const { lc } = await gateway.chatModel({ parameters: { format } });
		const link = { type, url: 'https://files.test/a' };
		const error = await rejection(lc.invoke([new HumanMessage({ content: [link] })]));
		expect(error).toMatchObject({ message: expect.stringContaining(`takes no URL of ${kind}`) as string });
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	},
);

describe('what the text node has, too', () => {
	const infoOf = (logged: ITaskData[]) => {
		const [{ response } = {}] = logged.map(({ data }) => data?.ai_languageModel?.[0]?.[0]?.json);
		const { generations } = response as { generations: Array<Array<{ generationInfo: object }>> };
		return generations[0]?.[0]?.generationInfo;
	};
	const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.test/', title: 'A' } }];
	const used = {
		...usage,
		prompt_tokens_details: { cached_tokens: 2 },
		completion_tokens_details: { reasoning_tokens: 1 },
	};

	test.each(WAYS)(
		'the log of a response that comes %s has citations, provider and kinds of tokens',
		async (_, ask, response) => {
			const body = [response({ content: 'Hi', annotations }, 'stop')].flat().map((part) => ({
				...part,
				provider: 'Acme',
				...('usage' in part ? { usage: used } : {}),
			}));
			respond(body.length === 1 ? { ...body[0] } : body);
			const { lc, logged } = await gateway.chatModel({ options: { webSearch: 'low' } });
			await ask(lc);
			await eventually(() => logged().length === 1);
			expect(infoOf(logged())).toMatchObject({
				provider: 'Acme',
				sources: [{ url: 'https://a.test/', title: 'A' }],
				usage: { cachedInputTokens: 2, reasoningTokens: 1 },
			});
		},
	);

	test('*Stream* gives a chain 15 minutes', async () => {
		gateway.control.configure({ stream: { deltaDelayMs: 60_000 } });
		const { lc } = await gateway.chatModel({ options: { stream: true } });
		const began = Date.now();
		const { text, tool_calls: calls } = await lc.invoke([
			new HumanMessage('[[say:one two three four five six seven]]'),
		]);
		expect([text, calls]).toStrictEqual(['one two three four five six seven', []]);
		expect(Date.now() - began).toBeGreaterThan(360_000);
		expect(gateway.control.requests({ method: 'POST' })).toMatchObject([
			{ body: { json: { stream: true } } },
		]);
		expect(gateway.charges()).toBe(1);
	});

	test('without *Stream*, an agent that streams gets the whole response at once', async () => {
		const { lc } = await gateway.chatModel({ options: { stream: false } });
		const { text } = await streamed(lc, [new HumanMessage('[[say:one two]]')]);
		expect(text).toBe('one two');
		const [request] = gateway.control.requests({ method: 'POST' });
		expect(request?.body.json).not.toHaveProperty('stream');
	});

	test.each(WAYS)('without the option, a response comes %s as the agent or chain asks', async (way, ask) => {
		const { lc } = await gateway.chatModel();
		await ask(lc);
		const [request] = gateway.control.requests({ method: 'POST' });
		expect((request?.body.json as { stream?: boolean }).stream).toBe(way === 'streamed' ? true : undefined);
	});
});

test('a call that the gateway stopped after 300 s names *Stream*, which the chat model has', async () => {
	gateway.control.addFault({
		match: { method: 'POST' },
		action: respondJson({ error: { code: 'timeout', message: 'Timeout' } }, 504),
	});
	const { lc } = await gateway.chatModel({});
	const error = await rejection(lc.invoke([new HumanMessage('Go')]));
	expect(error).toMatchObject({ description: expect.stringContaining("The option 'Stream'") as string });
	const options = nodesByName.chatModel?.description.properties.find(({ name }) => name === 'options');
	expect(options && collected(options).map(({ displayName }) => displayName)).toContain('Stream');
});
