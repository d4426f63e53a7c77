import { isDeepStrictEqual } from 'node:util';

import { ApiError } from '../../../../nodes/shared/gateway/errors/errors';
import { omit, type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { JSON_OBJECT, read, streamed } from './support';
import { WHOLE } from './whole';

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
const { choices, ...chat } = WHOLE.chat;
const delta = {
	...choices[0]?.message,
	content: [{ type: 'text', text: 'Hello' }, { image_url: { url: 'data:image/png;base64,AAAA' } }],
	reasoning_details: [{ text: 'Hm', summary: 'Well' }],
	annotations,
};
const chatChoice = {
	index: 0,
	finish_reason: 'stop',
	reasoning_details: [{ text: 'Hm', summary: 'Well' }],
	logprobs: { content: [{ token: 'a', top_logprobs: [{ token: 'a' }] }], refusal: [] },
};
const details = { reason: 'x' };
const failed = { id: 'r', status: 'failed', error: { code: 'a', message: 'b' } };

const bodies: Array<[string, string, JsonObject]> = [
	['an empty chat completion', 'chat', { ...chat, error: {}, choices: [] }],
	['a chat completion', 'chat', { ...chat, choices: [{ ...chatChoice, message: delta }] }],
	['a response', 'responses', WHOLE.responses],
	[
		'an incomplete response',
		'responses',
		{ ...WHOLE.responses, status: 'incomplete', incomplete_details: details },
	],
	['a failed response', 'responses', failed],
	['a message', 'messages', WHOLE.messages],
];

const item = (action: string, index: number, fields: JsonObject) => {
	return {
		type: `response.output_item.${action}`,
		sequence_number: index,
		output_index: index,
		item: fields,
	};
};
const block = (index: number, content_block: JsonObject) => {
	return { type: 'content_block_start', index, content_block };
};
const change = (index: number, fields: JsonObject) => {
	return { type: 'content_block_delta', index, delta: fields };
};
const { usage } = WHOLE.messages;

const streams: Array<[string, string, JsonObject[]]> = [
	[
		'a stream of chunks',
		'chat',
		[
			{ ...chat, usage: null, object: 'chat.completion.chunk', choices: [{ ...chatChoice, delta }] },
			{ choices: [{ ...chatChoice, delta }], usage: chat.usage },
			{ choices: [], usage: chat.usage },
		],
	],
	[
		'a stream of a response',
		'responses',
		[
			...WHOLE.responses.output.map((fields, index) => item('added', index, fields)),
			{ type: 'response.output_text.delta', output_index: 3, content_index: 0, delta: 'Hello' },
			{ type: 'response.refusal.delta', output_index: 3, content_index: 2, delta: 'No' },
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm' },
			{ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
			item('done', 2, WHOLE.responses.output[2] ?? {}),
			{ type: 'response.completed', response: { ...WHOLE.responses, output: [] } },
		],
	],
	['a stream of a failed response', 'responses', [{ type: 'response.failed', response: failed }]],
	['a stream of an error event', 'responses', [{ type: 'error', error: { type: 'a', message: 'b' } }]],
	[
		'a stream of a message',
		'messages',
		[
			{ type: 'message_start', message: { ...WHOLE.messages, content: [] } },
			block(0, { type: 'text', text: 'H', citations: annotations }),
			change(0, { type: 'text_delta', text: 'ello' }),
			change(0, { type: 'citations_delta', citation: annotations[0] ?? null }),
			block(1, { type: 'thinking', thinking: 'H', signature: 's' }),
			change(1, { thinking: 'm', signature: 't' }),
			block(2, { type: 'tool_use', id: 't', name: 'answer', input: {} }),
			change(2, { partial_json: '{}' }),
			{ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: 'x' }, usage },
			{ type: 'message_stop' },
		],
	],
	['a stream of a message’s error', 'messages', [{ type: 'error', error: { type: 'a', message: 'b' } }]],
];

/** The paths where null leads to another result than an absent field. */
function differing(paths: Path[], outcomeOf: (path: Path, change: Change) => unknown): string[] {
	const differs = (path: Path) => !isDeepStrictEqual(outcomeOf(path, 'null'), outcomeOf(path, 'absent'));
	// The arguments of a tool are the model's own.
	return paths.filter((path) => path.at(-2) !== 'input' && differs(path)).map((path) => path.join('.'));
}

/** Without the parts that go back as they were received. */
function converted({ choices, first, ...completion }: ReturnType<typeof read>): object {
	return {
		...completion,
		choices: [...choices, first].map(({ sources, otherOutput, ...choice }) => ({
			...omit(choice, 'reasoningParts'),
			sources: sources.map(({ url, title }) => [url ?? '', title ?? '']),
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
