import fc from 'fast-check';

import { SseParser } from '../../../nodes/shared/gateway/text/sse';
import { chunksOf } from '../../helpers/streams';

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
	const values = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 12 }),
		fc.constantFrom('[DONE]', '{"a":"я🎈"}', ' x', ':'),
	);
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
		{ numRuns: 500 },
	);
});

it('knows how long an unfinished event is', () => {
	const parser = new SseParser(() => undefined);
	const lengths = ['data: a\n\n', 'data: 12', '345\nda', 'ta: 6', '\n\n'].map((text) => {
		parser.push(bytes(text));
		return parser.length;
	});
	expect(lengths).toStrictEqual([0, 8, 7, 12, 0]);
});

it.each<[string, () => Uint8Array[], number]>([
	['a line in small chunks', () => Array.from({ length: 200_000 }, () => bytes('data:xxxxx')), 0],
	[
		'small events, each in a chunk',
		() => Array.from({ length: 20_000 }, () => bytes('data: я\r\n\r\n')),
		20_000,
	],
	['small events in one chunk', () => [bytes('data: x\r\r'.repeat(20_000))], 20_000],
])('takes linear time for %s', (_, chunks, count) => {
	const start = process.cpuUsage();
	expect(parse(chunks())).toHaveLength(count);
	const { user, system } = process.cpuUsage(start);
	expect((user + system) / 1_000).toBeLessThan(5_000);
});
