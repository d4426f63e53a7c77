import { HumanMessage } from '@langchain/core/messages';

import { rejection } from '../helpers/client';
import { FORMATS } from '../helpers/values';
import { streamed } from '../nodes/chatModel/support';
import { streamOf, useReports } from './support';

// A text that is paid for is read by what it is: JSON or events, whatever was asked for and whatever its label says.

const { ask: askText, gateway, respondText } = useReports();

const usage = { input_tokens: 3, output_tokens: 4, cost: { total_cost: 0.5 } };
const text = { type: 'output_text', text: 'Hi there' };
const output = [{ type: 'message', role: 'assistant', content: [text] }];
const message = { id: 'c1', type: 'message', role: 'assistant', model: 'm' };

/** The text “Hi there” in each format: whole, and as events. */
const RESPONSES: Record<string, { whole: object; events: object[]; costRub: number }> = {
	chat: {
		costRub: 0.5,
		whole: {
			id: 'c1',
			choices: [{ index: 0, message: { role: 'assistant', content: 'Hi there' }, finish_reason: 'stop' }],
			usage: { cost_rub: 0.5 },
		},
		events: [
			{ id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi ' } }] },
			{ id: 'c1', choices: [{ index: 0, delta: { content: 'there' }, finish_reason: 'stop' }] },
			{ id: 'c1', choices: [], usage: { cost_rub: 0.5 } },
		],
	},
	responses: {
		costRub: 0.5,
		whole: { id: 'c1', status: 'completed', output, usage },
		events: [
			{ type: 'response.created', response: { id: 'c1', status: 'in_progress', output: [] } },
			{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi ' },
			{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'there' },
			{ type: 'response.completed', response: { id: 'c1', status: 'completed', output: [], usage } },
		],
	},
	messages: {
		// Computed: (3 × 0.0003 + 4 × 0.0015) × 0.9.
		costRub: 0.00621,
		whole: { ...message, content: [{ type: 'text', text: 'Hi there' }], stop_reason: 'end_turn', usage },
		events: [
			{ type: 'message_start', message: { ...message, content: [], usage } },
			{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi ' } },
			{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'there' } },
			{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
			{ type: 'message_stop' },
		],
	},
};
const responseIn = (format: string) => RESPONSES[format] ?? { whole: {}, events: [], costRub: 0 };

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';
const DONE = 'data: [DONE]\n\n';
const PING = ': PROCESSING\n\n';

const jsonIn = (format: string, space?: number) => JSON.stringify(responseIn(format).whole, null, space);
const eventsIn = (format: string) => streamOf(responseIn(format).events);

const FRAMES: Array<[frame: string, body: (format: string) => string, contentType: string]> = [
	['JSON', jsonIn, JSON_TYPE],
	['events', (format) => eventsIn(format) + DONE, EVENTS],
	['JSON and an end mark, as events', (format) => `${jsonIn(format)}\n\n${DONE}`, EVENTS],
	['JSON and an end mark', (format) => `${jsonIn(format, 2)}\n${DONE}`, JSON_TYPE],
	['a comment before JSON', (format) => PING + jsonIn(format), JSON_TYPE],
	[
		'comments and an end mark around JSON, as events',
		(format) => `\n${PING}${PING}${jsonIn(format)}\r\n${PING}${DONE}: bye`,
		EVENTS,
	],
	['an end mark before JSON', (format) => DONE + jsonIn(format), EVENTS],
	['JSON as plain text', jsonIn, 'text/plain'],
	['JSON as a web page', jsonIn, 'text/html'],
	['JSON without a label', jsonIn, ''],
	['JSON after a byte order mark', (format) => `\uFEFF\r\n${jsonIn(format)}`, JSON_TYPE],
	['events as JSON', eventsIn, JSON_TYPE],
	['events as a web page', (format) => PING + eventsIn(format), 'text/html; charset=utf-8'],
	['events after blank lines', (format) => `\r\n\n${PING}${eventsIn(format)}`, 'text/plain'],
	[
		'events with names and numbers',
		(format) => eventsIn(format).replace(/^data/gm, 'id: 1\ndata'),
		JSON_TYPE,
	],
	['JSON as one event', (format) => streamOf([responseIn(format).whole]) + DONE, EVENTS],
];

const ROWS = FORMATS.flatMap((format) =>
	FRAMES.map(([frame, body, contentType]) => ({ format, frame, body: body(format), contentType })),
);
const WAYS = [
	{ way: 'asked for as a whole', stream: false },
	{ way: 'asked for as a stream', stream: true },
];

describe.each(WAYS)('$way', ({ stream }) => {
	const ask = async (format: string) => await askText({ format, options: { stream } });

	test.each(ROWS)('$format: $frame is read', async ({ format, body, contentType }) => {
		respondText(body, contentType);
		const { json, sent } = await ask(format);
		const { costRub } = responseIn(format);
		expect(json).toMatchObject({ id: 'c1', text: 'Hi there', finishReason: 'stop', costRub });
		expect(sent).toHaveLength(1);
	});

	test.each(ROWS)('$format: $frame is read by the chat model', async ({ format, body, contentType }) => {
		const { lc } = await gateway.chatModel({ parameters: { format } });
		respondText(body, contentType);
		const go = [new HumanMessage('Go')];
		const answer = stream ? await streamed(lc, go) : await lc.invoke(go);
		expect(answer.text).toBe('Hi there');
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(1);
	});

	test.each<[string, string, string]>([
		['a web page', '<!doctype html>\n<p>Hello</p>', 'text/html'],
		['a web page, as JSON', '<html>{"a":1}</html>', JSON_TYPE],
		['words', 'Hello', 'text/plain'],
		['a list', '[{"a":1}]', JSON_TYPE],
		['nothing', '', JSON_TYPE],
	])('%s is neither: the error says so, and nothing is sent again', async (_, body, contentType) => {
		respondText(body, contentType);
		const { json, sent } = await ask('chat');
		expect(json).toStrictEqual({
			error: expect.objectContaining({
				code: 'unreadable_answer',
				message: 'The gateway’s response could not be read',
				description: expect.stringContaining('Check the base URL') as string,
				mayBeCharged: true,
			}) as object,
		});
		expect(sent).toHaveLength(1);
	});

	test.each<[string, string]>([
		['JSON that is cut off', '{"choices":[{"index":0,"message":{"content":"Hi th'],
		['JSON twice', `${jsonIn('chat')}\n${jsonIn('chat')}`],
		['JSON with an event', `${jsonIn('chat')}\n\n${eventsIn('chat')}`],
	])('%s is an error with what came', async (_, body) => {
		respondText(body, JSON_TYPE);
		const { json, sent } = await ask('chat');
		expect(json).toMatchObject({
			error: {
				code: 'unreadable_answer',
				message: 'A part of the response could not be read',
				receivedText: body,
				mayBeCharged: true,
			},
		});
		expect(sent).toHaveLength(1);
	});

	test.each(FORMATS)('%s: an error in a 200 is the error, as JSON and as an event', async (format) => {
		const error = { type: 'error', error: { message: 'No luck', type: 'server_error' } };
		for (const body of [JSON.stringify(error), `${JSON.stringify(error)}\n\n${DONE}`, streamOf([error])]) {
			respondText(body, EVENTS);
			const { json } = await ask(format);
			expect(json).toMatchObject({
				error: {
					message: 'The model did not finish its response',
					description: expect.stringContaining('No luck') as string,
				},
			});
		}
	});

	test('comments alone are a response that has ended too early', async () => {
		respondText(PING, EVENTS);
		const { json, sent } = await ask('chat');
		expect(json).toMatchObject({ error: { code: 'stream_incomplete', mayBeCharged: true } });
		expect(sent).toHaveLength(1);
	});
});

test('the chat model’s error for a web page says so', async () => {
	const { lc } = await gateway.chatModel();
	respondText('<!doctype html>', 'text/html');
	expect(await rejection(lc.invoke([new HumanMessage('Go')]))).toMatchObject({
		message: 'The gateway’s response could not be read',
	});
});
