import { Readable } from 'node:stream';

import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { chargeText, outcomeFlags } from '../../../nodes/shared/run/charge/words';
import { MAX_MEDIA_BYTES } from '../../../nodes/shared/gateway/client/transport';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, rejection } from '../../helpers/client';
import { eventually } from '../../helpers/time';
import { events, readStream, type StreamSource } from '../../helpers/streams';

const bytes = (text: string) => new TextEncoder().encode(text);
const broken = (message: string, code: string) => Object.assign(new Error(message), { code });
const reset = broken('aborted', 'ECONNRESET');
const cancelled = broken('canceled', 'ERR_CANCELED');

const textChunk = (content: string): JsonObject => ({ choices: [{ index: 0, delta: { content } }] });
const finish: JsonObject = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const usage: JsonObject = { choices: [], usage: { total_tokens: 3, cost_rub: 1 } };
const failed: JsonObject = { error: { message: 'upstream died', code: 'provider_error' } };

/** Each format: a beginning with the text "Hello", its end, and an error after that. */
const worlds: Array<[format: string, beginning: JsonObject[], end: JsonObject[]]> = [
	['chat', [textChunk('Hello')], [finish, usage]],
	[
		'responses',
		[
			{
				type: 'response.created',
				sequence_number: 0,
				response: { id: 'r', status: 'in_progress', output: [] },
			},
			{ type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: 'Hello' },
		],
		[{ type: 'response.completed', sequence_number: 2, response: { status: 'completed', output: [] } }],
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
function breaking(error: Error | undefined, ...texts: string[]): Readable {
	const stream = new Readable({ read: () => undefined });
	for (const text of texts) stream.push(Buffer.from(text));
	if (error) setTimeout(() => stream.destroy(error), 10);
	return stream;
}

const read = async (format: string, source: StreamSource, headers?: Record<string, string>) => {
	const { body, shown } = await readStream(format, source, headers ? { headers } : {});
	const { choices, costRub } = textFormat(format).readCompletion(body, { kind: 'text' });
	return { text: choices[0]?.text, finishReason: choices[0]?.finishReason, costRub, shown };
};
const errorDetails = async (format: string, source: StreamSource, options = {}) =>
	(await apiErrorOf(readStream(format, source, options))).details;

describe.each(worlds)('%s: a stream', (format, beginning, end) => {
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
		['[DONE] without an end', () => begun + events('[DONE]'), 'stream_incomplete'],
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
			outcome === 'rejected' ? 'Nothing was charged' : 'may have been charged',
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
	])('is complete after its closing event: %s', async (_, source, headers = EVENT_STREAM) => {
		expect(await read(format, source(), headers)).toMatchObject({ text: 'Hello', finishReason: 'stop' });
	});

	it('may be an error as JSON', async () => {
		const error = JSON.stringify({ error: { message: 'no luck', code: 'provider_error' } });
		await expect(read(format, error, { 'content-type': 'application/json' })).rejects.toThrow(
			'The model did not finish its response',
		);
	});
});

describe('the error of a stream', () => {
	const tokens = { prompt_tokens: 1, completion_tokens: 2 };
	const started = {
		type: 'message_start',
		message: { id: 'm1', usage: { input_tokens: 1, output_tokens: 0 } },
	};
	const used = { type: 'message_delta', usage: { output_tokens: 2 } };
	const failure = (cost?: JsonObject): JsonObject => ({
		type: 'response.failed',
		response: { id: 'r', error: {}, usage: { input_tokens: 1, output_tokens: 2, ...(cost ? { cost } : {}) } },
	});

	it.each<[string, string, JsonObject[], string, object]>([
		[
			'chat, after its usage',
			'chat',
			[textChunk('a'), { choices: [], usage: { ...tokens, cost_rub: 0.5 } }],
			'charged',
			{ costRub: 0.5 },
		],
		[
			'messages, after its usage',
			'messages',
			[started, used],
			'unknown',
			{ costRub: null, usage: { inputTokens: 1, outputTokens: 2 } },
		],
		[
			'responses, that failed and cost',
			'responses',
			[failure({ total_cost: 0.5 })],
			'charged',
			{ costRub: 0.5 },
		],
	])('%s: has what the call cost', async (_, format, sent, outcome, extra) => {
		expect(await errorDetails(format, breaking(reset, events(...sent)))).toMatchObject({ outcome, extra });
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

	it.each<[string, string, string, string]>([
		['broken JSON', hello + events('{"a"', ...whole), 'unreadable_answer', 'Hello'],
		['[DONE] and more', hello + events('[DONE] or not', ...whole), 'unreadable_answer', 'Hello'],
		['cut off by the end', `${hello}data: {"choices": [`, 'unreadable_answer', 'Hello'],
		[
			'without their blank line',
			`${hello}data: ${JSON.stringify(textChunk(' you'))}`,
			'stream_incomplete',
			'Hello you',
		],
		[
			'an error after the finish reason',
			events(textChunk('Hello'), finish, failed),
			'provider_error',
			'Hello',
		],
	])('%s: a part may be missing', async (_, source, code, receivedText) => {
		expect(await errorDetails('chat', source)).toMatchObject({
			code,
			outcome: 'unknown',
			extra: { receivedText },
		});
	});

	it('that never end exceed the maximum length', async () => {
		const endless = Array.from({ length: 17 }, () => bytes('x'.repeat(1024 * 1024)));
		expect(await errorDetails('chat', [bytes(hello), bytes('data: {'), ...endless])).toMatchObject({
			code: 'unreadable_answer',
			outcome: 'unknown',
		});
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

	it('arrives piece by piece, and the stream waits for the callback', async () => {
		const log: string[] = [];
		const stream = Readable.from(
			(async function* () {
				for (const word of ['a', 'b']) {
					log.push(`sent ${word}`);
					yield await Promise.resolve(bytes(events(textChunk(word))));
				}
				yield bytes(events(finish, usage));
			})(),
			{ highWaterMark: 1 },
		);
		const onText = async (text: string) => {
			await new Promise((resolve) => setImmediate(resolve));
			log.push(`shown ${text}`);
		};
		await readStream('chat', stream, { onText });
		expect(log[0]).toBe('sent a');
		expect(log.indexOf('shown a')).toBeLessThan(log.indexOf('shown b'));
	});
});

describe('a response that is not streamed', () => {
	const headers = { 'content-type': 'application/json; charset=utf-8' };

	it.each<[string, () => StreamSource, string, Record<string, string>]>([
		['a list', () => '[{}]', 'unreadable_answer', headers],
		['nothing', () => '', 'unreadable_answer', headers],
		['a web page', () => '<!doctype html>', 'unreadable_answer', { 'content-type': 'text/html' }],
		['cut off', () => breaking(reset, '{"choices": ['), 'connection_lost', headers],
		['not to be unpacked', () => breaking(broken('bad', 'Z_DATA_ERROR'), '{'), 'unreadable_answer', headers],
		[
			'a stream by its header',
			() => '{"no": "event"}\n\n',
			'stream_incomplete',
			{ 'content-type': 'Text/Event-Stream' },
		],
		['a text', () => 'hello', 'stream_incomplete', { 'content-type': 'text/plain' }],
	])('that is %s may be charged', async (_, source, code, given) => {
		expect(await errorDetails('chat', source(), { headers: given })).toMatchObject({
			code,
			outcome: 'unknown',
		});
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

	it('is at most 128 MB where sound or images are asked for', async () => {
		const { source, read: count } = endless(event({ audio: { data: long } }), 200);
		const options = { headers: EVENTS, maxBytes: MAX_MEDIA_BYTES };
		expect(await errorDetails('chat', source, options)).toMatchObject({ code: 'response_too_large' });
		expect(count.pieces).toBeGreaterThanOrEqual(128);
		expect(count.pieces).toBeLessThan(140);
	});

	it('is read one at a time above 32 MB', async () => {
		const options = { headers: EVENTS, maxBytes: MAX_MEDIA_BYTES };
		const piece = event({ audio: { data: long } });
		// The first one stays open until the second one waits.
		const first = new Readable({ read: () => undefined });
		const end = Buffer.from(events(finish, usage));
		Array.from({ length: 34 }, () => first.push(Buffer.from(piece)));
		const reading = readStream('chat', first, options);
		await eventually(() => first.readableLength === 0);
		const { source, read: count } = endless(piece, 40, end.toString());
		const waiting = readStream('chat', source, options);
		await eventually(() => count.pieces >= 32);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(count.pieces).toBeLessThan(36);
		first.push(end);
		first.push(null);
		await reading;
		expect(JSON.stringify((await waiting).body).length).toBeGreaterThan(40 * MEBIBYTE);
	});

	it('does not count what a long stream repeats', async () => {
		const envelope = { id: 'c1', system_fingerprint: 'f'.repeat(MEBIBYTE) };
		const piece = events({ ...envelope, choices: [{ index: 0, delta: { content: 'x' } }] });
		const { source } = endless(piece, 60, events(finish, usage));
		expect((await read('chat', source, EVENTS)).text).toBe('x'.repeat(60));
	});
});
