import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import type { Completion } from '../../../nodes/shared/gateway/text/formats/completion';
import { textFormat, textFormats } from '../../../nodes/shared/gateway/text/formats';
import { incompleteHint, isIncomplete } from '../../../nodes/shared/gateway/text/incomplete';
import { isSchema, misfits, schemaOf } from '../../../nodes/shared/gateway/text/outputSchema';
import { omit, type Json, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { recordedCases } from '../../fixtures/recordedCases';
import { chunksOf, readStream } from '../../helpers/streams';
import { JSON_OBJECT, streamed } from './formats/support';
import { WHOLE } from './formats/whole';

const folder = (format: string) => join(__dirname, '../../fixtures', format, 'recorded');
const cases = textFormats.flatMap((format) =>
	recordedCases(format).map(([name, request]) => ({ format: format.name, name, output: request.output })),
);
const bytesOf = (format: string, name: string) => readFileSync(join(folder(format), `${name}.sse`));
const bodyOf = (format: string, name: string) =>
	JSON.parse(readFileSync(join(folder(format), `${name}.json`), 'utf8')) as JsonObject;
const eventsOf = (format: string, name: string) =>
	[
		...bytesOf(format, name)
			.toString()
			.matchAll(/^data: (\{.*)$/gm),
	].map(([, data = '']) => JSON.parse(data) as JsonObject);

/** IDs and times differ between two requests. */
function comparable(body: unknown): unknown {
	const text = JSON.stringify(body)
		.replace(/\b(chatcmpl-|msg_|resp_|call_|toolu_|fc_|rs_|ws_|bt_|audio_)[0-9a-f-]+/g, '$1…')
		.replace(/"(created|created_at|completed_at|expires_at)":\d+/g, '"$1":0');
	return JSON.parse(text);
}

it.each(textFormats)('$name has an unstreamed and a streamed response for each case', (format) => {
	const recorded = recordedCases(format).map(([label]) => label);
	expect(recorded).not.toHaveLength(0);
	expect(readdirSync(folder(format.name)).sort()).toStrictEqual(
		recorded.flatMap((label) => [`${label}.json`, `${label}.sse`]).sort(),
	);
});

it.each(cases)(
	'$format: $name is the same completion streamed and unstreamed, and its text is shown',
	async ({ format, name, output }) => {
		const { body, shown } = await readStream(format, chunksOf(bytesOf(format, name), 50), { output });
		expect(comparable(body)).toStrictEqual(comparable(bodyOf(format, name)));
		expect(shown.join('')).toBe(textFormat(format).readCompletion(body, output).text);
		expect(shown).not.toContain('');
	},
);

describe('null is read like an absent field', () => {
	type Path = Array<string | number>;
	type Change = 'null' | 'absent';

	/** The paths of all fields and elements inside a value. */
	function pathsIn(value: unknown): Path[] {
		if (typeof value !== 'object' || value === null) return [];
		const list = Array.isArray(value);
		return Object.entries(value).flatMap(([name, inner]) => {
			const step = list ? Number(name) : name;
			return [[step], ...pathsIn(inner).map((rest) => [step, ...rest])];
		});
	}

	/** A copy of a value with null, or nothing, at a path. */
	function changed<T>(value: T, path: Path, change: Change): T {
		const copy = structuredClone(value);
		const last = path.at(-1) ?? '';
		const holder = path
			.slice(0, -1)
			.reduce<unknown>((inner, step) => (inner as Record<typeof step, unknown>)[step], copy);
		if (change === 'null') (holder as Record<typeof last, unknown>)[last] = null;
		else if (Array.isArray(holder)) holder.splice(Number(last), 1);
		else Reflect.deleteProperty(holder as object, last);
		return copy;
	}

	/** The result of a function, or the details of its ApiError. */
	function outcome(work: () => unknown): unknown {
		try {
			return work();
		} catch (error) {
			if (error instanceof ApiError) return error.details;
			throw error;
		}
	}

	type Body = [format: string, name: string, body: JsonObject];
	type Stream = [format: string, name: string, events: JsonObject[]];
	const failed = { id: 'r', status: 'failed', error: { code: 'a', message: 'b' } };
	const incomplete = { ...WHOLE.responses, status: 'incomplete', incomplete_details: { reason: 'x' } };
	const bodies: Body[] = [
		...cases.map(({ format, name }): Body => [format, name, bodyOf(format, name)]),
		...Object.entries(WHOLE).map(([format, body]): Body => [format, 'whole', body]),
		['chat', 'empty', { ...WHOLE.chat, error: {}, choices: [] }],
		['responses', 'incomplete', incomplete],
		['responses', 'failed', failed],
	];

	const error = [{ type: 'error', error: { type: 'a', message: 'b' } }];
	const content = [{ type: 'text', text: 'Hello' }, { image_url: { url: 'data:image/png;base64,AAAA' } }];
	const citation = { type: 'url_citation', url: 'https://a.test', url_citation: { title: 'B' } };
	const delta = {
		...WHOLE.chat.choices[0]?.message,
		content,
		annotations: [citation],
		reasoning_details: [{ text: 'Hm' }],
	};
	const streams: Stream[] = [
		...cases.map(({ format, name }): Stream => [format, name, eventsOf(format, name)]),
		['chat', 'whole', [{ ...WHOLE.chat, choices: [{ index: 0, finish_reason: 'stop', delta }] }]],
		[
			'responses',
			'without output in its end',
			[
				...WHOLE.responses.output.map((item, output_index) => {
					return { type: 'response.output_item.done', output_index, item };
				}),
				{ type: 'response.refusal.delta', output_index: 3, content_index: 2, delta: 'No' },
				{ type: 'response.completed', response: { ...WHOLE.responses, output: [] } },
			],
		],
		['responses', 'failed', [{ type: 'response.failed', response: failed }]],
		[
			'messages',
			'whole',
			[
				{ type: 'message_start', message: { ...WHOLE.messages, content: [] } },
				...WHOLE.messages.content.map((content_block, index) => {
					return { type: 'content_block_start', index, content_block };
				}),
				{ type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation } },
			],
		],
		['responses', 'error', error],
		['messages', 'error', error],
	];

	/** The paths where null leads to another result than an absent field. */
	function differing(paths: Path[], outcomeOf: (path: Path, change: Change) => unknown): string[] {
		const differs = (path: Path) => !isDeepStrictEqual(outcomeOf(path, 'null'), outcomeOf(path, 'absent'));
		// The arguments of a tool are the model's own.
		return paths.filter((path) => !path.includes('input') && differs(path)).map((path) => path.join('.'));
	}

	/** Without the parts that go back as they were received. */
	function converted({ raw, ...completion }: Completion): object {
		const sources = completion.sources.map(({ url, title }) => [url ?? '', title ?? '']);
		return { ...omit(completion, 'reasoningParts'), sources, hasRaw: raw !== undefined };
	}

	it.each(bodies)('in a body: %s, %s', (format, _, body) => {
		const paths = pathsIn(body);
		expect(paths.length).toBeGreaterThan(3);
		expect(
			differing(paths, (path, change) =>
				outcome(() => converted(textFormat(format).readCompletion(changed(body, path, change), JSON_OBJECT))),
			),
		).toStrictEqual([]);
	});

	// A part of a content that is null is a part.
	it.each(streams)('in a stream: %s, %s', (format, _, events) => {
		const paths = pathsIn(events).filter((path) => path.length > 1 && path.at(-2) !== 'content');
		expect(paths.length).toBeGreaterThan(3);
		expect(
			differing(paths, (path, change) =>
				outcome(() => {
					const { body, ...rest } = streamed(format, changed(events, path, change), JSON_OBJECT);
					return {
						...rest,
						completion: outcome(() => converted(textFormat(format).readCompletion(body, JSON_OBJECT))),
					};
				}),
			),
		).toStrictEqual([]);
	});
});

it('comments, pings, unknown events and line ends change nothing, however a stream is split', async () => {
	const noise: Record<string, string> = {
		chat: ': ping\n\n',
		responses: 'data: {"type":"response.ping"}\n\ndata: {"type":"response.brand.new","delta":"no"}\n\n',
		messages:
			'event: ping\ndata: {"type":"ping"}\n\nevent: new_thing\ndata: {"type":"new_thing","delta":{"text":"no"}}\n\n',
	};
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...cases.filter(({ name }) => name !== 'audio')),
			fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
			fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
			fc.boolean(),
			async ({ format, name, output }, sizes, places, crlf) => {
				const text = bytesOf(format, name).toString('utf8');
				const frames = text.split('\n\n').filter((frame) => frame !== '');
				for (const place of places) {
					const at = Math.min(place, frames.length - 1);
					frames[at] = `${noise[format] ?? ''}${frames[at]}`;
				}
				const noisy = `${frames.join('\n\n')}\n\n`;
				const bytes = Buffer.from(crlf ? noisy.replaceAll('\n', '\r\n') : noisy);
				const chunks: Uint8Array[] = [];
				for (let start = 0, index = 0; start < bytes.length; index += 1) {
					const size = sizes[index % sizes.length] ?? 1;
					chunks.push(bytes.subarray(start, start + size));
					start += size;
				}
				const expected = await readStream(format, text, { output });
				const actual = await readStream(format, chunks, { output });
				expect(actual.body).toStrictEqual(expected.body);
				expect(actual.shown.join('')).toBe(expected.shown.join(''));
				expect(actual.shown).not.toContain('');
			},
		),
		{ numRuns: 50 },
	);
});

const hint = (finishReason: string | null, body: JsonObject = {}, format = 'chat') =>
	incompleteHint({ finishReason }, body, textFormat(format));

test.each(
	`length max_tokens MAX_TOKENS max_output_tokens model_length model_context_window_exceeded content_filter refusal
	SAFETY RECITATION PROHIBITED_CONTENT BLOCKLIST SPII IMAGE_SAFETY content_filtered guardrail_intervened sensitive
	blacklist`.split(/\s+/),
)('%s: the text is not complete', (finishReason) => {
	expect(isIncomplete({ finishReason })).toBe(true);
	expect(hint(finishReason)).toMatch(/is not complete|is cut off/);
});

test.each([
	...'stop STOP tool_calls function_call end_turn stop_sequence tool_use COMPLETE tool_call eos eos_token'.split(
		' ',
	),
	'',
	null,
])('%s: the text is complete', (finishReason) => {
	expect(isIncomplete({ finishReason })).toBe(false);
	expect(hint(finishReason)).toBeUndefined();
});

test.each([
	'insufficient_system_resource',
	'pause_turn',
	'MALFORMED_FUNCTION_CALL',
	'cancelled',
	'something_new',
])('%s is not known: a hint names it', (finishReason) => {
	expect(isIncomplete({ finishReason })).toBe(false);
	expect(hint(finishReason)).toContain(`may not be complete: the model gives “${finishReason}”`);
});

test.each<[string, JsonObject, string, string]>([
	['chat', { max_tokens: 20 }, 'at 20 tokens', "'Max Tokens'"],
	['chat', { max_completion_tokens: 20 }, 'at 20 tokens', "'Max Tokens'"],
	['responses', { max_output_tokens: 20 }, 'at 20 tokens', "'Max Tokens'"],
	['messages', { max_tokens: 4096 }, 'at 4,096 tokens', "'Max Tokens'"],
	['chat', {}, 'its own limit', 'Ask for less'],
])('%s, sent with %j: the hint says what to do', (format, body, what, advice) => {
	expect(hint('length', body, format)).toContain(what);
	expect(hint('length', body, format)).toContain(advice);
});

const problems = (value: Json, schema: JsonObject) => [...misfits(value, schema, schema)];

describe('a value that does not fit its schema', () => {
	const person = {
		type: 'object',
		properties: {
			name: { type: 'string' },
			age: { type: 'integer' },
			tags: { type: 'array', items: { type: 'string' } },
			pets: { type: 'array', items: { type: 'object', required: ['name'] } },
			size: { $ref: '#/$defs/Size' },
			home: { anyOf: [{ type: 'string' }, { type: 'null' }] },
		},
		required: ['name', 'home'],
		$defs: { Size: { enum: ['S', 'M', 1] } },
	};
	const whole = { name: 'Anna', home: null };

	it.each<[string, Json, string]>([
		['no object', [1], 'output is a list, not an object'],
		['a missing field', { home: 'a' }, 'output.name is missing'],
		['a field of another type', { ...whole, name: 1 }, 'output.name is a number, not text'],
		['null where a field is required', { ...whole, name: null }, 'output.name is null, not text'],
		['a fraction', { ...whole, age: 1.5 }, 'output.age is a number, not a whole number'],
		['a list element of another type', { ...whole, tags: ['a', 1] }, 'output.tags[1] is a number, not text'],
		[
			'a missing field of a list element',
			{ ...whole, pets: [{ name: 'A' }, {}] },
			'output.pets[1].name is missing',
		],
		['no choice of a reference', { ...whole, size: 'L' }, 'output.size is "L", not "S" or "M" or 1'],
		['nothing of a union', { ...whole, home: 1 }, 'output.home is none of what the schema allows'],
	])('%s is named', (_, value, problem) => {
		expect(problems(value, person)).toStrictEqual([problem]);
	});

	it.each<[string, JsonObject]>([
		['only what is required', whole],
		['null for what is not required', { ...whole, age: null, tags: null }],
		['a whole number as 2.0', { ...whole, age: 2.0 }],
		['more fields', { ...whole, more: 1 }],
		['a choice', { ...whole, size: 1, home: 'Kazan' }],
	])('%s fits', (_, value) => {
		expect(problems(value, person)).toStrictEqual([]);
	});

	it.each<[string, Json, JsonObject]>([
		['a type that is not known', 1, { type: 'text' }],
		['a constant', 1, { const: 2 }],
		['parts of a whole', { a: 1 }, { allOf: [{ required: ['a'] }, { required: ['b'] }] }],
		[
			'a part beside a reference',
			{ a: 1 },
			{ $ref: '#/$defs/A', allOf: [{ required: ['b'] }], $defs: { A: { required: ['a'] } } },
		],
		['a name that objects inherit', {}, { required: ['toString'] }],
	])('%s is checked', (_, value, schema) => {
		expect(problems(value, schema)).toHaveLength(1);
	});

	it('null fits what is nullable, as OpenAPI writes it, also where it is required', () => {
		const properties = { year: { type: 'integer', nullable: true } };
		expect(problems({ year: null }, { type: 'object', properties, required: ['year'] })).toStrictEqual([]);
	});

	// report: a valid answer that is paid for is not refused (JSON Schema 2020-12, and the lists of draft 7).
	const pair = [{ type: 'string' }, { type: 'number' }];
	const text = { type: 'string' };
	it.each<[string, Json, JsonObject]>([
		['items beside prefixItems, after the prefix', ['a', 1, 'x', 'y'], { prefixItems: pair, items: text }],
		['fewer elements than the prefix has', ['a'], { prefixItems: pair, items: false }],
		['anything after the prefix', ['a', 1, null, {}], { prefixItems: pair }],
		['items: true after the prefix', ['a', 1, null, {}], { prefixItems: pair, items: true }],
		['a list in the prefix', [['a', 1], 2], { prefixItems: [{ prefixItems: pair, items: false }] }],
		['items as a list, with additionalItems', ['a', 1, 'x'], { items: pair, additionalItems: text }],
		['items as a list without additionalItems', ['a', 1, null], { items: pair }],
		['additionalItems beside one schema of items', ['a', 'b'], { items: text, additionalItems: false }],
		['true in anyOf', 1, { anyOf: [text, true] }],
		['true in oneOf', 1, { oneOf: [true, text] }],
		['false beside a branch that fits', 'a', { anyOf: [false, text] }],
		['true in allOf', 'a', { allOf: [true, text] }],
		['items: true', [1, 'a', null], { items: true }],
		['items: false without elements', [], { items: false }],
		['a field of the schema true', { a: [1] }, { properties: { a: true }, required: ['a'] }],
		['no field of the schema false', { b: 1 }, { properties: { a: false } }],
		['a reference to true', 1, { $ref: '#/$defs/any', $defs: { any: true } }],
		['true as an outcome', 1, { if: text, then: false, else: true }],
	])('%s fits', (_, value, schema) => {
		expect(problems(value, schema)).toStrictEqual([]);
	});

	it.each<[string, Json, JsonObject, string]>([
		['the prefix', ['a', 'b'], { prefixItems: pair, items: text }, 'output[1] is text, not a number'],
		['items after it', ['a', 1, 2], { prefixItems: pair, items: text }, 'output[2] is a number, not text'],
		['nothing after it', ['a', 1, 2], { prefixItems: pair, items: false }, 'output[2] is not allowed'],
		[
			'additionalItems',
			['a', 1, 2],
			{ items: pair, additionalItems: text },
			'output[2] is a number, not text',
		],
		['no additionalItems', ['a', 1, 2], { items: pair, additionalItems: false }, 'output[2] is not allowed'],
		['items: false', [1], { items: false }, 'output[0] is not allowed'],
		['a field of the schema false', { a: 1 }, { properties: { a: false } }, 'output.a is not allowed'],
		['false in allOf', 1, { allOf: [true, false] }, 'output is not allowed'],
		['false in anyOf', 1, { anyOf: [false, text] }, 'output is none of what the schema allows'],
		['only false in oneOf', 1, { oneOf: [false] }, 'output is none of what the schema allows'],
		['a reference to false', 1, { $ref: '#/$defs/no', $defs: { no: false } }, 'output is not allowed'],
	])('%s is checked', (_, value, schema, problem) => {
		expect(problems(value, schema)).toStrictEqual([problem]);
	});

	// report: the panel and the docs say which keywords are checked; these are not.
	it.each<[string, Json, JsonObject]>([
		['patternProperties', { x1: 1 }, { patternProperties: { '^x': text } }],
		['additionalProperties', { b: 1 }, { properties: { a: text }, additionalProperties: false }],
		['not', 'a', { not: text }],
		['a pattern, a length and a format', 'a', { pattern: '^b', minLength: 2, format: 'date' }],
		['ranges', 5, { maximum: 3, multipleOf: 2 }],
		['the number of elements', [1, 1], { maxItems: 1, uniqueItems: true, contains: text }],
	])('%s: not checked', (_, value, schema) => {
		expect(problems(value, schema)).toStrictEqual([]);
	});

	it('is found in schemas that refer to themselves, and ends', () => {
		const tree = { type: 'object', properties: { child: { $ref: '#' } } };
		expect(problems({ child: { child: 1 } }, tree)).toStrictEqual([
			'output.child.child is a number, not an object',
		]);
		expect(problems(1, { $ref: '#' })).toStrictEqual([]);
	});
});

describe('the schema of an example', () => {
	it('requires the fields that it shows, with decimals, dates as text, and anything for null and []', () => {
		const example = {
			name: 'Anna',
			born: '2001-02-03',
			pages: 3,
			paid: true,
			tags: ['a'],
			note: null,
			more: [],
		};
		expect(schemaOf([example])).toStrictEqual({
			type: 'object',
			properties: {
				name: { type: 'string' },
				born: { type: 'string' },
				pages: { type: 'number' },
				paid: { type: 'boolean' },
				tags: { type: 'array', items: { type: 'string' } },
				note: {},
				more: { type: 'array', items: {} },
			},
			required: ['name', 'born', 'pages', 'paid', 'tags', 'more'],
			additionalProperties: false,
		});
	});

	it('requires of the elements of a list what all of them have', () => {
		expect(
			schemaOf([
				[
					{ a: 1, b: 2, c: 'x' },
					{ a: 3, b: null, c: 1 },
				],
			]),
		).toStrictEqual({
			type: 'array',
			items: {
				type: 'object',
				properties: { a: { type: 'number' }, b: { type: 'number' }, c: {} },
				required: ['a', 'c'],
				additionalProperties: false,
			},
		});
	});

	it.each<[Json, JsonObject]>([
		[[1, 'a'], { type: 'array', items: {} }],
		[[1, null], { type: 'array', items: {} }],
		[{}, { type: 'object' }],
	])('%j asks for no more', (example, schema) => {
		expect(schemaOf([example])).toStrictEqual(schema);
	});

	it('allows the example', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				const example = JSON.parse(JSON.stringify(json)) as Json;
				expect(problems(example, schemaOf([example]))).toStrictEqual([]);
			}),
		);
	});
});

describe('an object', () => {
	it.each<JsonObject>([
		{ type: 'object', properties: { title: { type: 'string' } } },
		{ properties: { title: {} } },
		{ type: ['object', 'null'] },
		{ $ref: '#/$defs/Book', $defs: {} },
		{ anyOf: [{ type: 'object' }] },
		{ type: 'object', properties: { title: {}, more: true } },
		{ properties: { none: false } },
	])('%j is a schema', (value) => {
		expect(isSchema(value)).toBe(true);
	});

	it.each<JsonObject>([
		{ title: 'Sea', pages: 320 },
		{ type: 'book', title: 'Sea' },
		{ type: { name: 'book' } },
		{ items: [{ name: 'A' }], total: 5 },
		{ properties: ['A flat'], city: 'Kazan' },
		{ type: 'object', properties: { title: 'Sea' } },
		{},
	])('%j is sample data', (value) => {
		expect(isSchema(value)).toBe(false);
	});
});
