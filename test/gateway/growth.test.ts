import { fetchList } from '../../nodes/shared/gateway/endpoints/lists';
import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import { errorFromResponse } from '../../nodes/shared/gateway/errors/fromResponse';
import { redact } from '../../nodes/shared/gateway/errors/secrets';
import { inputForm } from '../../nodes/shared/gateway/media/inputSchema';
import { taskPrice, type MediaModel } from '../../nodes/shared/gateway/media/price';
import { subtitles } from '../../nodes/shared/gateway/media/subtitles';
import { textFormat } from '../../nodes/shared/gateway/text/formats';
import { misfits, schemaOf, strictSchema } from '../../nodes/shared/gateway/text/outputSchema';
import { fileInfo, givenName, nameInUrl } from '../../nodes/shared/gateway/util/fileName';
import {
	asText,
	outsideValue,
	roundedInteger,
	type Json,
	type JsonObject,
} from '../../nodes/shared/gateway/util/json';
import { addToTotal, asDecimal } from '../../nodes/shared/gateway/util/money';
import { templateParts } from '../../nodes/shared/gateway/util/text';
import { readAddress } from '../../nodes/shared/n8n/credential';
import { valueOf } from '../../nodes/shared/params/emptyExpressions';
import { readParameters } from '../../nodes/shared/params/nodeParameters';
import { text } from '../../nodes/shared/params/kinds';
import { growth, LINEAR } from '../helpers/growth';
import { Execution } from '../run/support';

// What reads texts and lists from outside takes linear time. Patterns: `npm run lint:security`.

const range = (size: number) => Array.from({ length: size }, (_, index) => index);
const fieldsOf = (size: number, value: Json = {}) =>
	Object.fromEntries(range(size).map((index): [string, Json] => [`f${index}`, value]));

const VALUES: Array<[string, (size: number) => () => unknown]> = [
	['an error and a long name of its field', (size) => () => errorOf(misnamed(size))],
	[
		'an example of many objects',
		(size) => () => schemaOf([range(size).map((index) => ({ [`f${index}`]: index }))]),
	],
	['strict objects', (size) => () => strictSchema(schemaOf([fieldsOf(size, 1)]))],
];

/** An error whose words nearly contain the name of its field, in each place. */
function misnamed(size: number): string {
	const [words, half] = ['a'.repeat(2 * size), 'a'.repeat(size / 2)];
	return JSON.stringify({
		error: { message: words, type: 'x', code: 'invalid_request', param: `${half}b${half}` },
	});
}

test.each(VALUES)('%s take linear time', async (_, reading) => {
	expect(await growth(reading, 5_000)).toBeLessThan(LINEAR);
});

const TEXTS: Array<[string, (given: string) => unknown, pieces: string[]]> = [
	['an amount', (given) => addToTotal('1', asDecimal(`0.${given}1`) ?? asDecimal(given) ?? '0'), ['0', '9']],
	['a file name', (given) => givenName(`a${given}b`, 'image/png'), [' ', '.']],
	['a file name with an extension', (given) => givenName(`a${given}.png`, 'image/png'), ['.', ' a']],
	[
		'a name in a header',
		(given) => fileInfo({ 'content-disposition': `a; filename="${given}"` }, []),
		['\\"', ' .'],
	],
	[
		'an encoded name in a header',
		(given) => fileInfo({ 'content-disposition': `filename*=${given}` }, []),
		["'", ' '],
	],
	['a name in a URL', (given) => nameInUrl(`https://a.test/${given}`), ['/', '%']],
	['a value of a number field', (given) => roundedInteger(`1234567890123456${given}`), ['\\"', '"', '1']],
	['a template', (given) => templateParts(`=a ${given}`), ['{{', '}}']],
	[
		'an expression',
		(given) => valueOf(ECHO, `undefined${given}`, 0),
		['$a.b(', "$('", '$["', '.a', '$', '$a.b'],
	],
	['a fixed text', (given) => fixedText(`{{${given}`), ['$(', '{{', '{']],
	[
		'a base URL',
		(given) => attempt(() => readAddress({ baseUrl: `https://a.test${given}x`, apiKey: 'k' })),
		['/', '/api/v1'],
	],
	['an error', (given) => errorOf(`{"error":{"message":${JSON.stringify(given)},"type":"x"}}`), ['<', '\n']],
	['a text with secrets', (given) => redact(given, ['secret']), ['sk-', '-']],
	[
		'a word of lyrics',
		(word) => subtitles([{ word: `a${word}`, success: true, startS: 1, endS: 2 }], 'srt'),
		['\n', ' '],
	],
];

function attempt(work: () => unknown): unknown {
	try {
		return work();
	} catch (error) {
		return error;
	}
}

/** n8n, where an expression is its value. */
const ECHO = { evaluateExpression: (expression: string) => expression };

function fixedText(stored: string): unknown {
	const context = {
		getNode: () => ({ parameters: { a: stored }, type: 'node' }),
		getNodeParameter: () => stored,
	};
	return attempt(() => readParameters(context, { a: text({ displayName: 'A' }) }));
}

function errorOf(body: string): unknown {
	return errorFromResponse({
		endpoint: 'chat',
		kind: 'charge',
		status: 400,
		body,
		now: 0,
		secrets: ['secret'],
	});
}

const ROWS = TEXTS.flatMap(([title, read, pieces]) => pieces.map((piece) => [title, piece, read] as const));

test.each(ROWS)('%s of many %j takes linear time', async (_, piece, read) => {
	expect(await growth((size) => read.bind(undefined, piece.repeat(size)), 50_000)).toBeLessThan(LINEAR);
});

/** Reads events one by one. */
const streamOf = (format: string, eventOf: (index: number) => JsonObject) => (size: number) => {
	const events = range(size).map(eventOf);
	return () => {
		const stream = textFormat(format).createStream({ kind: 'text' });
		for (const event of events) stream.read(event);
		return stream.body();
	};
};
const callChunk = (name: string, args: string): JsonObject => ({
	choices: [{ delta: { tool_calls: [{ index: 0, function: { name, arguments: args } }] } }],
});

const STREAMS: Array<[string, (size: number) => () => unknown]> = [
	[
		'chat: the name of a tool in each event',
		streamOf('chat', (index) => callChunk('look', index ? 'a}' : '{"a":"')),
	],
	[
		'chat: events that may begin a call',
		streamOf('chat', (index) => callChunk('look', index ? '{}' : '{"a":"')),
	],
	[
		'chat: empty arguments',
		streamOf('chat', (index) => callChunk('look', index ? '' : `{"a":${'"{}'.repeat(9_999)}`)),
	],
	['chat: other names in each usage', streamOf('chat', (index) => ({ usage: { [`n${index}`]: 1 } }))],
	[
		'chat: other names in each delta',
		streamOf('chat', (index) => ({ choices: [{ delta: { [`n${index}`]: 1 } }] })),
	],
	[
		'chat: details of reasoning',
		streamOf('chat', (index) => ({ choices: [{ reasoning_details: [{ index, text: 'a' }] }] })),
	],
	[
		'messages: other names in each event',
		streamOf('messages', (index) => ({
			type: 'message_delta',
			delta: { [`n${index}`]: 1 },
			usage: { [`n${index}`]: 1 },
		})),
	],
	[
		'messages: many blocks',
		streamOf('messages', (index) => ({
			type: 'content_block_delta',
			index,
			delta: { type: 'text_delta', text: 'a' },
		})),
	],
	[
		'responses: many items',
		streamOf('responses', (output_index) => ({
			type: 'response.output_text.delta',
			output_index,
			delta: 'a',
		})),
	],
	[
		'responses: other names in each response',
		streamOf('responses', (index) => ({ type: 'response.in_progress', response: { [`n${index}`]: 1 } })),
	],
];

test.each(STREAMS)('%s takes linear time', async (_, reading) => {
	expect(await growth(reading, 1_000)).toBeLessThan(LINEAR);
});

const form = (schemaOf: (size: number) => object) => (size: number) => () =>
	inputForm(structuredClone(schemaOf(size)) as JsonObject);
const model = (size: number, input_schema: object): MediaModel => ({
	id: 'm',
	tiers: range(size).map((a) => ({ params: { a }, price: '1' })),
	inputSchema: input_schema as JsonObject,
	record: {},
});

const SCHEMAS: Array<[string, (size: number) => () => unknown]> = [
	['many fields', form((size) => ({ properties: fieldsOf(size), required: Object.keys(fieldsOf(size)) }))],
	[
		'many parts',
		form((size) => ({ allOf: range(size).map((index) => ({ properties: { [`f${index}`]: {} } })) })),
	],
	[
		'many alternatives',
		form((size) => ({ anyOf: range(size).map((index) => ({ properties: { a: { const: index } } })) })),
	],
	[
		'many fields in many alternatives',
		form((size) => ({
			properties: fieldsOf(size),
			anyOf: range(size).map((index) => ({ required: [`f${index}`] })),
		})),
	],
	[
		'many keywords beside alternatives',
		form((size) => ({ anyOf: range(size).map(() => ({ properties: { a: {} } })), ...fieldsOf(size, 1) })),
	],
	[
		'references to a long list of choices',
		form((size) => ({
			properties: fieldsOf(size, { $ref: '#/$defs/a', title: 'A' }),
			$defs: { a: { enum: range(size) } },
		})),
	],
	[
		'references to many required fields',
		form((size) => ({
			properties: fieldsOf(size, { $ref: '#/$defs/a', title: 'A' }),
			$defs: { a: { required: range(size).map(String) } },
		})),
	],
	...(
		[
			['keywords', (size: number) => fieldsOf(size, 1)],
			['types', (size: number) => ({ type: range(size).map(String) })],
			['values in its default', (size: number) => ({ default: { a: range(size) } })],
			['steps', (size: number) => ({ $ref: `#${'/a'.repeat(size)}` })],
		] as const
	).map(([what, definition]): [string, (size: number) => () => unknown] => [
		`references to a definition of many ${what}`,
		form((size) => ({
			properties: fieldsOf(size, { $ref: '#/$defs/a', title: 'A' }),
			$defs: { a: definition(size) },
		})),
	]),
	[
		'another field in each alternative',
		form((size) => ({ anyOf: range(size).map((index) => ({ properties: { [`f${index}`]: {} } })) })),
	],
	[
		'a price that depends on many fields, and many alternatives',
		(size) => () => {
			const { inputSchema, ...rest } = model(1, { anyOf: range(size).map(() => ({})) });
			return taskPrice({ ...rest, inputSchema, tiers: [{ params: fieldsOf(size), price: '1' }] }, {});
		},
	],
	[
		'alternatives of many required fields',
		form((size) => ({
			required: range(size).map(String),
			anyOf: range(size).map((a) => ({ title: String(a) })),
		})),
	],
	[
		'references to itself',
		form((size) => ({
			$ref: '#/$defs/a',
			$defs: { a: { allOf: range(size).map(() => ({ $ref: '#/$defs/a' })) } },
		})),
	],
	[
		'many prices and alternatives',
		(size) => () =>
			taskPrice(model(size, { anyOf: range(size).map((a) => ({ properties: { a: { default: a } } })) }), {
				a: 1,
			}),
	],
];

test.each(SCHEMAS)('a schema of the catalogue with %s takes linear time', async (_, reading) => {
	expect(await growth(reading, 2_000)).toBeLessThan(LINEAR);
});

// With three branches that refer to it, each level of a value has three times as many checks.
test.each([
	[5, 'output is none of what the schema allows'],
	[12, undefined],
])('JSON of %d levels is checked by a recursive schema up to a number of checks', (levels, misfit) => {
	const part = { type: 'object', properties: { a: { $ref: '#/$defs/part' } } };
	const schema = { $ref: '#/$defs/part', $defs: { part: { anyOf: [part, part, part] } } };
	const value = range(levels).reduce<Json>((inner) => ({ a: inner }), 'wrong');
	expect(misfits(value, schema, schema).next().value).toBe(misfit);
});

test('JSON of many levels, a list of many choices, and a list of many records take linear time', async () => {
	const nested = (size: number) => {
		const value = range(Math.min(size, 900)).map(() => fieldsOf(size / 100)) as Json;
		return () => outsideValue(value);
	};
	expect(await growth(nested, 900)).toBeLessThan(4 * LINEAR);
	const choices = { type: 'array', items: { enum: range(300) } };
	const chosen = (size: number) => () => [
		...misfits(
			range(size).map((index) => index % 300),
			choices,
			choices,
		),
	];
	expect(await growth(chosen, 1_000)).toBeLessThan(LINEAR);
	const required = (size: number) => {
		const schema = { properties: fieldsOf(size), required: Object.keys(fieldsOf(size)) };
		return () => [...misfits(fieldsOf(size, null), schema, schema)];
	};
	expect(await growth(required, 5_000)).toBeLessThan(LINEAR);
	const listed = (size: number) => {
		const body = { data: range(size).map((id) => ({ id: String(id) })) };
		const client = { json: async () => await Promise.resolve(body) } as unknown as GatewayClient;
		return async () => await fetchList(client, 'listTasks', '/list', ({ id }) => asText(id));
	};
	expect(await growth(listed, 1_000)).toBeLessThan(LINEAR);
});

test('calls in flight under one limit take linear time', async () => {
	const flying = (size: number) => async () => {
		const ledger = new Execution().node();
		// Half of them fit at once.
		const limit = { maxCostRub: String(0.37 * (size / 2)), run: new RunSignal() };
		const call = { model: 'm', account: 'a', maxRub: '0.37' };
		const keyed = (index: number) => ({ ...call, ...(index % 2 === 0 ? {} : { key: `key ${index}` }) });
		const calls = range(size).map(async (index) => await ledger.begin(keyed(index), limit));
		await Promise.all(calls.map(async (entry) => ledger.end(await entry, 'free')));
	};
	expect(await growth(flying, 500)).toBeLessThan(LINEAR);
});
