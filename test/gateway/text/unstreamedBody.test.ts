import { Readable } from 'node:stream';

import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { apiErrorOf } from '../../helpers/client';
import { events, chunksOf, readStream } from '../../helpers/streams';

const bytes = (text: string) => new TextEncoder().encode(text);

const read = async (source: Parameters<typeof readStream>[1], headers: Record<string, string>) => {
	const { body, shown } = await readStream('chat', source, { headers });
	return { text: textFormat('chat').readCompletion(body, { kind: 'text' }).choices[0]?.text, shown };
};
const errorDetails = async (source: Parameters<typeof readStream>[1], headers: Record<string, string>) =>
	(await apiErrorOf(readStream('chat', source, { headers }))).details;

describe('an unstreamed response', () => {
	const json = JSON.stringify({ choices: [{ message: { content: 'Привет' }, finish_reason: 'stop' }] });
	const expected = { text: 'Привет', shown: [] };

	it.each<[string, Record<string, string>]>([
		['application/json', { 'content-type': 'application/json' }],
		['no type', {}],
	])('with %s is read, however its bytes are split', async (_, headers) => {
		for (const size of [1, 3, 1_000]) {
			expect(await read(chunksOf(bytes(json), size), headers)).toStrictEqual(expected);
		}
	});

	it.each([
		['blanks before it', [' \n', '\t', json]],
		['blanks and the beginning in one chunk', [`\n\n${' '.repeat(100)}${json}`]],
		['a byte order mark before it', [`\uFEFF${json}`]],
		['an empty chunk before it', ['', json]],
	])('may have %s', async (_, parts) => {
		expect(await read(parts.map(bytes), {})).toStrictEqual(expected);
	});

	it.each([
		['a list', '[{}]', 'unreadable_answer'],
		['a web page', '<!doctype html>', 'unreadable_answer'],
		['cut-off JSON', '{"choices": [', 'unreadable_answer'],
	])('that is %s may be charged', async (_, body, code) => {
		const details = await errorDetails(body, {});
		expect(details).toMatchObject({ code, status: 200, outcome: 'unknown' });
		expect(details.extra).toBeUndefined();
	});

	it.each([
		['an event stream by its header', '{"no": "event"}\n\n', { 'content-type': 'Text/Event-Stream;x=y' }],
		['text', 'hello', { 'content-type': 'text/plain' }],
		['nothing', '', { 'content-type': 'application/json' }],
	])('is expected as a stream for %s', async (_, body, headers) => {
		expect(await errorDetails(body, headers)).toMatchObject({
			code: 'stream_incomplete',
			outcome: 'unknown',
		});
	});

	it.each([1, 6, 7])(
		'is read as a stream for events that arrive %i bytes at a time with another type',
		async (size) => {
			const chunks = [
				{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
				{ choices: [], usage: {} },
			];
			const source = chunksOf(bytes(events(...chunks)), size);
			expect(await read(source, { 'content-type': 'text/plain' })).toStrictEqual({
				text: 'Hi',
				shown: ['Hi'],
			});
		},
	);

	it('longer than 128 MiB is rejected', async () => {
		let pulled = 0;
		const source = Readable.from(
			(function* () {
				yield bytes('{');
				for (; pulled < 200; pulled += 1) yield Buffer.alloc(1024 * 1024, ' ');
			})(),
			{ objectMode: true, highWaterMark: 1 },
		);
		expect(await errorDetails(source, {})).toMatchObject({ code: 'response_too_large', outcome: 'unknown' });
		expect(pulled).toBeGreaterThanOrEqual(127);
		expect(pulled).toBeLessThan(134);
	});
});
