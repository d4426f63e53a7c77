import { HumanMessage } from '@langchain/core/messages';

import { rejection } from '../helpers/client';
import { binaryStorage } from '../helpers/engine';
import { streamed } from '../nodes/chatModel/support';
import { streamOf, useReports } from './support';

// Two parts of a response say different things: which one counts, in a node and for an agent.

const { ask: askText, gateway, respond, respondText } = useReports();

type Format = 'chat' | 'responses' | 'messages';

const ask = async (format: Format, options: object = { stream: true }) => await askText({ format, options });

const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost: { total_cost: 0.5 } };
const part = { output_index: 0, content_index: 0, item_id: 'm1' };
const deltas = (text: string, place: object = part) =>
	text.split(/(?= )/).map((delta) => ({ type: 'response.output_text.delta', ...place, delta }));
const text = (value: string | null) => ({ type: 'output_text', text: value });
const said = (id: string, ...content: object[]) => ({ type: 'message', id, role: 'assistant', content });
const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item });
const added = (item: object, output_index = 0) => ({
	type: 'response.output_item.added',
	output_index,
	item,
});
const completed = (output?: object[], more: object = {}) => ({
	type: 'response.completed',
	response: { id: 'r1', model: 'm', status: 'completed', output, usage, ...more },
});
const call = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'look' };
const argumentsDone = (args: string) => ({
	type: 'response.function_call_arguments.done',
	output_index: 0,
	item_id: 'f1',
	arguments: args,
});
const thought = (delta: string) => ({
	type: 'response.reasoning_summary_text.delta',
	output_index: 0,
	summary_index: 0,
	delta,
});
const png = (name: string) => Buffer.from(`\x89PNG${name}`, 'latin1').toString('base64');
const preview = (name: string) => ({
	type: 'response.image_generation_call.partial_image',
	output_index: 1,
	item_id: 'i1',
	partial_image_b64: png(name),
});
const PARIS = 'Paris is big.';
const looked = { toolCalls: [{ id: 'c1', name: 'look', arguments: { q: 'x' } }] };

const start = (id: string, content: object[] = [], more: object = {}) => ({
	type: 'message_start',
	message: {
		id,
		type: 'message',
		role: 'assistant',
		model: 'm',
		content,
		usage: { input_tokens: 3 },
		...more,
	},
});
const block = (value: string, index = 0) => ({
	type: 'content_block_start',
	index,
	content_block: { type: 'text', text: value },
});
const textDelta = (value: string, index = 0) => ({
	type: 'content_block_delta',
	index,
	delta: { type: 'text_delta', text: value },
});
const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } };
const stop = { type: 'message_stop' };
const chunk = (delta: object, end: object = {}) => ({ id: 'c1', choices: [{ index: 0, delta, ...end }] });
const finish = (finish_reason = 'stop') => chunk({}, { finish_reason });
const cost = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost_rub: 0.5 };
const costs = (more: object = {}) => ({ choices: [], usage: { ...cost, ...more } });
const chat = (message: object) => ({
	id: 'c1',
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
	usage: cost,
});

/** Events of a Responses stream, and what a node has of them. An agent has the same text and tool calls. */
const RESPONSES: Array<[title: string, events: object[], json: object]> = [
	[
		'an empty part at the end of its item',
		[...deltas(PARIS), done(said('m1', text(''))), completed([])],
		{ text: PARIS },
	],
	[
		'an empty text in the closing event',
		[...deltas(PARIS), completed([said('m1', text(''))])],
		{ text: PARIS },
	],
	['null in the closing event', [...deltas(PARIS), completed([said('m1', text(null))])], { text: PARIS }],
	[
		'one of two items in the closing event',
		[
			...deltas('A.'),
			...deltas(' B.', { ...part, output_index: 1, item_id: 'm2' }),
			completed([said('m1', text('A.'))]),
		],
		{ text: 'A. B.' },
	],
	[
		'a call once more without its arguments',
		[
			added({ ...call, arguments: '' }),
			argumentsDone('{"q":"x"}'),
			done({ ...call, arguments: '' }),
			completed([]),
		],
		looked,
	],
	[
		'a call in the closing event without its arguments',
		[
			added({ ...call, arguments: '' }),
			argumentsDone('{"q":"x"}'),
			completed([{ ...call, arguments: '{}' }]),
		],
		looked,
	],
	[
		'a call beside a message in the closing event',
		[done({ ...call, arguments: '{"q":"x"}' }), completed([said('m1', text('I look.'))])],
		{ text: 'I look.', ...looked },
	],
	[
		'a citation, then an empty list of them',
		[
			...deltas(PARIS),
			{
				type: 'response.output_text.annotation.added',
				...part,
				annotation: { type: 'url_citation', url: 'https://a.test' },
			},
			completed([said('m1', { ...text(PARIS), annotations: [] })]),
		],
		{ text: PARIS, sources: [{ url: 'https://a.test' }] },
	],
	[
		'reasoning, then a closing event without it',
		[
			thought('H'),
			thought('m'),
			...deltas(PARIS, { ...part, output_index: 1 }),
			completed([said('m1', text(PARIS))]),
		],
		{ text: PARIS, reasoning: 'Hm' },
	],
	[
		'reasoning, then an item without it',
		[thought('Hm'), completed([{ type: 'reasoning', id: 's1', summary: [] }, said('m1', text(PARIS))])],
		{ text: PARIS, reasoning: 'Hm' },
	],
	[
		'a text only in the beginning of its part',
		[{ type: 'response.content_part.added', ...part, part: text(PARIS) }, completed([])],
		{ text: PARIS },
	],
	[
		'reasoning only in the beginning of its part',
		[
			{
				type: 'response.reasoning_summary_part.added',
				output_index: 0,
				summary_index: 0,
				part: { type: 'summary_text', text: 'Hm' },
			},
			...deltas(PARIS, { ...part, output_index: 1 }),
			completed([]),
		],
		{ text: PARIS, reasoning: 'Hm' },
	],
	[
		'a closing event that says that the response goes on',
		[...deltas(PARIS), completed([said('m1', text(PARIS))], { status: 'in_progress' })],
		{ text: PARIS, finishReason: 'stop' },
	],
	[
		'a closing event with another place and another ID',
		[
			...deltas(PARIS, { ...part, output_index: 2 }),
			completed([{ type: 'web_search_call', id: 's1' }, said('m9', text(PARIS))]),
		],
		{ text: PARIS },
	],
	[
		'two parts that are one in the closing event',
		[
			...deltas('A.'),
			...deltas(' B.', { ...part, content_index: 1 }),
			completed([said('m1', text('A. B.'))]),
		],
		{ text: 'A. B.' },
	],
	[
		'a cost that is 0 in the closing event',
		[
			{ type: 'response.in_progress', response: { id: 'r1', status: 'in_progress', usage } },
			...deltas(PARIS),
			completed([], { usage: { input_tokens: 0, output_tokens: 4, cost: { total_cost: 0 } } }),
		],
		{ text: PARIS, costRub: 0.5 },
	],
];

test.each(RESPONSES)('Responses: %s', async (_, events, json) => {
	const numbered = events.map((event, sequence_number) => ({ ...event, sequence_number }));
	respond(numbered);
	const result = await ask('responses');
	expect(result.json).toMatchObject({ costRub: 0.5, ...json });
	expect(result.json).not.toHaveProperty('error');
	expect(result.json).not.toHaveProperty('raw');
	const { lc } = await gateway.chatModel({ parameters: { format: 'responses' } });
	respond(numbered);
	const message = await streamed(lc);
	const { text: shown = '', toolCalls = [] } = json as { text?: string; toolCalls?: object[] };
	expect(message.text).toBe(shown);
	expect(message.tool_calls).toMatchObject(
		toolCalls.map((one) => ({ name: 'look', args: (one as { arguments: object }).arguments })),
	);
});

const item = (name: string, id: string, args: string) => ({
	type: 'function_call',
	id,
	call_id: `call_${id}`,
	name,
	arguments: args,
});
const argumentsOf = (id: string, args: string, more: object = {}) => ({
	type: 'response.function_call_arguments.done',
	item_id: id,
	arguments: args,
	...more,
});
const LIST = [item('list', 'f1', '{}'), item('look', 'f2', '{"id":7}')];

/** Two calls, of which one has no arguments: it does not get those of the other. */
const CALLS: Array<[title: string, events: object[]]> = [
	[
		'only the ends of their arguments are streamed',
		[
			argumentsOf('f1', '{}', { output_index: 0 }),
			argumentsOf('f2', '{"id":7}', { output_index: 1 }),
			completed(LIST),
		],
	],
	[
		'items without a place',
		LIST.flatMap(({ arguments: args, ...call }) => [
			{ type: 'response.output_item.added', item: { ...call, arguments: '' } },
			argumentsOf(call.id, args),
			{ type: 'response.output_item.done', item: { ...call, arguments: args } },
		]).concat(completed([]) as never),
	],
	[
		'the closing event has other IDs',
		[
			done(LIST[0] ?? {}),
			done(LIST[1] ?? {}, 1),
			completed(LIST.map((call) => ({ ...call, id: `x${call.id}` }))),
		],
	],
];

test.each(CALLS)('Responses: two calls, %s', async (_, events) => {
	respond(events);
	expect((await ask('responses')).json.toolCalls).toStrictEqual([
		{ id: 'call_f1', name: 'list', arguments: {} },
		{ id: 'call_f2', name: 'look', arguments: { id: 7 } },
	]);
});

test('null as arguments is none, and the tool runs', async () => {
	const toolCall = { id: 'f1', type: 'function', function: { name: 'look', arguments: 'null' } };
	const { lc } = await gateway.chatModel();
	respond(chat({ content: null, tool_calls: [toolCall] }));
	expect((await lc.invoke([new HumanMessage('Go')])).tool_calls).toMatchObject([{ name: 'look', args: {} }]);
});

/** Texts of which an agent has what was streamed, with nothing after it. */
test.each<[title: string, format: Format, events: object[], shown: string]>([
	[
		'a refusal before the text',
		'chat',
		[chunk({ refusal: 'No. ' }), chunk({ content: 'But' }), finish(), costs()],
		'No. But',
	],
	[
		'other white space inside',
		'responses',
		[...deltas('A\nB'), completed([said('m1', text('A\n\nB'))])],
		'A\nB',
	],
	[
		'a block that begins twice',
		'messages',
		[start('a'), block('Hel'), block('Hel'), textDelta('lo'), ended, stop],
		'Hello',
	],
	[
		'a whole message after its blocks',
		'messages',
		[
			start('a'),
			block('Hi'),
			{ type: 'message', id: 'a', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' },
		],
		'Hi',
	],
])('%s (%s): an agent has the text once', async (_, format, events, shown) => {
	const { lc } = await gateway.chatModel({ parameters: { format } });
	respond(events);
	expect((await streamed(lc)).text).toBe(shown);
});

test('Messages: an agent that asks for JSON has the JSON, and no text beside it', async () => {
	const use = {
		type: 'content_block_start',
		index: 1,
		content_block: { type: 'tool_use', id: 't1', name: 'answer', input: {} },
	};
	const args = {
		type: 'content_block_delta',
		index: 1,
		delta: { type: 'input_json_delta', partial_json: '{"a": 1}' },
	};
	const { lc } = await gateway.chatModel({
		parameters: { format: 'messages', outputFormat: 'jsonObject' },
	});
	respond([
		start('a'),
		block('Here it is:'),
		use,
		args,
		{ ...ended, delta: { stop_reason: 'tool_use' } },
		stop,
	]);
	expect(JSON.parse((await streamed(lc)).text)).toStrictEqual({ a: 1 });
});

/** Events of other servers and of other tools. */
const OTHERS: Array<[title: string, events: object[], json: object]> = [
	[
		'reasoning in parts of its content',
		[
			added({ type: 'reasoning', id: 's1' }),
			{
				type: 'response.reasoning_text.delta',
				output_index: 0,
				content_index: 0,
				delta: 'Hm',
			},
			{
				type: 'response.content_part.done',
				output_index: 0,
				content_index: 0,
				part: { type: 'reasoning_text', text: 'Hm' },
			},
			...deltas(PARIS, { ...part, output_index: 1 }),
			completed([
				{ type: 'reasoning', id: 's1', content: [{ type: 'reasoning_text', text: 'Hm' }] },
				said('m1', text(PARIS)),
			]),
		],
		{ text: PARIS, reasoning: 'Hm' },
	],
	[
		'another item with arguments',
		[
			added({ type: 'mcp_approval_request', id: 'a1', name: 'look', arguments: '{"u":1}' }),
			...deltas(PARIS, { ...part, output_index: 1 }),
			completed([]),
		],
		{ text: PARIS, finishReason: 'stop' },
	],
	[
		'arguments without a call',
		[argumentsDone('{"q":"x"}'), ...deltas(PARIS), completed([])],
		{ text: PARIS },
	],
	['response.done', [...deltas(PARIS), { ...completed([]), type: 'response.done' }], { text: PARIS }],
];

test.each(OTHERS)('Responses, other items: %s', async (_, events, json) => {
	respond(events);
	const result = await ask('responses');
	expect(result.json).toMatchObject({ costRub: 0.5, ...json });
	expect(result.json).not.toHaveProperty('toolCalls');
	const { lc } = await gateway.chatModel({ parameters: { format: 'responses' } });
	respond(events);
	const message = await streamed(lc);
	expect([message.text, message.tool_calls]).toStrictEqual([PARIS, []]);
});

test('Responses: a first event without a number counts as one', async () => {
	const events = [...deltas('Hi'), completed([])].map((event, n) => ({ ...event, sequence_number: n + 1 }));
	respond([{ type: 'response.created', response: { id: 'r1', status: 'in_progress' } }, ...events]);
	expect((await ask('responses')).json).toMatchObject({ text: 'Hi', costRub: 0.5 });
});

test.each([true, false])('chat: pages beside the choices are in raw (streamed: %s)', async (stream) => {
	const pages = { citations: ['https://a.test'], search_results: [{ url: 'https://a.test', title: 'A' }] };
	respond(
		stream
			? [{ ...chunk({ content: 'Hi' }), ...pages }, finish(), costs()]
			: { ...chat({ content: 'Hi' }), ...pages },
	);
	expect((await ask('chat', { stream })).json).toMatchObject({ text: 'Hi', raw: pages });
});

test('chat: an agent has a text and the refusal after it, streamed and not', async () => {
	const { lc } = await gateway.chatModel();
	respond(chat({ content: 'Part. ', refusal: 'I must not.' }));
	expect((await lc.invoke([new HumanMessage('Go')])).text).toBe('Part. I must not.');
	respond([chunk({ content: 'Part. ' }), chunk({ refusal: 'I must not.' }), finish(), costs()]);
	expect((await streamed(lc)).text).toBe('Part. I must not.');
});

describe('an image of the built-in tool', () => {
	const final = { type: 'image_generation_call', id: 'i1', result: png('final') };
	const bytes = async ({ items }: Awaited<ReturnType<typeof ask>>) => {
		const storage = await binaryStorage();
		const files = Object.values(items[0]?.binary ?? {});
		const contents = await Promise.all(files.map(async (file) => await storage.getAsBuffer(file)));
		return contents.map((content) => content.toString('latin1').slice(4));
	};

	test('that is only a preview is the last one, with a hint', async () => {
		respond([preview('first'), preview('second'), completed([])]);
		const result = await ask('responses');
		expect(await bytes(result)).toStrictEqual(['second']);
		expect(result.hints.join('\n')).toMatch(/preview/);
	});

	test.each([
		['in the item', [done(final, 1), completed([])]],
		['in the closing event', [completed([final])]],
	])('replaces its previews: %s', async (_, events) => {
		respond([preview('first'), ...events]);
		const result = await ask('responses');
		expect(await bytes(result)).toStrictEqual(['final']);
		expect(result.hints.join('\n')).not.toMatch(/preview/);
	});
});

describe('Messages: a second message in a stream', () => {
	test.each<[title: string, events: object[], received: string]>([
		[
			'after a text',
			[start('a'), block('The total is 1'), start('b'), block('The total is 42.'), ended, stop],
			'The total is 1',
		],
		[
			'after a delta',
			[start('a'), block(''), textDelta('Hi'), start('b'), block(''), textDelta('Ho'), ended, stop],
			'Hi',
		],
		['after the end of a text', [start('a'), block('Hi'), ended, start('b'), block('Ho'), ended, stop], 'Hi'],
		[
			'after its own content',
			[start('a', [{ type: 'text', text: 'Hi' }]), start('b'), block('Ho'), ended, stop],
			'Hi',
		],
	])('%s is an error with the first text', async (_, events, receivedText) => {
		respond(events);
		const { json, sent } = await ask('messages');
		expect(json).toMatchObject({ error: { code: 'second_response', receivedText, mayBeCharged: true } });
		expect(sent).toHaveLength(1);
		const { lc } = await gateway.chatModel({ parameters: { format: 'messages' } });
		respond(events);
		expect(await rejection(streamed(lc))).toMatchObject({ message: /^A second response began/ });
	});

	test('after a tool call is an error: two calls would be one', async () => {
		const use = (id: string) => ({
			type: 'content_block_start',
			index: 0,
			content_block: { type: 'tool_use', id, name: 'look', input: {} },
		});
		const args = {
			type: 'content_block_delta',
			index: 0,
			delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
		};
		respond([start('a'), use('t1'), args, start('b'), use('t2'), args, ended, stop]);
		expect((await ask('messages')).json).toMatchObject({
			error: { code: 'second_response', toolCalls: [{ id: 't1', arguments: { a: 1 } }] },
		});
	});

	test.each<[title: string, events: object[], json: object]>([
		['before content', [start(''), start('b'), block('Hi'), ended, stop], { id: 'b', text: 'Hi' }],
		[
			'before a text that is not empty',
			[start('a'), block(''), start('b'), block('Hi'), ended, stop],
			{ id: 'b', text: 'Hi' },
		],
		['with the same ID', [start('a'), block('Hi'), start('a'), ended, stop], { id: 'a', text: 'Hi' }],
		[
			'after the end',
			[start('a'), block('Hi'), ended, stop, start('b'), block('Ho')],
			{ id: 'a', text: 'Hi' },
		],
	])('%s is no error', async (_, events, json) => {
		respond(events);
		expect((await ask('messages')).json).toMatchObject(json);
	});
});

test.each<[title: string, events: object[]]>([
	['alone', [stop]],
	['then a block that repeats it', [block('Hi there'), ended, stop]],
	['then an empty block', [block(''), { ...ended, usage: {} }, stop]],
])('Messages: the content of message_start is content, %s', async (_, events) => {
	const used = { input_tokens: 3, output_tokens: 4 };
	const content = [{ type: 'text', text: 'Hi there' }];
	const all = [start('a', content, { usage: used, stop_reason: 'end_turn' }), ...events];
	respond(all);
	expect((await ask('messages')).json).toMatchObject({
		text: 'Hi there',
		finishReason: 'stop',
		usage: { inputTokens: 3, outputTokens: 4 },
		costRub: 0.00621,
	});
	const { lc } = await gateway.chatModel({ parameters: { format: 'messages' } });
	respond(all);
	expect((await streamed(lc)).text).toBe('Hi there');
});

const ZEROS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_rub: 0 };

test.each<[title: string, events: object[]]>([
	['all of them', [costs(), costs(ZEROS)]],
	['a second cost', [costs(), { choices: [], usage: { cost_rub: 0 } }]],
	['before the last', [costs(ZEROS), costs()]],
])('chat: a usage of zeros replaces nothing: %s', async (_, events) => {
	respond([chunk({ content: 'Hi' }), finish(), ...events]);
	const { json } = await ask('chat');
	expect(json).toMatchObject({ text: 'Hi', costRub: 0.5, usage: { inputTokens: 3, outputTokens: 4 } });
});

test.each<[title: string, events: object[]]>([
	['as a text, after the usage', [finish('length'), costs(), { error: 'Token limit reached' }]],
	['as a text, beside the usage', [finish('length'), { ...costs(), error: 'Token limit reached' }]],
	['as an object', [finish('length'), costs(), { error: { message: 'Token limit reached', code: 'x' } }]],
])('chat: an error after the end of a text is a hint, with its words: %s', async (_, events) => {
	respond([chunk({ content: 'Hi' }), ...events]);
	const { json, hints } = await ask('chat');
	expect(json).toMatchObject({ text: 'Hi', finishReason: 'length', isComplete: false, costRub: 0.5 });
	expect(hints.join('\n')).toContain('“Token limit reached.”'.replace('.', ''));
});

test('chat: an event without money is free as the first one, and unclear after a text', async () => {
	const noMoney = { error: { message: 'Top up', type: 'x', code: 'insufficient_quota' } };
	const message = 'There is not enough money in the gateway wallet';
	respond([noMoney]);
	const { json, sent } = await ask('chat');
	expect(json.error).toMatchObject({
		message,
		description: expect.stringContaining('This call was not charged.') as string,
	});
	expect(sent).toHaveLength(1);
	respond([chunk({ content: 'Hi' }), noMoney]);
	const { json: late } = await ask('chat');
	expect(late.error).toMatchObject({ message, receivedText: 'Hi', mayBeCharged: true });
});

const thinkingPart = (value: string) => ({ type: 'thinking', thinking: [{ type: 'text', text: value }] });

/** The same completion, whole and as events. */
const THOUGHTS: Array<[title: string, format: Format, whole: object, events: object[]]> = [
	[
		'<think> in a text',
		'chat',
		chat({ content: '<think>\nHm, 6×7\n</think>\n\nIt is 42.' }),
		['<th', 'ink>\nHm', ', 6×7\n</', 'think>', '\n\nIt', ' is 42.'].map((content) => chunk({ content })),
	],
	[
		'<thinking> in a text, after white space',
		'chat',
		chat({ content: '\n<THINKING>Hm, 6×7</thinking>It is 42.' }),
		['\n', '<THINKING>Hm, 6×7</thinking>It is 42.'].map((content) => chunk({ content })),
	],
	[
		'parts of a content',
		'chat',
		chat({ content: [thinkingPart('Hm, 6×7'), { type: 'text', text: 'It is 42.' }] }),
		[
			chunk({ content: [thinkingPart('Hm, ')] }),
			chunk({ content: [thinkingPart('6×7')] }),
			chunk({ content: [{ type: 'text', text: 'It is' }] }),
			chunk({ content: [{ type: 'text', text: ' 42.' }] }),
		],
	],
	[
		'parts with a text',
		'chat',
		chat({
			content: [
				{ type: 'thinking', thinking: 'Hm, 6×7' },
				{ type: 'text', text: 'It is 42.' },
			],
		}),
		[
			chunk({ content: [{ type: 'thinking', thinking: 'Hm, ' }] }),
			chunk({
				content: [
					{ type: 'thinking', thinking: '6×7' },
					{ type: 'text', text: 'It is 42.' },
				],
			}),
		],
	],
	[
		'<think> in a text',
		'responses',
		{ id: 'r1', status: 'completed', output: [said('m1', text('<think>Hm, 6×7</think>It is 42.'))], usage },
		[...deltas('<think>Hm, 6×7</think>It is 42.'), completed([])],
	],
	[
		'<think> in a text',
		'messages',
		{
			id: 'a',
			type: 'message',
			content: [{ type: 'text', text: '<think>Hm, 6×7</think>It is 42.' }],
			stop_reason: 'end_turn',
			usage: { input_tokens: 3, output_tokens: 4 },
		},
		[start('a'), block(''), textDelta('<think>Hm, 6'), textDelta('×7</think>It is 42.'), ended, stop],
	],
];

describe('thoughts in a text are reasoning', () => {
	const all = (events: object[], format: Format) =>
		format === 'chat' ? [...events, finish(), costs()] : events;

	test.each(THOUGHTS)('%s (%s)', async (_, format, whole, events) => {
		const contents = [];
		for (const body of [whole, all(events, format)]) {
			respond(body);
			const { json } = await ask(format, { stream: Array.isArray(body) });
			expect(json).toMatchObject({ text: 'It is 42.', reasoning: 'Hm, 6×7', finishReason: 'stop' });
			const { choices, output, content } = json.raw as Record<
				string,
				Array<{ message?: { content: unknown } }>
			>;
			contents.push(choices?.map(({ message }) => message?.content) ?? output ?? content);
		}
		expect(
			JSON.stringify(contents[1]).replace(
				/,"id":"m1"|"id":"m1",|,"role":"assistant"|"role":"assistant",/g,
				'',
			),
		).toBe(
			JSON.stringify(contents[0]).replace(
				/,"id":"m1"|"id":"m1",|,"role":"assistant"|"role":"assistant",/g,
				'',
			),
		);
	});

	test.each(THOUGHTS)('%s (%s): an agent', async (_, format, whole, events) => {
		const { lc } = await gateway.chatModel({ parameters: { format } });
		respond(whole);
		expect((await lc.invoke([new HumanMessage('Go')])).text).toBe('It is 42.');
		respond(all(events, format));
		expect((await streamed(lc)).text).toBe('It is 42.');
	});

	test.each(['Use <think> for it.', '<thin', '<thinker>Hi</thinker>', '`<think>`'])(
		'%j is a text',
		async (content) => {
			respond([
				chunk({ content: content.slice(0, 3) }),
				chunk({ content: content.slice(3) }),
				finish(),
				costs(),
			]);
			const { json } = await ask('chat');
			expect(json).toMatchObject({ text: content });
			expect(json).not.toHaveProperty('reasoning');
		},
	);

	test('that do not end are all of it', async () => {
		respond([chunk({ content: '<think>Hm, 6' }), finish('length'), costs()]);
		expect((await ask('chat')).json).toMatchObject({ text: '', reasoning: 'Hm, 6', isComplete: false });
	});
});

describe('an agent’s stream with a lost delta', () => {
	const lost = (...output: object[]) =>
		[...deltas('Paris is very big.'), completed(output)]
			.map((event, sequence_number) => ({ ...event, sequence_number }))
			.filter(({ sequence_number }) => sequence_number !== 2);

	test('has the whole text after a line that says so', async () => {
		const { lc } = await gateway.chatModel({ parameters: { format: 'responses' } });
		respond(lost(said('m1', text('Paris is very big.'))));
		expect((await streamed(lc)).text).toBe(
			'Paris is big.\n\nThe text above is not complete. The whole text:\n\nParis is very big.',
		);
	});

	test.each<[title: string, output: object[]]>([
		['without output', []],
		['with an empty part', [said('m1', text(''))]],
	])('is an error if the closing event is %s', async (_, output) => {
		const { lc } = await gateway.chatModel({ parameters: { format: 'responses' } });
		respond(lost(...output));
		expect(await rejection(streamed(lc))).toMatchObject({
			message: 'The response ended before it was complete',
		});
	});

	test.each(['Paris is very big.\n', ' Paris is very big.'])(
		'nothing is said of white space: %j',
		async (all) => {
			const { lc } = await gateway.chatModel({ parameters: { format: 'responses' } });
			respond([...deltas(all), completed([said('m1', text('Paris is very big.'))])]);
			expect((await streamed(lc)).text).toBe(all);
		},
	);
});

test('the error for an event that cannot be read has the text before and after it', async () => {
	const events = [
		chunk({ content: 'Paris' }),
		chunk({ content: ' is' }),
		chunk({ content: ' big.' }),
		finish(),
		costs(),
	];
	const broken = streamOf(events).replace('" is"', '" is');
	respondText(broken, 'text/event-stream');
	const { json, sent } = await ask('chat');
	expect(json).toMatchObject({
		error: {
			code: 'unreadable_answer',
			receivedText: 'Paris big.',
			unreadEvent: expect.stringContaining('" is') as string,
			costRub: 0.5,
		},
	});
	expect(sent).toHaveLength(1);
});

test.each(['x-request-id: 7\n', 'comment:\n', 'retry-after: 1\r\nfoo: bar\r\n'])(
	'events after a field that they do not have are read: %j',
	async (first) => {
		respondText(first + streamOf([chunk({ content: 'Hi' }), finish(), costs()]), 'text/event-stream');
		expect((await ask('chat')).json).toMatchObject({ text: 'Hi', costRub: 0.5 });
	},
);

test.each<[title: string, args: string, more: object]>([
	['encoded twice', JSON.stringify('{"a":1}'), { arguments: '{"a":1}', invalidArguments: true }],
	['a text', '"a"', { arguments: 'a', invalidArguments: true }],
	['an object', '{"a":1}', { arguments: { a: 1 } }],
	['nothing', '', { arguments: {} }],
])('arguments of a call that are %s', async (_, args, more) => {
	const toolCall = { id: 'f1', type: 'function', function: { name: 'look', arguments: args } };
	respond(chat({ content: null, tool_calls: [toolCall] }));
	expect((await ask('chat', {})).json.toolCalls).toStrictEqual([{ id: 'f1', name: 'look', ...more }]);
});

test.each([true, false])('what a later turn needs is in the output (streamed: %s)', async (stream) => {
	const audio = { id: 'audio_1', expires_at: 1_790_000_000, transcript: 'Hi', data: 'UklGRiQAAABXQVZF' };
	respond(stream ? [chunk({ audio }), finish(), costs()] : chat({ content: null, audio }));
	const { json, items } = await ask('chat', { stream });
	expect(json).toMatchObject({ text: 'Hi', audio: { id: 'audio_1', expires_at: 1_790_000_000 } });
	expect(json.audio).not.toHaveProperty('data');
	expect(items[0]?.binary).toHaveProperty('audio');
});

test.each([true, false])(
	'the sequence at which a model stopped is in the output (streamed: %s)',
	async (stream) => {
		const end = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
		const content = [{ type: 'text', text: 'Hi' }];
		respond(
			stream
				? [start('a'), block('Hi'), { ...ended, delta: end }, stop]
				: { id: 'a', type: 'message', content, ...end, usage: { input_tokens: 3, output_tokens: 4 } },
		);
		const { json } = await ask('messages', { stream });
		expect(json).toMatchObject({ text: 'Hi', finishReason: 'stop', stopSequence: 'END' });
	},
);
