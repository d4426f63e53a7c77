import { Readable } from 'node:stream';

import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { chargeText } from '../../../nodes/shared/gateway/errors/outcome';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, rejection } from '../../helpers/client';
import { events, readStream, type StreamSource } from '../../helpers/streams';

/** The beginning of a stream in each format, with the text "Hello". */
const BEGINNINGS: Record<string, string> = {
	chat: events({
		id: 'c',
		object: 'chat.completion.chunk',
		choices: [{ index: 0, delta: { content: 'Hello' } }],
	}),
	responses: events(
		{
			type: 'response.created',
			sequence_number: 0,
			response: { id: 'r', status: 'in_progress', output: [] },
		},
		{ type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: 'Hello' },
	),
	messages: events(
		{ type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 1 } } },
		{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
		{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
	),
};
const formats = Object.keys(BEGINNINGS);
const beginning = (format: string) => BEGINNINGS[format] ?? '';
/** §6.1: a responses stream that reports its failure is not charged. Of the others, the specification does not say it. */
const isFree = (format: string) => format === 'responses';

/** A stream that sends a text and then does what `then` says. */
function textThen(text: string, then: (stream: Readable) => void): Readable {
	const stream = new Readable({ read: () => undefined });
	stream.push(Buffer.from(text));
	setTimeout(() => then(stream), 10);
	return stream;
}

describe.each(formats)('%s: a stream that fails', (format) => {
	const failing = async (source: StreamSource, timeoutMs?: number) =>
		(await apiErrorOf(readStream(format, source, timeoutMs ? { timeoutMs } : {}))).details;
	const expectErrorDetails = (
		details: Awaited<ReturnType<typeof failing>>,
		{ text = 'Hello', free = false } = {},
	) => {
		expect(details.extra?.receivedText).toBe(text);
		expect(details.outcome).toBe(free ? 'rejected' : 'unknown');
		expect(chargeText(details)).toContain(free ? 'Nothing was charged' : 'may have been charged');
		if (text !== '') expect(details.description).toContain(`“${text}”`);
	};

	it('has the received text and a possible charge in its error after an error frame', async () => {
		const frame: JsonObject = { type: 'error', error: { type: 'server_error', message: 'upstream died' } };
		const details = await failing(beginning(format) + events(frame));
		expect(details.message).toBe('The model did not finish its response');
		expect(details.description).toContain('upstream died');
		expectErrorDetails(details, { free: isFree(format) });
	});

	it('has a possible charge in its error after an error frame at the beginning', async () => {
		const details = await failing(events({ type: 'error', error: { message: 'no' } }));
		expectErrorDetails(details, { text: '', free: isFree(format) });
		expect(details.description).toContain('No text had been received');
	});

	it('has a possible charge in its error when it ends before any event', async () => {
		const details = await failing(': ping\n\n');
		expect(details.message).toBe('The response ended before it was complete');
		expectErrorDetails(details, { text: '' });
	});

	it('has the received text and a possible charge in its error after a lost connection', async () => {
		const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
		const details = await failing(textThen(beginning(format), (stream) => stream.destroy(reset)));
		expect(details.message).toBe('The connection broke in the middle of the response');
		expectErrorDetails(details);
	});

	it('has the received text and a possible charge in its error after an end without the closing event', async () => {
		const details = await failing(beginning(format));
		expect(details.message).toBe('The response ended before it was complete');
		expectErrorDetails(details);
	});

	it('has the received text and a possible charge in its error after [DONE] without the closing event', async () => {
		expectErrorDetails(await failing(beginning(format) + events('[DONE]')));
	});

	it('has the received text and a possible charge in its error after a timeout', async () => {
		const details = await failing(
			textThen(beginning(format), () => undefined),
			150,
		);
		expect(details.code).toBe('timeout');
		expectErrorDetails(details);
	});

	it('may be charged after a frame that cannot be read', async () => {
		const details = await failing(beginning(format) + events('{"broken'));
		expect(details.message).toBe('A part of the streamed response could not be read');
		// The unreadable event may be the one that charges.
		expect(details).toMatchObject({ outcome: 'unknown', extra: { receivedText: 'Hello' } });
	});

	it('throws StoppedError when the execution is cancelled', async () => {
		const cancelled = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
		const stream = textThen(beginning(format), (source) => source.destroy(cancelled));
		expect(await rejection(readStream(format, stream))).toBeInstanceOf(StoppedError);
	});

	it('may be an error as JSON', async () => {
		const error = JSON.stringify({ error: { message: 'no luck', code: 'provider_error' } });
		const { body } = await readStream(format, error, { headers: { 'content-type': 'application/json' } });
		const read = () => textFormat(format).readCompletion(body, { kind: 'text' });
		expect(read).toThrow('The model did not finish its response');
	});

	it('may be a web page', async () => {
		const page = readStream(format, '<!doctype html><html></html>', {
			headers: { 'content-type': 'text/html' },
		});
		expect((await apiErrorOf(page)).message).toBe('The gateway’s response could not be read');
	});
});

describe('chat: a completion that does not end', () => {
	it('times out, although data keeps arriving', async () => {
		const stream = new Readable({ read: () => undefined });
		stream.push(Buffer.from(beginning('chat')));
		const ticking = setInterval(() => stream.push(Buffer.from(': ping\n\n')), 20);
		const { details } = await apiErrorOf(readStream('chat', stream, { timeoutMs: 200 }));
		clearInterval(ticking);
		expect(details.message).toBe('The response took too long');
		expect(stream.destroyed).toBe(true);
	});

	it('ends with [DONE], without the end of the connection', async () => {
		const end: JsonObject = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
		const text = beginning('chat') + events(end, { choices: [], usage: { cost_rub: 1 } }, '[DONE]');
		const stream = textThen(text, () => undefined);
		const { body } = await readStream('chat', stream, { timeoutMs: 3_000 });
		expect(textFormat('chat').readCompletion(body, { kind: 'text' })).toMatchObject({ costRub: 1 });
		expect(stream.destroyed).toBe(true);
	});
});

const closings: Array<[string, JsonObject[]]> = [
	['chat', [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: {} }]],
	[
		'responses',
		[{ type: 'response.completed', sequence_number: 2, response: { status: 'completed', output: [] } }],
	],
	['messages', [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }]],
];

describe.each(closings)('%s: a completion is complete after its closing event', (format, end) => {
	const whole = beginning(format) + events(...end);
	const finishReason = async (source: StreamSource) => {
		const { body } = await readStream(format, source);
		return textFormat(format).readCompletion(body, { kind: 'text' }).choices[0]?.finishReason;
	};

	it('without [DONE]', async () => expect(await finishReason(whole)).toBe('stop'));

	it('without the blank line after the last event', async () =>
		expect(await finishReason(whole.replace(/\n+$/, '\n'))).toBe('stop'));

	it('when the connection breaks after it', async () => {
		const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
		expect(await finishReason(textThen(whole, (stream) => stream.destroy(reset)))).toBe('stop');
	});

	it('among events that are not objects', async () => {
		const noise = 'event: heartbeat\ndata: 2024\n\ndata: null\n\nevent: tick\ndata: now\n\n';
		expect(await finishReason(noise + whole + noise)).toBe('stop');
	});

	it('under another content type', async () => {
		const { body } = await readStream(format, whole, { headers: { 'content-type': 'text/plain' } });
		expect(textFormat(format).readCompletion(body, { kind: 'text' }).choices[0]?.finishReason).toBe('stop');
	});
});

it('an unstreamed response that stalls times out', async () => {
	const stalled = readStream(
		'chat',
		textThen('{"choices": [', () => undefined),
		{
			headers: { 'content-type': 'application/json' },
			timeoutMs: 150,
		},
	);
	expect((await apiErrorOf(stalled)).details).toMatchObject({ code: 'timeout', outcome: 'unknown' });
});

it.each([
	['breaks', Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), 'econnreset'],
	['cannot be unpacked', Object.assign(new Error('bad'), { code: 'Z_DATA_ERROR' }), 'connection_lost'],
])('an unstreamed response that %s may be charged', async (_, error, code) => {
	const broken = textThen('{"choices": [', (stream) => stream.destroy(error));
	const headers = { 'content-type': 'application/json' };
	expect((await apiErrorOf(readStream('chat', broken, { headers }))).details).toMatchObject({
		code,
		outcome: 'unknown',
	});
});

it.each(formats)('%s: a stream that cannot be unpacked may be charged', async (format) => {
	const error = Object.assign(new Error('bad'), { code: 'Z_DATA_ERROR' });
	const broken = textThen(beginning(format), (stream) => stream.destroy(error));
	const { details } = await apiErrorOf(readStream(format, broken));
	expect(details).toMatchObject({ code: 'unreadable_answer', outcome: 'unknown' });
	expect(details.extra?.receivedText).toBe('Hello');
});

describe('responses: a failure', () => {
	const failed = (usage: JsonObject) =>
		events({ type: 'response.failed', sequence_number: 2, response: { id: 'r', error: {}, usage } });

	it.each<[string, JsonObject, 'rejected' | 'charged', number | undefined]>([
		['without a cost is free', { input_tokens: 1 }, 'rejected', undefined],
		['that costs nothing is free', { cost: { total_cost: 0 } }, 'rejected', undefined],
		['with a cost is charged', { cost: { total_cost: 0.5 } }, 'charged', 0.5],
	])('%s', async (_, usage, outcome, costRub) => {
		const { details } = await apiErrorOf(readStream('responses', beginning('responses') + failed(usage)));
		expect(details).toMatchObject({ code: 'generation_failed', outcome });
		expect(details.extra?.costRub).toBe(costRub);
	});
});

it('messages: an unknown usage does not replace a known one', async () => {
	const usage = { output_tokens: 3, input_tokens: null };
	const stream = beginning('messages') + events({ type: 'message_delta', usage }, { type: 'message_stop' });
	const { body } = await readStream('messages', stream);
	expect(textFormat('messages').readCompletion(body, { kind: 'text' }).usage).toMatchObject({
		totalTokens: 4,
	});
});

describe('the text callback', () => {
	it('receives each chunk as it arrives, and the stream waits for it', async () => {
		const log: string[] = [];
		const stream = Readable.from(
			(async function* () {
				for (const word of ['a', 'b']) {
					log.push(`sent ${word}`);
					yield await Promise.resolve(
						Buffer.from(events({ choices: [{ index: 0, delta: { content: word } }] })),
					);
				}
				yield Buffer.from(
					events({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: {} }),
				);
			})(),
			{ highWaterMark: 1 },
		);
		await readStream('chat', stream, {
			onText: async (text) => {
				await new Promise((resolve) => setImmediate(resolve));
				log.push(`shown ${text}`);
			},
		});
		expect(log.indexOf('shown a')).toBeLessThan(log.indexOf('shown b'));
		expect(log[0]).toBe('sent a');
	});
});
