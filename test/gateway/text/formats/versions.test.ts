import { united } from '../../../../nodes/shared/gateway/text/formats/merge';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { growth, LINEAR } from '../../../helpers/growth';
import { read, streamed } from './support';

// A response says the same thing several times (§6.1): each event that has content, and what comes later.

const item = { output_index: 0, item_id: 'i1' };
const part = { ...item, content_index: 0 };
const event = (name: string, fields: object): JsonObject => ({ type: `response.${name}`, ...fields });
const MESSAGE = { type: 'message', id: 'i1', role: 'assistant' };
const CALL = { type: 'function_call', id: 'i1', call_id: 'c1', name: 'look' };
const THOUGHTS = { type: 'reasoning', id: 'i1' };
const text = (value: string): JsonObject => ({ type: 'output_text', text: value });
const cited = (url: string): JsonObject => ({ type: 'url_citation', url, title: 'A' });
const summary = (value: string): JsonObject => ({ type: 'summary_text', text: value });

interface Content {
	/** The field of the completion, and its value from each content. */
	field: string;
	valueOf: (content: string) => unknown;
	/** The item, with this content. */
	itemOf: (content: string) => JsonObject;
	/** The item without it, in each way. */
	empty: JsonObject[];
	/** The events that have the content. */
	carriers: Record<string, (content: string) => JsonObject[]>;
}

const CONTENTS: Record<string, Content> = {
	text: {
		field: 'text',
		valueOf: (content) => content,
		itemOf: (content) => ({ ...MESSAGE, content: [text(content)] }),
		empty: [
			{ ...MESSAGE, content: [text('')] },
			{ ...MESSAGE, content: [{ type: 'output_text', text: null }] },
			{ ...MESSAGE, content: [] },
			{ ...MESSAGE, content: null },
			MESSAGE,
		],
		carriers: {
			'output_item.added': (content) => [
				event('output_item.added', { ...item, item: { ...MESSAGE, content: [text(content)] } }),
			],
			'content_part.added': (content) => [event('content_part.added', { ...part, part: text(content) })],
			'output_text.delta': (content) =>
				[...content].map((delta) => event('output_text.delta', { ...part, delta })),
			'output_text.done': (content) => [event('output_text.done', { ...part, text: content })],
			'content_part.done': (content) => [event('content_part.done', { ...part, part: text(content) })],
			'output_item.done': (content) => [
				event('output_item.done', { ...item, item: { ...MESSAGE, content: [text(content)] } }),
			],
		},
	},
	refusal: {
		field: 'refusal',
		valueOf: (content) => content,
		itemOf: (content) => ({ ...MESSAGE, content: [{ type: 'refusal', refusal: content }] }),
		empty: [
			{ ...MESSAGE, content: [{ type: 'refusal', refusal: '' }] },
			{ ...MESSAGE, content: [] },
		],
		carriers: {
			'refusal.delta': (content) => [event('refusal.delta', { ...part, delta: content })],
			'refusal.done': (content) => [event('refusal.done', { ...part, refusal: content })],
			'content_part.done': (content) => [
				event('content_part.done', { ...part, part: { type: 'refusal', refusal: content } }),
			],
		},
	},
	citation: {
		field: 'sources',
		valueOf: (url) => [{ url, title: 'A' }],
		itemOf: (url) => ({ ...MESSAGE, content: [{ ...text('Hi'), annotations: [cited(url)] }] }),
		empty: [
			{ ...MESSAGE, content: [{ ...text('Hi'), annotations: [] }] },
			{ ...MESSAGE, content: [{ ...text('Hi'), annotations: null }] },
			{ ...MESSAGE, content: [text('Hi')] },
			{ ...MESSAGE, content: [] },
		],
		carriers: {
			'output_text.annotation.added': (url) => [
				event('output_text.annotation.added', { ...part, annotation: cited(url) }),
			],
			'content_part.done': (url) => [
				event('content_part.done', { ...part, part: { ...text('Hi'), annotations: [cited(url)] } }),
			],
		},
	},
	'tool call': {
		field: 'toolCalls',
		valueOf: (q) => [{ id: 'c1', name: 'look', arguments: { q } }],
		itemOf: (q) => ({ ...CALL, arguments: JSON.stringify({ q }) }),
		empty: [{ ...CALL, arguments: '' }, { ...CALL, arguments: '{}' }, { ...CALL, arguments: null }, CALL],
		carriers: {
			'output_item.added': (q) => [
				event('output_item.added', { ...item, item: { ...CALL, arguments: JSON.stringify({ q }) } }),
				event('function_call_arguments.done', { ...item, arguments: '' }),
			],
			'function_call_arguments.delta': (q) => [
				event('output_item.added', { ...item, item: { ...CALL, arguments: '{}' } }),
				...[...JSON.stringify({ q })].map((delta) =>
					event('function_call_arguments.delta', { ...item, delta }),
				),
				event('function_call_arguments.done', { ...item, arguments: '{}' }),
			],
			'function_call_arguments.done': (q) => [
				event('output_item.added', { ...item, item: CALL }),
				event('function_call_arguments.done', { ...item, arguments: JSON.stringify({ q }) }),
			],
			'output_item.done': (q) => [
				event('output_item.done', { ...item, item: { ...CALL, arguments: JSON.stringify({ q }) } }),
			],
		},
	},
	reasoning: {
		field: 'reasoning',
		valueOf: (content) => content,
		itemOf: (content) => ({ ...THOUGHTS, summary: [summary(content)] }),
		empty: [
			{ ...THOUGHTS, summary: [] },
			{ ...THOUGHTS, summary: [summary('')] },
			{ ...THOUGHTS, summary: null },
			THOUGHTS,
		],
		carriers: {
			'reasoning_summary_part.added': (content) => [
				event('reasoning_summary_part.added', { ...item, summary_index: 0, part: summary(content) }),
			],
			'reasoning_summary_text.delta': (content) =>
				[...content].map((delta) =>
					event('reasoning_summary_text.delta', { ...item, summary_index: 0, delta }),
				),
			'output_item.done': (content) => [
				event('output_item.done', { ...item, item: { ...THOUGHTS, summary: [summary(content)] } }),
			],
		},
	},
	image: {
		field: 'files',
		valueOf: (base64) => [{ kind: 'image', base64 }],
		itemOf: (result) => ({ type: 'image_generation_call', id: 'i1', result }),
		empty: [{ type: 'image_generation_call', id: 'i1', result: null }],
		carriers: {
			'image_generation_call.partial_image': (partial_image_b64) => [
				event('image_generation_call.partial_image', { ...item, partial_image_b64: 'AAAA' }),
				event('image_generation_call.partial_image', { ...item, partial_image_b64 }),
			],
			'output_item.done': (result) => [
				event('output_item.done', { ...item, item: { type: 'image_generation_call', id: 'i1', result } }),
			],
		},
	},
};

const [FIRST, OTHER] = ['Y2F0', 'ZG9n'];

const ROWS = Object.entries(CONTENTS).flatMap(([content, { field, valueOf, itemOf, empty, carriers }]) =>
	Object.entries(carriers).flatMap(([carrier, eventsOf]) => {
		const row = (later: string, output: Json | undefined, expected = FIRST, events: JsonObject[] = []) => {
			const all = [...eventsOf(FIRST), ...events];
			return { content, carrier, later, events: all, output, field, value: valueOf(expected) };
		};
		const moved = { ...itemOf(FIRST), id: 'i9' };
		return [
			row('no output', undefined),
			row('null as output', null),
			row('an empty output', []),
			...empty.flatMap((one) => [
				row(`an empty item ${JSON.stringify(one)}`, [one]),
				row(`an empty item without its ID ${JSON.stringify(one)}`, [{ ...one, id: null }]),
				row(`the end of an empty item ${JSON.stringify(one)}`, [], FIRST, [
					event('output_item.done', { ...item, item: one }),
				]),
			]),
			row('another item only', [{ type: 'web_search_call', id: 'i7' }]),
			row('the same', [itemOf(FIRST)]),
			row('the same with another ID', [moved]),
			row('the same in another place', [{ type: 'web_search_call', id: 'i7' }, moved]),
			row('another value', [itemOf(OTHER)], OTHER),
			row('another value with another ID', [{ ...itemOf(OTHER), id: 'i9' }], OTHER),
		];
	}),
);

test.each(ROWS)('$content in $carrier, then $later', ({ events, output, field, value }) => {
	const response = { id: 'r1', status: 'completed', output };
	const { body } = streamed('responses', [...events, event('completed', { response })]);
	expect(read('responses', body)).toMatchObject({ [field]: value });
});

const said = (id: string, ...texts: string[]) => ({ type: 'message', id, content: texts.map(text) });
const called = (id: string, q: string) => ({ ...CALL, id, call_id: id, arguments: `{"q":"${q}"}` });
const search = { type: 'web_search_call', id: 's1' };

test.each<[title: string, earlier: JsonObject[], later: JsonObject[], result: JsonObject[]]>([
	[
		'the second of two items is lacking',
		[said('a', 'A'), said('b', 'B')],
		[said('a', 'A')],
		[said('a', 'A'), said('b', 'B')],
	],
	[
		'the first of two items is lacking',
		[said('a', 'A'), said('b', 'B')],
		[said('b', 'B')],
		[said('a', 'A'), said('b', 'B')],
	],
	[
		'a lacking item keeps its place',
		[said('a', 'A'), search, said('b', 'B')],
		[said('a', 'A'), said('b', 'B')],
		[said('a', 'A'), search, said('b', 'B')],
	],
	['two items are one', [said('a', 'A'), said('b', 'B')], [said('x', 'AB')], [said('x', 'AB')]],
	['two parts are one', [said('a', 'A', 'B')], [said('a', 'AB')], [said('a', 'AB')]],
	['one part is two', [said('a', 'AB')], [said('a', 'A', 'B')], [said('a', 'A', 'B')]],
	['one of two parts is empty', [said('a', 'A', 'B')], [said('a', 'A', '')], [said('a', 'A', 'B', '')]],
	['an empty part before the text', [said('a', 'A')], [said('a', '', 'A')], [said('a', '', 'A')]],
	[
		'a part of another vendor’s type',
		[said('a', 'A')],
		[{ ...said('a'), content: [{ type: 'text', text: 'A' }] }],
		[{ ...said('a'), content: [{ type: 'text', text: 'A' }] }],
	],
	[
		'the second of two items without IDs',
		[said('', 'A'), said('', 'B')],
		[said('b', 'B')],
		[said('', 'A'), said('b', 'B')],
	],
	[
		'calls of two tools with other IDs, in another order',
		[called('c', 'x'), { ...CALL, id: 'd', call_id: 'd', name: 'list', arguments: '{}' }],
		[{ ...CALL, id: 'e', call_id: 'e', name: 'list', arguments: '{}' }, { ...called('f', 'x') }],
		[{ ...CALL, id: 'e', call_id: 'e', name: 'list', arguments: '{}' }, { ...called('f', 'x') }],
	],
	[
		'two calls of a tool with their own IDs and arguments',
		[called('c', 'x')],
		[called('d', 'y')],
		[called('c', 'x'), called('d', 'y')],
	],
	[
		'a call with an object without fields as arguments',
		[called('c', 'x')],
		[{ ...CALL, id: 'c', call_id: 'c', arguments: {} }],
		[called('c', 'x')],
	],
	[
		'a call whose arguments were not finished',
		[{ ...called('c', 'x'), arguments: '{' }],
		[{ ...called('c', 'x'), arguments: '{}' }],
		[{ ...called('c', 'x'), arguments: '{}' }],
	],
	[
		'items of two types with one ID',
		[said('a', 'A'), called('a', 'x')],
		[{ ...CALL, id: 'a', call_id: 'a', arguments: '' }, said('a')],
		[called('a', 'x'), said('a', 'A')],
	],
	[
		'a call is lacking beside the same text',
		[said('a', 'A'), called('c', 'x')],
		[said('a', 'A')],
		[said('a', 'A'), called('c', 'x')],
	],
	[
		'calls in another order',
		[called('c', 'x'), called('d', 'y')],
		[called('d', 'y')],
		[called('c', 'x'), called('d', 'y')],
	],
	[
		'calls of one ID',
		[called('c', 'x'), called('c', 'y')],
		[called('c', 'x'), called('c', 'y')],
		[called('c', 'x'), called('c', 'y')],
	],
])('%s', (_, earlier, later, result) => {
	expect(united(earlier, later)).toStrictEqual(result);
});

test.each(['a', undefined])('many items with the ID %s are read in linear time', async (id) => {
	const items = (size: number) =>
		Array.from({ length: size }, (_, n) => ({ type: 'message', id, content: [text(`${n} `)] }));
	const reading = (size: number) => () => void united(items(size), items(size).slice(size / 2));
	expect(await growth(reading, 2_000)).toBeLessThan(LINEAR);
});
