import { Readable } from 'node:stream';

import fc from 'fast-check';

import { ApiError, StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { streamError, STREAM_TEXTS, withReceivedText } from '../../../nodes/shared/gateway/text/streamErrors';
import { apiErrorOf, rejection } from '../../helpers/client';
import { events, chunksOf, readStream } from '../../helpers/streams';

const textChunk = (content: string): JsonObject => ({ choices: [{ index: 0, delta: { content } }] });
const finish: JsonObject = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const usage: JsonObject = { choices: [], usage: { total_tokens: 3, cost_rub: 1 } };
const failed: JsonObject = { error: { message: 'upstream died', code: 'provider_error' } };
const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
const bytes = (text: string) => new TextEncoder().encode(text);

/** A stream of these chunks that then fails. */
function breaking(error: Error, ...texts: string[]): Readable {
	return Readable.from(
		(async function* () {
			for (const text of texts) yield await Promise.resolve(bytes(text));
			throw error;
		})(),
		{ objectMode: true },
	);
}

const read = async (source: Parameters<typeof readStream>[1]) => {
	const { body, shown } = await readStream('chat', source);
	const { choices, costRub } = textFormat('chat').readCompletion(body, { kind: 'text' });
	return { text: choices[0]?.text, costRub, shown };
};
const errorDetails = async (source: Parameters<typeof readStream>[1]) =>
	(await apiErrorOf(readStream('chat', source))).details;

describe('chat: a stream that is cut', () => {
	it('after its finish_reason, before the usage, is incomplete: its cost is unknown', async () => {
		expect(await errorDetails(breaking(reset, events(textChunk('Hello'), finish)))).toMatchObject({
			code: 'connection_lost',
			outcome: 'unknown',
			retryable: true,
			extra: { receivedText: 'Hello' },
		});
	});

	it('after finish_reason and usage is complete', async () => {
		expect(await read(breaking(reset, events(textChunk('Hello'), finish, usage)))).toStrictEqual({
			text: 'Hello',
			costRub: 1,
			shown: ['Hello'],
		});
	});

	it('in the middle of an event keeps the text before it', async () => {
		const details = await errorDetails(
			breaking(reset, events(textChunk('Hel')), events(textChunk('lo')).slice(0, 20)),
		);
		expect(details).toMatchObject({ code: 'connection_lost', extra: { receivedText: 'Hel' } });
	});

	it('keeps the cause', async () => {
		const error = await apiErrorOf(readStream('chat', breaking(reset, events(textChunk('Hello')))));
		expect(error.cause).toMatchObject({ name: 'ApiError', details: { code: 'econnreset' } });
	});

	it('throws StoppedError when the execution was cancelled', async () => {
		const cancelled = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
		const stopped = { name: 'StoppedError', reason: 'cancelled', outcome: 'unknown' };
		const stream = readStream('chat', breaking(cancelled, events(textChunk('a'))));
		expect(await rejection(stream)).toMatchObject(stopped);
		const json = readStream('chat', breaking(cancelled, '{"choi'), { headers: {} });
		expect(await rejection(json)).toMatchObject(stopped);
		const whole = readStream('chat', breaking(new StoppedError('other item failed'), events(finish, usage)));
		expect(await rejection(whole)).toStrictEqual(new StoppedError('other item failed'));
	});

	it.each([
		[
			new ApiError({ message: 'm', description: 'd', outcome: 'notSent', code: 'own', retryable: false }),
			'own',
		],
		[
			new ApiError({ message: 'm', description: 'd', outcome: 'unknown', code: 'own', retryable: false }),
			'own',
		],
		[Object.assign(new Error('?'), { code: 'ENOTFOUND' }), 'enotfound'],
		[Object.assign(new Error('?'), { code: 'ETIMEDOUT' }), 'connection_lost'],
		[new TypeError('a bug'), 'unreadable_answer'],
	])('is an error, whatever broke it: %p, %s', async (error, code) => {
		expect(await errorDetails(breaking(error, events(textChunk('Hello'))))).toMatchObject({
			code,
			outcome: 'unknown',
			retryable: true,
			extra: { receivedText: 'Hello' },
		});
	});
});

describe('an error frame', () => {
	it.each([
		['after the text', [textChunk('Hello'), failed], 'unknown'],
		['after finish_reason', [textChunk('Hello'), finish, failed], 'unknown'],
		['after the usage, whose cost is charged', [textChunk('Hello'), finish, usage, failed], 'charged'],
	])('chat: %s is an error, and the request is or may be charged', async (_, payloads, outcome) => {
		for (const source of [events(...payloads), payloads.map((payload) => bytes(events(payload)))]) {
			expect(await errorDetails(source)).toMatchObject({
				code: 'provider_error',
				outcome,
				extra: { receivedText: 'Hello' },
			});
		}
	});

	it('chat: after [DONE] is ignored', async () => {
		expect(await read(events(textChunk('Hello'), finish, '[DONE]', failed, '{"broken'))).toMatchObject({
			text: 'Hello',
		});
	});

	it.each<[string, JsonObject[]]>([
		[
			'responses',
			[
				{ type: 'response.output_text.delta', sequence_number: 0, output_index: 0, delta: 'Hello' },
				{ type: 'response.completed', sequence_number: 1, response: { status: 'completed', output: [] } },
				{ type: 'error', sequence_number: 2, error: { message: 'late' } },
			],
		],
		[
			'messages',
			[
				{ type: 'message_start', message: { id: 'm', content: [] } },
				{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
				{ type: 'message_delta', delta: { stop_reason: 'end_turn' } },
				{ type: 'message_stop' },
				{ type: 'error', error: { message: 'late' } },
			],
		],
	])('%s: after the closing event is ignored, however the bytes are split', async (format, payloads) => {
		const whole = bytes(events(...payloads));
		const sizes = [1, 7, 64, whole.length];
		const texts = await Promise.all(
			sizes.map(async (size) => {
				const { body } = await readStream(format, chunksOf(whole, size));
				return textFormat(format).readCompletion(body, { kind: 'text' }).choices[0]?.text;
			}),
		);
		expect(texts).toStrictEqual(sizes.map(() => 'Hello'));
	});
});

describe('the shown text', () => {
	it('is sent once for each chunk that has text', async () => {
		const source = [
			events(textChunk('a'), textChunk('b')),
			': ping\n\n',
			events(textChunk('')),
			events(textChunk('c'), finish, usage),
		];
		expect(await read(source.map(bytes))).toStrictEqual({ text: 'abc', costRub: 1, shown: ['ab', 'c'] });
	});

	it('includes the text in the same chunk before an error', async () => {
		const shown: string[] = [];
		const onText = async (text: string) => {
			shown.push(text);
			return await Promise.resolve();
		};
		const { details } = await apiErrorOf(readStream('chat', events(textChunk('Hello'), failed), { onText }));
		expect(shown).toStrictEqual(['Hello']);
		expect(details.extra).toStrictEqual({ receivedText: 'Hello' });
	});

	it('is not sent again after an error of the callback', async () => {
		const problem = new Error('no screen');
		let count = 0;
		const onText = async () => {
			count += 1;
			return await Promise.reject(problem);
		};
		const error = await apiErrorOf(readStream('chat', events(textChunk('Hello')), { onText }));
		expect(error.details).toMatchObject({ code: 'unreadable_answer', outcome: 'unknown' });
		expect([error.cause, count]).toStrictEqual([problem, 1]);
	});
});

describe('a stream that fails after its usage', () => {
	const tokens = { total_tokens: 3, prompt_tokens: 1, completion_tokens: 2 };
	const inChat = { choices: [], usage: { ...tokens, cost_rub: 0.5 } };
	const message = {
		type: 'message_start',
		message: { id: 'm1', usage: { input_tokens: 1, output_tokens: 0 } },
	};
	const inMessages = {
		type: 'message_delta',
		delta: { stop_reason: 'end_turn' },
		usage: { output_tokens: 2 },
	};

	it.each<[string, JsonObject[], number | null]>([
		['chat', [textChunk('Hello'), inChat], 0.5],
		['messages', [message, inMessages], null],
	])('%s: has the tokens and the cost in its error', async (format, sent, costRub) => {
		const { details } = await apiErrorOf(readStream(format, breaking(reset, events(...sent))));
		expect(details).toMatchObject({
			outcome: costRub === null ? 'unknown' : 'charged',
			extra: { usage: { inputTokens: 1, outputTokens: 2 }, costRub },
		});
	});

	it.each<[string, JsonObject[]]>([
		['chat', [textChunk('Hello')]],
		['messages', [message]],
		['responses', [{ type: 'response.created', response: { usage: { input_tokens: 1, output_tokens: 2 } } }]],
	])('%s: has no cost before it', async (format, sent) => {
		const { details } = await apiErrorOf(readStream(format, breaking(reset, events(...sent))));
		expect(details.extra).toStrictEqual({ receivedText: expect.any(String) as string });
	});
});

describe('frames', () => {
	const whole = [textChunk('Hello'), finish, usage];

	it.each(['7', 'null', '[1]', '"{}"', 'x {}', '', ' ', '[DON'])('%j is ignored', async (data) => {
		expect(await read(events(data, ...whole))).toMatchObject({ text: 'Hello' });
	});

	it.each(['[DONE]', ' [DONE] ', '[DONE]\t'])('%j ends a completion without usage', async (data) => {
		expect(await read(events(textChunk('Hello'), finish, data, '{"broken'))).toMatchObject({ text: 'Hello' });
	});

	it.each(['{"a"', ' {"a": }', '[DONE] or not'])('%j cannot be read: a part may be missing', async (data) => {
		const error = await apiErrorOf(readStream('chat', events(textChunk('Hello'), data, ...whole)));
		expect(error.cause).toBeUndefined();
		expect(error.details).toMatchObject({
			code: 'unreadable_answer',
			outcome: 'unknown',
			extra: { receivedText: 'Hello' },
		});
	});

	it('after the closing ones may be unreadable', async () => {
		expect(await read(events(...whole, '{"a"'))).toMatchObject({ text: 'Hello' });
	});

	it('that are cut off by the end of the stream are missing, not unreadable', async () => {
		const cut = events(textChunk('Hello')) + 'data: {"choices": [';
		expect(await errorDetails(cut)).toMatchObject({
			code: 'stream_incomplete',
			extra: { receivedText: 'Hello' },
		});
		expect(
			await errorDetails(`${events(textChunk('Hello'))}data: ${JSON.stringify(textChunk(' you'))}`),
		).toMatchObject({
			code: 'stream_incomplete',
			extra: { receivedText: 'Hello you' },
		});
		expect(await read(`${events(textChunk('Hello'), finish)}data: ${JSON.stringify(usage)}`)).toMatchObject({
			costRub: 1,
		});
	});

	it('that never end exceed the maximum length', async () => {
		const endless = Array.from({ length: 17 }, () => bytes('x'.repeat(1024 * 1024)));
		const error = await apiErrorOf(
			readStream('chat', [bytes(events(textChunk('Hello'))), bytes('data: {'), ...endless]),
		);
		expect(error.details).toMatchObject({ code: 'unreadable_answer', outcome: 'unknown' });
		expect(error.cause).toMatchObject({ name: 'SseTooLong' });
	});

	it('are the same however the bytes are split', async () => {
		const beginning = bytes(
			`\uFEFF: hi\r\n\r\n${events(textChunk('Привет'), textChunk(', 世界 🎈'), finish).replaceAll('\n', '\r\n')}`,
		);
		const rest = bytes(events(usage, '[DONE]').replaceAll('\n', '\r'));
		const stream = Buffer.concat([beginning, rest]);
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (size) => {
				const { text, costRub, shown } = await read(chunksOf(stream, size));
				expect([text, costRub, shown.join('')]).toStrictEqual(['Привет, 世界 🎈', 1, 'Привет, 世界 🎈']);
			}),
			{ numRuns: 40 },
		);
	});

	it('may be many thousands in small chunks', async () => {
		const list = Array.from({ length: 5_000 }, () => bytes(events(textChunk('я'))));
		const { text, shown } = await read([...list, bytes(events(finish, usage))]);
		expect(text).toBe('я'.repeat(5_000));
		expect(shown).toHaveLength(5_000);
	});
});

describe('the error of a stream', () => {
	it.each(['cut', 'ended', 'idle', 'total', 'unreadable'] as const)('%s: is retryable', (problem) => {
		const cause = new Error('why');
		const { message, description, code } = STREAM_TEXTS[problem];
		const error = streamError(problem, cause);
		expect(error.details).toStrictEqual({
			message,
			description,
			code,
			outcome: 'unknown',
			retryable: true,
		});
		expect(error.cause).toBe(cause);
		expect(new Set(Object.values(STREAM_TEXTS).map((texts) => texts.message)).size).toBe(5);
	});

	const base = { message: 'm', description: 'd', outcome: 'rejected', retryable: false } as const;

	it('has the received text, and says whether it may be charged', () => {
		const details = { ...base, extra: { state: 's' }, status: 200 };
		const charged = withReceivedText(new ApiError(details), { text: 'Hi', mayBeCharged: true, secrets: [] });
		expect(charged.details).toStrictEqual({
			...details,
			description: 'd Received so far: “Hi”',
			outcome: 'unknown',
			retryable: true,
			extra: { state: 's', receivedText: 'Hi' },
		});
		const free = withReceivedText(new ApiError(details), { text: '', mayBeCharged: false, secrets: [] });
		expect(free.details).toMatchObject({
			description: 'd No text had been received.',
			outcome: 'rejected',
			extra: { state: 's', receivedText: '' },
		});
	});

	it('shows the beginning of a long text, and keeps all of it', () => {
		const text = 'y'.repeat(301);
		const { details } = withReceivedText(new ApiError(base), { text, mayBeCharged: true, secrets: [] });
		expect(details.description).toMatch(/“y{300}…”$/);
		expect(details.extra).toStrictEqual({ receivedText: text });
	});
});
