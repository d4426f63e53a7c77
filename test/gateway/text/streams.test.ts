import { Readable } from 'node:stream';

import fc from 'fast-check';

import {
	type ByteStream,
	type HttpRequest,
	MAX_MEDIA_BYTES,
	type Transport,
} from '../../../nodes/shared/gateway/client/transport';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { Frame } from '../../../nodes/shared/gateway/text/frame';
import { SseParser } from '../../../nodes/shared/gateway/text/sse';
import { STREAM_TEXTS, streamText } from '../../../nodes/shared/gateway/text/streamText';
import { textCall } from '../../../nodes/shared/gateway/text/textCall';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { chargeText, outcomeFlags } from '../../../nodes/shared/run/charge/words';
import { anyText } from '../../helpers/anyText';
import { apiErrorOf, rejection, scriptedClient } from '../../helpers/client';
import { growth, LINEAR } from '../../helpers/growth';
import { chunksOf, events, readStream, type StreamSource } from '../../helpers/streams';
import { eventually } from '../../helpers/time';
import { VirtualClock } from '../../helpers/virtualClock';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The data of the events in these chunks. */
function parse(chunks: Uint8Array[], { isEnded = false }: { isEnded?: boolean } = {}) {
	const events: string[] = [];
	const parser = new SseParser((data) => events.push(data));
	for (const chunk of chunks) parser.push(chunk);
	if (isEnded) parser.end();
	return events;
}

describe.each([1, 2, 1_000])('in chunks of %i bytes', (size) => {
	it.each<[string, string, string[]]>([
		['unnamed data', 'data: {"a":1}\n\n', ['{"a":1}']],
		['a named event', 'event: message_stop\ndata: {}\n\n', ['{}']],
		['several data lines', 'data: a\ndata: b\ndata:\n\n', ['a\nb\n']],
		['no space after the colon', 'data:x\n\n', ['x']],
		['only the first space is removed', 'data:  x\n\n', [' x']],
		['a line without a colon', 'data\ndata\n\n', ['\n']],
		['comments are ignored', ': ping\n\ndata: x\n: more\n\n', ['x']],
		['unknown fields are ignored', 'id: 7\nretry: 10\nfoo: bar\ndata: x\n\n', ['x']],
		['fields that begin alike', 'dat: x\ndatax: y\nDATA: w\ndata : v\n\n', []],
		['an event without data', 'event: ping\n\ndata: x\n\n', ['x']],
		['CRLF', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
		['CR', 'data: a\rdata: b\r\r', ['a\nb']],
		['mixed line ends', 'data: a\r\n\ndata: b\n\r\ndata: c\r\r', ['a', 'b', 'c']],
		['CRs, then an LF far away', 'data: a\rdata: b\r\rdata: c\n\n', ['a\nb', 'c']],
		['a byte order mark at the beginning only', '\uFEFFdata: x\n\n\uFEFFdata: y\n\n', ['x']],
		['characters beyond ASCII', 'data: Привет, 世界 🎈\n\n', ['Привет, 世界 🎈']],
		['an unfinished event is not dispatched', 'data: x\n\ndata: half', ['x']],
		['blank lines', '\n\r\n\r\r\n\n', []],
		['a colon in the value', 'data: a:b: c\n\n', ['a:b: c']],
	])('%s', (_, text, events) => expect(parse(chunksOf(bytes(text), size))).toStrictEqual(events));

	it.each<[string, string[]]>([
		['', []],
		['data: x', ['x']],
		['data: x\r', ['x']],
		['data: x\ndata: y', ['x\ny']],
		['data: x\n\nevent: a', ['x']],
		['data: x\n\ndata', ['x', '']],
	])('the end of a stream ends an event without a blank line: %j', (text, events) => {
		expect(parse(chunksOf(bytes(text), size), { isEnded: true })).toStrictEqual(events);
	});
});

it('splitting a stream does not change the events', () => {
	const fields = fc.constantFrom('data', 'event', 'id', '', 'data', 'data');
	const values = fc.oneof(anyText({ maxLength: 12 }), fc.constantFrom('[DONE]', '{"a":"я🎈"}', ' x', ':'));
	const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
	const lines = fc
		.tuple(fields, fc.constantFrom(':', ': ', ''), values, lineEnds)
		.map(([field, colon, value, end]) => `${field}${colon}${value.replace(/[\r\n]/g, '')}${end}`);
	const streams = fc
		.array(fc.oneof(lines, lineEnds), { maxLength: 40 })
		.map((parts) => bytes(parts.join('')));
	fc.assert(
		fc.property(streams, fc.integer({ min: 1, max: 9 }), (stream, size) =>
			expect(parse(chunksOf(stream, size))).toStrictEqual(parse([stream])),
		),
		{ numRuns: 200 },
	);
});

it.each<[string, (size: number) => Uint8Array[], boolean]>([
	['a line in small chunks', (size) => Array.from({ length: 10 * size }, () => bytes('data:xxxxx')), false],
	['small events, each in a chunk', (size) => Array<Uint8Array>(size).fill(bytes('data: я\r\n\r\n')), true],
	['small events in one chunk', (size) => [bytes('data: x\r\r'.repeat(size))], true],
])('takes linear time for %s', async (_, chunksOfSize, hasEvents) => {
	const parsing = (size: number) => {
		const chunks = chunksOfSize(size);
		return () => expect(parse(chunks)).toHaveLength(hasEvents ? size : 0);
	};
	expect(await growth(parsing, 10_000)).toBeLessThan(LINEAR);
});

const broken = (message: string, code: string) => Object.assign(new Error(message), { code });
const reset = broken('aborted', 'ECONNRESET');
const cancelled = broken('canceled', 'ERR_CANCELED');

const textChunk = (content: string): JsonObject => ({ choices: [{ index: 0, delta: { content } }] });
const finish: JsonObject = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const usage: JsonObject = { choices: [], usage: { total_tokens: 3, cost_rub: 1 } };
const failed: JsonObject = { error: { message: 'upstream died', code: 'provider_error' } };

/** Each format: a beginning with the text "Hello", its end, and an error after that. */
const formatStreams: Array<[format: string, beginning: JsonObject[], end: JsonObject[]]> = [
	['chat', [textChunk('Hello')], [finish, usage]],
	[
		'responses',
		[
			{ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
			{ type: 'response.output_text.delta', output_index: 0, delta: 'Hello' },
		],
		[{ type: 'response.completed', response: { status: 'completed', output: [] } }],
	],
	[
		'messages',
		[
			{ type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 1 } } },
			{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
		],
		[{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }],
	],
];
const errorFrame: JsonObject = { type: 'error', error: { type: 'server_error', message: 'upstream died' } };

/** A stream of these chunks that then fails, or stays open. */
function breaking(error: Error | undefined, ...texts: string[]): ByteStream {
	return {
		destroy: () => undefined,
		async *[Symbol.asyncIterator]() {
			for (const text of texts) yield await Promise.resolve(Buffer.from(text));
			if (error) throw error;
			await new Promise(() => undefined);
		},
	};
}

const read = async (format: string, source: StreamSource, headers?: Record<string, string>) => {
	const { body, shown } = await readStream(format, source, headers ? { headers } : {});
	const { text, finishReason, costRub } = textFormat(format).readCompletion(body, { kind: 'text' });
	return { text, finishReason, costRub, shown };
};
const errorDetails = async (format: string, source: StreamSource, options = {}) =>
	(await apiErrorOf(readStream(format, source, options))).details;

describe.each(formatStreams)('%s: a stream', (format, beginning, end) => {
	const begun = events(...beginning);
	const whole = begun + events(...end);
	// §6.1: a responses stream that reports its failure is not charged. Of the others, the specification does not say it.
	const afterFailure = format === 'responses' ? 'rejected' : 'unknown';
	const mayBeCharged = { retryable: false, mayBeCharged: true };

	it.each<[string, () => StreamSource, string, string?, string?]>([
		['an error event', () => begun + events(errorFrame), 'generation_failed', 'Hello', afterFailure],
		['an error event at the beginning', () => events(errorFrame), 'generation_failed', '', afterFailure],
		['no event', () => ': ping\n\n', 'stream_incomplete', ''],
		['a missing end', () => begun, 'stream_incomplete'],
		['an event that cannot be read', () => begun + events('{"broken'), 'unreadable_answer'],
		['a lost connection', () => breaking(reset, begun), 'connection_lost'],
		['broken compression', () => breaking(broken('bad', 'Z_DATA_ERROR'), begun), 'unreadable_answer'],
		['a timeout', () => breaking(undefined, begun), 'timeout'],
	])('with %s is an error with its text and what it may cost', async (...row) => {
		const [, source, code, text = 'Hello', outcome = 'unknown'] = row;
		const details = await errorDetails(format, source(), code === 'timeout' ? { timeoutMs: 150 } : {});
		expect(details).toMatchObject({ code, outcome, extra: { receivedText: text } });
		expect(outcomeFlags(details)).toStrictEqual(outcome === 'unknown' ? mayBeCharged : { retryable: true });
		expect(chargeText(details)).toContain(
			outcome === 'rejected' ? 'This call was not charged' : 'may have been charged',
		);
		expect(details.description).toContain(text === '' ? 'No text had been received' : `“${text}”`);
	});

	it('that is cancelled throws StoppedError', async () => {
		expect(await rejection(readStream(format, breaking(cancelled, begun)))).toBeInstanceOf(StoppedError);
	});

	const EVENT_STREAM: Record<string, string> = { 'content-type': 'text/event-stream' };
	const noise = 'event: heartbeat\ndata: 2024\n\ndata: null\n\nevent: tick\ndata: now\n\n';

	it.each<[string, () => StreamSource, Record<string, string>?]>([
		['without [DONE]', () => whole],
		['without the blank line after the last event', () => whole.replace(/\n+$/, '\n')],
		['before the connection breaks', () => breaking(reset, whole)],
		['among events that are not objects', () => noise + whole + noise],
		['under another content type', () => whole, { 'content-type': 'text/plain' }],
		['before a late error', () => whole + events(errorFrame)],
		['before a second response', () => (format === 'chat' ? whole + events('[DONE]') : whole) + begun],
	])('is complete after its closing event: %s', async (_, source, headers = EVENT_STREAM) => {
		expect(await read(format, source(), headers)).toMatchObject({ text: 'Hello', finishReason: 'stop' });
	});

	it('does not wait for the end of its connection', async () => {
		const start = Date.now();
		await read(format, breaking(undefined, whole + events('[DONE]')));
		expect(Date.now() - start).toBeLessThan(1_000);
	});

	it('may be an error as JSON', async () => {
		const error = JSON.stringify({ error: { message: 'no luck', code: 'acme_error' } });
		await expect(read(format, error, { 'content-type': 'application/json' })).rejects.toThrow(
			'The model did not finish its response',
		);
	});
});

describe('chat: frames', () => {
	const whole = [textChunk('Hello'), finish, usage];
	const hello = events(textChunk('Hello'));

	it.each(['7', '[1]', 'x {}', '', ' ', '[DON'])('%j is ignored', async (data) => {
		expect(await read('chat', events(data, ...whole))).toMatchObject({ text: 'Hello' });
	});

	it.each(['[DONE]', ' [DONE] ', '[DONE]\t'])('%j ends a completion without usage', async (data) => {
		expect(await read('chat', events(textChunk('Hello'), finish, data, '{"broken'))).toMatchObject({
			text: 'Hello',
		});
	});

	const noBlankLine = `${hello}data: ${JSON.stringify(textChunk(' you'))}`;

	it.each<[string, string, string, string?]>([
		['broken JSON', hello + events('{"a"', textChunk(' you')), 'unreadable_answer', 'Hello you'],
		['[DONE] and more', hello + events('[DONE] or not', textChunk(' you')), 'unreadable_answer', 'Hello you'],
		['cut off by the end', `${hello}data: {"choices": [`, 'unreadable_answer'],
		['without their blank line', noBlankLine, 'stream_incomplete', 'Hello you'],
		['an error after the finish reason', events(textChunk('Hello'), finish, failed), 'provider_error'],
	])('%s: a part may be missing', async (_, source, code, receivedText = 'Hello') => {
		const expected = { code, outcome: 'unknown', extra: { receivedText } };
		expect(await errorDetails('chat', source)).toMatchObject(expected);
	});

	it('that never end exceed the maximum length', async () => {
		const endless = Array.from({ length: 17 }, () => bytes('x'.repeat(1024 * 1024)));
		expect(await errorDetails('chat', [bytes(hello), bytes('data: {'), ...endless])).toMatchObject({
			code: 'unreadable_answer',
			outcome: 'unknown',
		});
	});
});

it('the error for a stream that breaks has what has come of an event, and what has no field', async () => {
	const part = { type: 'hologram', data: 'x' };
	const event = events({ choices: [{ index: 0, delta: { content: [part] } }] });
	const details = await errorDetails('chat', breaking(reset, `${event}data: {"choices": [{"del`));
	expect(details).toMatchObject({
		code: 'connection_lost',
		extra: {
			raw: { choices: [{ message: { content: [part] } }] },
			unreadEvent: 'data: {"choices": [{"del',
		},
	});
});

describe('the shown text', () => {
	it('includes the text in the same chunk before an error', async () => {
		const shown: string[] = [];
		const onText = async (text: string) => void (await Promise.resolve(shown.push(text)));
		await errorDetails('chat', events(textChunk('Hello'), failed), { onText });
		expect(shown).toStrictEqual(['Hello']);
	});

	it('is not sent again after an error of the callback', async () => {
		const onText = jest.fn(async () => await Promise.reject(new Error('no screen')));
		expect(await errorDetails('chat', events(textChunk('Hello')), { onText })).toMatchObject({
			code: 'unreadable_answer',
		});
		expect(onText).toHaveBeenCalledTimes(1);
	});
});

const WHOLE = JSON.stringify({
	choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
});

describe('what a response is, by its first line', () => {
	const stream = events(textChunk('Hello'), finish, usage);

	it.each([
		WHOLE,
		`\uFEFF${WHOLE}`,
		` \r\n\t${WHOLE}\n`,
		`: a\r\r: {"b"}\n${WHOLE}`,
		`${WHOLE}\ndata: [DONE]`,
		`${WHOLE}\r\n\r\ndata:[DONE]\r\n: {"bye"}\r\n`,
		`data: [DONE]\n\n${WHOLE}`,
		JSON.stringify(JSON.parse(WHOLE), null, '\t'),
		stream,
		`\n\n: a\n\n${stream}`,
		`: ${'a'.repeat(40)}\n\n${stream}`,
		`id: 1\n${stream}`,
		`event: a\r\n${stream}`,
		`retry: 10\n\ndata: 1\n\n${stream}`,
		`data: [DONE]\n\n\n${stream}`,
	])('%j is read, however it is split', async (text) => {
		for (const size of [1, 7, 1_000]) {
			const { body } = await readStream('chat', chunksOf(bytes(text), size));
			expect(textFormat('chat').readCompletion(body, { kind: 'text' }).text).toBe('Hello');
		}
	});

	it.each(['<p>data: {}</p>', '[{}]', '"Hi"', 'Hello', 'database', 'null', '[DONE]x'])(
		'%j is neither JSON nor events',
		async (text) => {
			expect(await errorDetails('chat', text)).toMatchObject({ code: 'unreadable_answer', status: 200 });
		},
	);

	it('JSON is read although its connection breaks after it', async () => {
		expect(await read('chat', breaking(reset, WHOLE))).toMatchObject({ text: 'Hello' });
	});

	it('JSON that is cut off is in the error', async () => {
		const cut = WHOLE.slice(0, -10);
		expect(await errorDetails('chat', breaking(reset, cut))).toMatchObject({
			code: 'connection_lost',
			extra: { receivedText: cut },
		});
	});

	it('takes linear time', async () => {
		const reading = (piece: string) => (size: number) => () => {
			const frame = new Frame();
			for (let count = 0; count < size; count += 1) frame.add(piece);
			frame.end();
			expect(frame.body()).toBeUndefined();
		};
		for (const piece of [': a\n\n', ': a', 'data: [DONE]\n\n', '{"a":1}\n: b\n'])
			expect(await growth(reading(piece), 10_000)).toBeLessThan(LINEAR);
	});
});

describe('a response that is not streamed', () => {
	it.each<[string, string, () => StreamSource, string]>([
		['a list', 'application/json; charset=utf-8', () => '[{}]', 'unreadable_answer'],
		['nothing', 'application/json', () => '', 'unreadable_answer'],
		['a web page', 'text/html', () => '<!doctype html>', 'unreadable_answer'],
		['cut off', 'application/json', () => breaking(reset, '{"choices": ['), 'connection_lost'],
		['packed', 'application/json', () => breaking(broken('bad', 'Z_DATA_ERROR'), '{'), 'unreadable_answer'],
		['a text', 'text/plain', () => 'hello', 'unreadable_answer'],
	])('that is %s may be charged', async (_, type, source, code) => {
		const details = await errorDetails('chat', source(), { headers: { 'content-type': type } });
		expect(details).toMatchObject({ code, outcome: 'unknown' });
	});
});

describe('what is kept of a response', () => {
	const MEBIBYTE = 1024 * 1024;
	const JSON_TYPE = { 'content-type': 'application/json' };
	const EVENTS = { 'content-type': 'text/event-stream' };
	const event = (fields: JsonObject) => events({ choices: [{ index: 0, delta: fields }] });
	const long = 'x'.repeat(MEBIBYTE);

	/** Pieces of about a mebibyte, as many as are read, and their number. */
	function endless(piece: string, count: number, end = '') {
		const read = { pieces: 0 };
		const source = Readable.from(
			(function* () {
				for (; read.pieces < count; read.pieces += 1) yield Buffer.from(piece);
				yield Buffer.from(end);
			})(),
			{ objectMode: true, highWaterMark: 1 },
		);
		return { source, read };
	}

	it.each<[string, string, Record<string, string>]>([
		['a text', event({ content: long }), EVENTS],
		['reasoning', event({ reasoning: long }), EVENTS],
		['arguments', event({ tool_calls: [{ index: 0, function: { arguments: long } }] }), EVENTS],
		['one event', long, EVENTS],
		['a body that is not streamed', ' '.repeat(MEBIBYTE), JSON_TYPE],
	])('is at most 32 MB: %s', async (_, piece, headers) => {
		const { source, read: count } = endless(piece, 200);
		const details = await errorDetails('chat', source, { headers });
		expect(details).toMatchObject({ code: 'response_too_large', outcome: 'unknown', retryable: false });
		expect(JSON.stringify(details).length).toBeLessThan(2_000);
		expect(count.pieces).toBeGreaterThanOrEqual(32);
		expect(count.pieces).toBeLessThan(42);
	});

	it.each<[JsonObject, number]>([
		[{}, 32],
		[{ tools: [{ type: 'function' }] }, 32],
		[{ modalities: ['text', 'audio'] }, 128],
		[{ audio: { voice: 'alloy' } }, 128],
		[{ image_config: { size: '64x64' } }, 128],
		[{ tools: [{ type: 'function' }, { type: 'image_generation' }] }, 128],
	])('is at most, for a request with %j, %d MB', (body, megabytes) =>
		expect(textCall(textFormat('chat'), body).maxBytes).toBe(megabytes * MEBIBYTE),
	);

	it('is at most what the request allows', async () => {
		const { source, read: count } = endless(event({ audio: { data: long } }), 200);
		const options = { headers: EVENTS, maxBytes: MAX_MEDIA_BYTES / 2 };
		expect(await errorDetails('chat', source, options)).toMatchObject({ code: 'response_too_large' });
		expect(count.pieces).toBeGreaterThanOrEqual(64);
		expect(count.pieces).toBeLessThan(70);
	});

	it('is read one at a time above 32 MB, also when one of them is cancelled while it waits', async () => {
		const options = { headers: EVENTS, maxBytes: MAX_MEDIA_BYTES };
		const piece = event({ audio: { data: long } });
		const agent = new AbortController();
		// The first one stays open until the others wait.
		const first = new Readable({ read: () => undefined });
		const end = Buffer.from(events(finish, usage));
		Array.from({ length: 34 }, () => first.push(Buffer.from(piece)));
		const reading = readStream('chat', first, options);
		await eventually(() => first.readableLength === 0);
		const { signal } = agent;
		const cancelled = endless(piece, 40);
		const outcome = rejection(readStream('chat', cancelled.source, { ...options, signal }));
		await eventually(() => cancelled.read.pieces >= 32);
		const { source, read: count } = endless(piece, 40, end.toString());
		const waiting = readStream('chat', source, options);
		await eventually(() => count.pieces >= 32);
		agent.abort();
		expect(await outcome).toBeInstanceOf(StoppedError);
		await eventually(() => true);
		expect(Math.max(cancelled.read.pieces, count.pieces)).toBeLessThan(36);
		first.push(end);
		first.push(null);
		await reading;
		expect(JSON.stringify((await waiting).body).length).toBeGreaterThan(40 * MEBIBYTE);
	});

	it('does not count what a long stream repeats', async () => {
		const envelope = { id: 'c1', system_fingerprint: 'f'.repeat(MEBIBYTE) };
		const piece = events({ ...envelope, choices: [{ index: 0, delta: { content: 'x' } }] });
		const { source } = endless(piece, 40, events(finish, usage));
		expect((await read('chat', source, EVENTS)).text).toBe('x'.repeat(40));
	});
});

// Streams whose chunks arrive at certain times, on a clock that only the client's own pauses move.

const hello = events({ choices: [{ index: 0, delta: { content: 'Hello' } }] });
const end = events({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: {} });
const done = events('[DONE]');
const ping = ': ping\n\n';

/** What arrives, and how many milliseconds after the headers. */
interface Arrival {
	timeMs: number;
	content: string;
}

const at = (timeMs: number, content: string): Arrival => ({ timeMs, content });

interface Options {
	timeoutMs?: number;
	/** Whether no stream was asked for. */
	isWhole?: boolean;
	contentType?: string;
	/** When the headers arrive, in milliseconds. */
	headersMs?: number;
	hasFiles?: boolean;
}

/** A stream on a clock of its own, whose connection stays open after the last arrival. */
function streamOnClock(arrivals: Arrival[], options: Options = {}) {
	const { headersMs = 0 } = options;
	const clock = new VirtualClock();
	const start = clock.now();
	const sent: HttpRequest[] = [];
	const body = {
		destroyed: false,
		destroy() {
			this.destroyed = true;
		},
		async *[Symbol.asyncIterator]() {
			for (const { timeMs, content } of arrivals) {
				await clock.sleep(start + headersMs + timeMs - clock.now());
				yield Buffer.from(content);
			}
			await new Promise(() => undefined);
		},
	};
	const transport: Transport = async (exchange, read) => {
		sent.push(exchange);
		await clock.sleep(headersMs);
		const headers = { 'content-type': options.contentType ?? 'text/event-stream' };
		return await read({ status: 200, headers, body }, () => body.destroy());
	};
	const { sleep, now } = clock;
	const { timeoutMs } = options;
	const { client } = scriptedClient([], { timeoutMs }, { dependencies: { transport, sleep, now } });
	const format = textFormat('chat');
	const headers = { 'X-Own': '1' };
	const completion = streamText(client, {
		format,
		output: { kind: 'text' },
		request: {
			...{ endpoint: 'chat', kind: 'charge', method: 'POST', path: format.path, json: {}, headers },
			...(options.hasFiles && {
				openBody: async () => await Promise.resolve({ content: new Uint8Array() }),
			}),
		},
		...(!options.isWhole && { onText: () => undefined }),
	});
	return { completion: clock.run(completion), sent, body, passed: () => clock.now() - start };
}

const textOf = async (completion: ReturnType<typeof streamOnClock>['completion']) =>
	textFormat('chat').readCompletion(await completion, { kind: 'text' }).text;

it.each([
	[undefined, 315_000],
	[100_000, 100_000],
	[300_000, 300_000],
	[400_000, 400_000],
])('with a timeout of %j, the headers may take %i ms', async (timeoutMs, expected) => {
	const { completion, sent } = streamOnClock([at(0, hello + end + done)], timeoutMs ? { timeoutMs } : {});
	await completion;
	expect(sent).toStrictEqual([
		expect.objectContaining({
			method: 'POST',
			timeoutMs: expected,
			headers: {
				Accept: 'text/event-stream, application/json;q=0.9',
				'Content-Type': 'application/json',
				'X-Own': '1',
			},
			kind: 'charge',
		}) as HttpRequest,
	]);
});

/** Keep-alives from the beginning until a time. */
const pings = (until: number): Arrival[] =>
	Array.from({ length: Math.floor(until / 200_000) }, (_, index) => at((index + 1) * 200_000, ping));

describe('the time of a stream', () => {
	it.each<[string, number, 'idle' | 'total' | undefined, { timeoutMs?: number; hasPings?: boolean }]>([
		['a silence of almost 315 s', 315_000, undefined, {}],
		['a silence of 315 s', 315_002, 'idle', {}],
		['keep-alives for almost 15 min', 899_999, undefined, { hasPings: true }],
		['keep-alives for 15 min', 900_001, 'total', { hasPings: true }],
		['a longer timeout', 315_002, 'idle', { timeoutMs: 1_000_000 }],
		['a longer timeout, with keep-alives', 999_999, undefined, { timeoutMs: 1_000_000, hasPings: true }],
		['a shorter timeout that is kept', 99_999, undefined, { timeoutMs: 100_000 }],
		['a shorter timeout that is not', 100_001, 'total', { timeoutMs: 100_000 }],
	])('%s', async (_, endMs, limit, { hasPings = false, ...options }) => {
		const arrivals = [at(1, hello), ...(hasPings ? pings(endMs - 1) : []), at(endMs, end + done)];
		const { completion, body } = streamOnClock(arrivals, options);
		const outcome = await textOf(completion).catch(async () => {
			const { message, code, outcome } = (await apiErrorOf(completion)).details;
			return [message, code, outcome];
		});
		expect(outcome).toStrictEqual(limit ? [STREAM_TEXTS[limit].message, 'timeout', 'unknown'] : 'Hello');
		expect(body.destroyed).toBe(true);
	});

	it('returns a complete completion although its connection stays open', async () => {
		const { completion, passed } = streamOnClock([at(1, hello + end)]);
		expect(await textOf(completion)).toBe('Hello');
		expect(passed()).toBe(315_001);
	});

	const timedOut = ['The gateway did not respond in time', 'timeout', 'unknown'];

	it.each<[string, number, unknown, { timeoutMs?: number }]>([
		['almost 315 s', 314_999, 'Hello', {}],
		['315 s', 315_001, timedOut, {}],
		['a longer timeout', 399_999, 'Hello', { timeoutMs: 400_000 }],
		['a shorter timeout', 60_001, timedOut, { timeoutMs: 60_000 }],
	])('a response that is not asked for as a stream takes %s', async (_, endMs, expected, options) => {
		for (const content of [WHOLE, hello + end + done]) {
			const arrivals = [at(1, ping), at(endMs, content)];
			const { completion, body } = streamOnClock(arrivals, { isWhole: true, ...options });
			const outcome = await textOf(completion).catch(async () => {
				const { message, code, outcome } = (await apiErrorOf(completion)).details;
				return [message, code, outcome];
			});
			expect(outcome).toStrictEqual(expected);
			expect(body.destroyed).toBe(true);
		}
	});

	it.each<[string, Arrival[]]>([
		['stalls', [at(1, '{"choices": [')]],
		['drips', [at(1, '{"choices": ['), ...pings(900_000)]],
	])('an unstreamed response that %s times out, and may be charged', async (_, arrivals) => {
		const { completion, body } = streamOnClock(arrivals, { contentType: 'application/json' });
		expect((await apiErrorOf(completion)).details).toMatchObject({ code: 'timeout', outcome: 'unknown' });
		expect(body.destroyed).toBe(true);
	});
});

it('an unstreamed response may take its time from the request on, and a streamed one, or one to files, more', async () => {
	const whole = '{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}';
	for (const [isWhole, bodyMs, outcome, hasFiles] of [
		[true, 100_000, 'Hello', false],
		[true, 116_000, 315_000, false],
		[true, 116_000, 'Hello', true],
		[false, 116_000, 'Hello', false],
	] as const) {
		const { completion, passed } = streamOnClock([at(bodyMs, `${whole}\n\ndata: [DONE]\n\n`)], {
			isWhole,
			headersMs: 200_000,
			hasFiles,
		});
		expect(await textOf(completion).catch(passed)).toBe(outcome);
	}
});
