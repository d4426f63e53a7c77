import fc from 'fast-check';

import { DONE, SseParser, SseTooLong, type ServerSentEvent } from '../../../nodes/shared/gateway/sse';

function parse(portions: Uint8Array[], maxLength?: number): ServerSentEvent[] {
	const events: ServerSentEvent[] = [];
	const parser = new SseParser({
		onEvent: (event) => events.push(event),
		...(maxLength ? { maxLength } : {}),
	});
	for (const portion of portions) parser.push(portion);
	return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const parseText = (text: string) => parse([bytes(text)]);
const each = (size: number, whole: Uint8Array) =>
	Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
		whole.slice(index * size, (index + 1) * size),
	);

describe('what an event is', () => {
	const cases: Array<[string, string, ServerSentEvent[]]> = [
		['unnamed data', 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
		['a named event', 'event: message_stop\ndata: {}\n\n', [{ event: 'message_stop', data: '{}' }]],
		['the name after the data', 'data: x\nevent: late\n\n', [{ event: 'late', data: 'x' }]],
		['several data lines', 'data: a\ndata: b\ndata:\n\n', [{ data: 'a\nb\n' }]],
		['no space after the colon', 'data:x\n\n', [{ data: 'x' }]],
		['only the first space is taken away', 'data:  x\n\n', [{ data: ' x' }]],
		['a line without a colon', 'data\n\n', [{ data: '' }]],
		['the literal end', 'data: [DONE]\n\n', [{ data: DONE }]],
		['comments are passed over', ': ping\n\ndata: x\n: more\n\n', [{ data: 'x' }]],
		['unknown fields are passed over', 'id: 7\nretry: 10\nfoo: bar\ndata: x\n\n', [{ data: 'x' }]],
		['an event without data is none', 'event: ping\n\ndata: x\n\n', [{ data: 'x' }]],
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
	];
	test.each(cases)('%s', (_, text, events) => expect(parseText(text)).toStrictEqual(events));
	test.each(cases)('%s, byte by byte', (_, text, events) =>
		expect(parse(each(1, bytes(text)))).toStrictEqual(events),
	);
});

describe('any boundary', () => {
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

	it('gives the same events however the bytes are split', () => {
		fc.assert(
			fc.property(streams, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (stream, sizes) => {
				const portions: Uint8Array[] = [];
				for (let start = 0, turn = 0; start < stream.length; turn += 1) {
					const size = sizes[turn % sizes.length] ?? 1;
					portions.push(stream.slice(start, start + size));
					start += size;
				}
				expect(parse(portions)).toStrictEqual(parse([stream]));
			}),
			{ numRuns: 500 },
		);
	});

	it('takes any bytes: events or the bound, never another error', () => {
		fc.assert(
			fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 20 }), (portions) => {
				try {
					parse(portions, 100);
				} catch (error) {
					expect(error).toBeInstanceOf(SseTooLong);
				}
			}),
			{ numRuns: 500 },
		);
	});
});

describe('the bound', () => {
	it('ends a line that never ends', () => {
		expect(() => parse([bytes('data: '), bytes('x'.repeat(60)), bytes('x'.repeat(60))], 100)).toThrow(
			SseTooLong,
		);
	});

	it('ends an event of ever more lines', () => {
		expect(() => parse([bytes('data: 0123456789\n'.repeat(20))], 100)).toThrow(SseTooLong);
	});

	it('allows any number of events below it', () => {
		expect(parse([bytes(`data: ${'x'.repeat(80)}\n\n`.repeat(50))], 100)).toHaveLength(50);
	});

	it('costs linear time for a line that comes in small portions', () => {
		const portions = Array.from({ length: 200_000 }, () => bytes('xxxxxxxxxx'));
		const start = performance.now();
		expect(parse([bytes('data: '), ...portions, bytes('\n\n')])).toHaveLength(1);
		expect(performance.now() - start).toBeLessThan(5_000);
	});
});
