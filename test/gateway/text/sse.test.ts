import fc from 'fast-check';

import { DONE, SseParser, SseTooLong, type ServerSentEvent } from '../../../nodes/shared/gateway/text/sse';

function parse(chunks: Uint8Array[], maxLength?: number): ServerSentEvent[] {
	const events: ServerSentEvent[] = [];
	const parser = new SseParser({
		onEvent: (event) => events.push(event),
		...(maxLength ? { maxLength } : {}),
	});
	for (const chunk of chunks) parser.push(chunk);
	return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const parseText = (text: string) => parse([bytes(text)]);
const each = (size: number, whole: Uint8Array) =>
	Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
		whole.slice(index * size, (index + 1) * size),
	);

/** The result of a function, or its error. */
function outcomeOf(read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		return error;
	}
}

describe('an event', () => {
	const cases: Array<[string, string, ServerSentEvent[]]> = [
		['unnamed data', 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
		['a named event', 'event: message_stop\ndata: {}\n\n', [{ event: 'message_stop', data: '{}' }]],
		['the name after the data', 'data: x\nevent: late\n\n', [{ event: 'late', data: 'x' }]],
		['several data lines', 'data: a\ndata: b\ndata:\n\n', [{ data: 'a\nb\n' }]],
		['no space after the colon', 'data:x\n\n', [{ data: 'x' }]],
		['only the first space is removed', 'data:  x\n\n', [{ data: ' x' }]],
		['a line without a colon', 'data\n\n', [{ data: '' }]],
		['the literal end', 'data: [DONE]\n\n', [{ data: DONE }]],
		['comments are ignored', ': ping\n\ndata: x\n: more\n\n', [{ data: 'x' }]],
		['unknown fields are ignored', 'id: 7\nretry: 10\nfoo: bar\ndata: x\n\n', [{ data: 'x' }]],
		['is not read without data', 'event: ping\n\ndata: x\n\n', [{ data: 'x' }]],
		['CRLF', 'data: a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
		['CR', 'data: a\rdata: b\r\r', [{ data: 'a\nb' }]],
		[
			'mixed line ends',
			'data: a\r\n\ndata: b\n\r\ndata: c\r\r',
			[{ data: 'a' }, { data: 'b' }, { data: 'c' }],
		],
		['a byte order mark', '\uFEFFdata: x\n\n', [{ data: 'x' }]],
		['characters beyond ASCII', 'data: Привет, 世界 🎈\n\n', [{ data: 'Привет, 世界 🎈' }]],
		['an unfinished event is not dispatched', 'data: x\n\ndata: half', [{ data: 'x' }]],
		['nothing', '', []],
		['blank lines', '\n\r\n\r\r\n\n', []],
		['CR before a blank line of LF', 'data: a\r\n\ndata: b\r\r\n', [{ data: 'a' }, { data: 'b' }]],
		['CRs, then an LF far away', 'data: a\rdata: b\r\rdata: c\n\n', [{ data: 'a\nb' }, { data: 'c' }]],
		['an empty name', 'event:\ndata: x\n\n', [{ data: 'x' }]],
		['a name without a colon', 'event: a\nevent\ndata: x\n\n', [{ data: 'x' }]],
		[
			'a name applies to one event',
			'event: a\ndata: x\n\ndata: y\n\n',
			[{ event: 'a', data: 'x' }, { data: 'y' }],
		],
		['a name without data is forgotten', 'event: a\n\ndata: y\n\n', [{ data: 'y' }]],
		['fields that begin alike', 'dat: x\ndatax: y\neventx: z\nDATA: w\ndata : v\n\n', []],
		['a colon in the value', 'data: a:b: c\n\n', [{ data: 'a:b: c' }]],
		['empty lines of data', 'data\ndata\n\n', [{ data: '\n' }]],
		['a byte order mark after an event', 'data: x\n\n\uFEFFdata: y\n\n', [{ data: 'x' }]],
		['a byte order mark inside', 'data: \uFEFFx\n\n', [{ data: '\uFEFFx' }]],
	];
	test.each(cases)('%s', (_, text, events) => expect(parseText(text)).toStrictEqual(events));
	test.each(cases)('%s, byte by byte', (_, text, events) =>
		expect(parse(each(1, bytes(text)))).toStrictEqual(events),
	);
});

describe('splitting a stream', () => {
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

	it('does not change the events', () => {
		fc.assert(
			fc.property(streams, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (stream, sizes) => {
				const chunks: Uint8Array[] = [];
				for (let start = 0, index = 0; start < stream.length; index += 1) {
					const size = sizes[index % sizes.length] ?? 1;
					chunks.push(stream.slice(start, start + size));
					start += size;
				}
				expect(parse(chunks)).toStrictEqual(parse([stream]));
			}),
			{ numRuns: 500 },
		);
	});

	it('of any bytes results in events or SseTooLong, and no other error', () => {
		fc.assert(
			fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 20 }), (chunks) => {
				const outcome = outcomeOf(() => parse(chunks, 100));
				expect(Array.isArray(outcome) || outcome instanceof SseTooLong).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('the maximum length', () => {
	it('limits a line that never ends', () => {
		expect(() => parse([bytes('data: '), bytes('x'.repeat(60)), bytes('x'.repeat(60))], 100)).toThrow(
			SseTooLong,
		);
	});

	it('limits an event of ever more lines', () => {
		expect(() => parse([bytes('data: 0123456789\n'.repeat(20))], 100)).toThrow(SseTooLong);
	});

	it('allows any number of shorter events', () => {
		expect(parse([bytes(`data: ${'x'.repeat(80)}\n\n`.repeat(50))], 100)).toHaveLength(50);
	});

	it('is checked in linear time for a line that arrives in small chunks', () => {
		const chunks = Array.from({ length: 200_000 }, () => bytes('xxxxxxxxxx'));
		const start = performance.now();
		expect(parse([bytes('data: '), ...chunks, bytes('\n\n')])).toHaveLength(1);
		expect(performance.now() - start).toBeLessThan(5_000);
	});
});

describe('the exact maximum length', () => {
	const outcome = (text: string, size = 1_000) => outcomeOf(() => parse(each(size, bytes(text)), 10));

	it.each<[string, string, number | undefined, boolean]>([
		['data of that length', `data: ${'x'.repeat(10)}\n\n`, undefined, true],
		['data that is longer', `data: ${'x'.repeat(11)}\n\n`, undefined, false],
		['lines of data of that length', 'data: 1234\ndata: 67890\n\n', undefined, true],
		['lines of data that are longer', 'data: 12345\ndata: 67890\n\n', undefined, false],
		['a long comment', `: ${'x'.repeat(100)}\n\n`, undefined, true],
		['an unfinished line of that length', 'data: 4567', 3, true],
		['an unfinished line that is longer', 'data: 45678', 3, false],
		['unfinished lines one after the other', 'data: 1\n\n'.repeat(9), 3, true],
	])('%s', (_, text, size, isAccepted) => {
		expect(Array.isArray(outcome(text, size))).toBe(isAccepted);
	});

	it('is in the error', () => {
		expect(outcome('x'.repeat(11))).toMatchObject({ name: 'SseTooLong', maxLength: 10 });
	});

	it('is 16 Mi characters by default', () => {
		const line = (length: number) => [bytes('data: '), bytes('x'.repeat(length - 6))];
		expect(parse(line(16 * 1024 * 1024))).toStrictEqual([]);
		expect(() => parse(line(16 * 1024 * 1024 + 1))).toThrow(SseTooLong);
	});
});

describe('the end of a stream', () => {
	const parseToEnd = (text: string, size: number) => {
		const events: ServerSentEvent[] = [];
		const parser = new SseParser({ onEvent: (event) => events.push(event) });
		for (const chunk of each(size, bytes(text))) parser.push(chunk);
		parser.end();
		return events;
	};

	it.each<[string, ServerSentEvent[]]>([
		['', []],
		['data: x', [{ data: 'x' }]],
		['data: x\n', [{ data: 'x' }]],
		['data: x\r', [{ data: 'x' }]],
		['event: a\ndata: x\ndata: y', [{ event: 'a', data: 'x\ny' }]],
		['data: x\n\n', [{ data: 'x' }]],
		['data: x\n\nevent: a', [{ data: 'x' }]],
		['data: x\n\ndata', [{ data: 'x' }, { data: '' }]],
	])('ends an event without a blank line: %j', (text, events) => {
		expect(parseToEnd(text, 1_000)).toStrictEqual(events);
		expect(parseToEnd(text, 1)).toStrictEqual(events);
	});
});

it('reads thousands of small events, each in a chunk, in linear time', () => {
	const chunk = bytes('event: e\r\ndata: {"a":"я"}\r\n\r\n');
	const chunks = Array.from({ length: 20_000 }, () => chunk);
	const start = performance.now();
	const events = parse(chunks);
	expect(performance.now() - start).toBeLessThan(5_000);
	expect(events).toHaveLength(20_000);
	expect(new Set(events.map(({ event, data }) => `${event} ${data}`))).toStrictEqual(
		new Set(['e {"a":"я"}']),
	);
});

it('reads many small events in one chunk, with any line ends, in linear time', () => {
	const start = performance.now();
	for (const end of ['\n', '\r\n', '\r']) {
		expect(parseText(`data: x${end}${end}`.repeat(20_000))).toHaveLength(20_000);
	}
	expect(performance.now() - start).toBeLessThan(5_000);
});
