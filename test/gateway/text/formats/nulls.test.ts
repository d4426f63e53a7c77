import { isDeepStrictEqual } from 'node:util';

import { ApiError } from '../../../../nodes/shared/gateway/errors/errors';
import { omit, type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { JSON_OBJECT, read, streamed } from './support';

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

const annotations = [
	{ type: 'url_citation', url: 'https://a.test', url_citation: { url: 'https://b.test', title: 'B' } },
];
const chatUsage = {
	prompt_tokens: 1,
	completion_tokens: 2,
	total_tokens: 3,
	prompt_tokens_details: { cached_tokens: 4 },
	completion_tokens_details: { reasoning_tokens: 5 },
	cost_rub: 0.5,
	cost: 0.6,
};
const chatFields = {
	role: 'assistant',
	content: [{ type: 'text', text: 'Hello' }, { image_url: { url: 'data:image/png;base64,AAAA' } }],
	reasoning: 'Hm',
	reasoning_details: [{ text: 'Hm', summary: 'Well' }],
	refusal: 'No',
	audio: { id: 'a', data: 'AAAA', transcript: 'Heard', expires_at: 1 },
	images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }],
	annotations,
	tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const chatChoice = {
	index: 0,
	finish_reason: 'stop',
	reasoning_details: [{ text: 'Hm', summary: 'Well' }],
	logprobs: { content: [{ token: 'a', top_logprobs: [{ token: 'a' }] }], refusal: [] },
};
const responsesUsage = {
	input_tokens: 1,
	output_tokens: 2,
	total_tokens: 3,
	input_tokens_details: { cached_tokens: 4 },
	output_tokens_details: { reasoning_tokens: 5 },
	cost: { total_cost: 0.5 },
};
const items = [
	{ type: 'reasoning', summary: [{ text: 'Hm' }] },
	{ type: 'function_call', id: 'f', call_id: 'c', name: 'look', arguments: '{}' },
	{ type: 'message', content: [{ type: 'output_text', text: 'Hello', annotations }, { refusal: 'No' }] },
	{ type: 'web_search_call', action: { sources: annotations } },
	{ type: 'image_generation_call', result: 'AAAA' },
];
const messagesUsage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 };

const bodies: Array<[string, string, JsonObject]> = [
	['an empty chat completion', 'chat', { id: 'c', model: 'm', error: {}, choices: [], usage: chatUsage }],
	[
		'a chat completion',
		'chat',
		{ id: 'c', model: 'm', choices: [{ ...chatChoice, message: chatFields }], usage: chatUsage },
	],
	[
		'a response',
		'responses',
		{ id: 'r', model: 'm', status: 'completed', output: items, usage: responsesUsage },
	],
	[
		'an incomplete response',
		'responses',
		{ id: 'r', status: 'incomplete', incomplete_details: { reason: 'x' }, output: items },
	],
	['a failed response', 'responses', { id: 'r', status: 'failed', error: { code: 'a', message: 'b' } }],
	[
		'a message',
		'messages',
		{
			id: 'm',
			model: 'm',
			content: [
				{ type: 'thinking', thinking: 'Hm' },
				{ type: 'text', text: 'Hello', citations: annotations },
				{ type: 'tool_use', id: 't', name: 'look', input: {} },
				{ type: 'tool_use', id: 't', name: 'answer', input: {} },
			],
			stop_reason: 'tool_use',
			usage: messagesUsage,
		},
	],
];

const streams: Array<[string, string, JsonObject[]]> = [
	[
		'a stream of chunks',
		'chat',
		[
			{
				id: 'c',
				model: 'm',
				object: 'chat.completion.chunk',
				choices: [{ ...chatChoice, delta: chatFields }],
			},
			{ choices: [{ ...chatChoice, delta: chatFields }], usage: chatUsage },
			{ choices: [], usage: chatUsage },
		],
	],
	[
		'a stream of a response',
		'responses',
		[
			{ type: 'response.created', sequence_number: 0, response: { id: 'r', output: [] } },
			...items.map((item, index) => ({
				type: 'response.output_item.added',
				sequence_number: index + 1,
				output_index: index,
				item,
			})),
			{
				type: 'response.output_text.delta',
				sequence_number: 6,
				output_index: 2,
				content_index: 0,
				delta: 'Hello',
			},
			{ type: 'response.refusal.delta', sequence_number: 7, output_index: 2, content_index: 1, delta: 'No' },
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm' },
			{ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
			{ type: 'response.output_item.done', output_index: 3, item: items[3] ?? null },
			{
				type: 'response.completed',
				response: { id: 'r', status: 'completed', output: [], usage: responsesUsage },
			},
		],
	],
	[
		'a stream of a failed response',
		'responses',
		[{ type: 'response.failed', sequence_number: 0, response: { error: { code: 'a', message: 'b' } } }],
	],
	[
		'a stream of an error event',
		'responses',
		[{ type: 'error', sequence_number: 0, error: { type: 'a', message: 'b' } }],
	],
	[
		'a stream of a message',
		'messages',
		[
			{ type: 'message_start', message: { id: 'm', model: 'm', content: [], usage: messagesUsage } },
			{
				type: 'content_block_start',
				index: 0,
				content_block: { type: 'text', text: 'H', citations: annotations },
			},
			{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ello' } },
			{
				type: 'content_block_delta',
				index: 0,
				delta: { type: 'citations_delta', citation: annotations[0] ?? null },
			},
			{
				type: 'content_block_start',
				index: 1,
				content_block: { type: 'thinking', thinking: 'H', signature: 's' },
			},
			{ type: 'content_block_delta', index: 1, delta: { thinking: 'm', signature: 't' } },
			{
				type: 'content_block_start',
				index: 2,
				content_block: { type: 'tool_use', id: 't', name: 'answer', input: {} },
			},
			{ type: 'content_block_delta', index: 2, delta: { partial_json: '{}' } },
			{ type: 'content_block_stop', index: 2 },
			{ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: 'x' }, usage: messagesUsage },
			{ type: 'message_stop' },
		],
	],
	['a stream of a message’s error', 'messages', [{ type: 'error', error: { type: 'a', message: 'b' } }]],
];

/** The paths where null leads to another result than an absent field. */
function differing(paths: Path[], outcomeOf: (path: Path, change: Change) => unknown): string[] {
	const differs = (path: Path) => !isDeepStrictEqual(outcomeOf(path, 'null'), outcomeOf(path, 'absent'));
	return paths.filter(differs).map((path) => path.join('.'));
}

/** Without the parts that go back as they were received. */
function converted({ choices, first, ...completion }: ReturnType<typeof read>): object {
	return {
		...completion,
		choices: [...choices, first].map(({ sources, otherOutput, ...choice }) => ({
			...omit(choice, 'reasoningParts'),
			sources: sources.map(({ url, title }) => [url, title]),
			otherOutput: otherOutput?.length,
		})),
	};
}

describe('null is read like an absent field', () => {
	it.each(bodies)('in %s', (_, format, body) => {
		const paths = pathsIn(body);
		expect(paths.length).toBeGreaterThan(3);
		expect(
			differing(paths, (path, change) =>
				outcome(() => converted(read(format, changed(body, path, change), JSON_OBJECT))),
			),
		).toStrictEqual([]);
	});

	it.each(streams)('in %s', (_, format, events) => {
		const paths = pathsIn(events).filter((path) => path.length > 1);
		expect(paths.length).toBeGreaterThan(3);
		expect(
			differing(paths, (path, change) =>
				outcome(() => {
					const { body, ...rest } = streamed(format, changed(events, path, change), JSON_OBJECT);
					return { ...rest, completion: outcome(() => converted(read(format, body, JSON_OBJECT))) };
				}),
			),
		).toStrictEqual([]);
	});
});
