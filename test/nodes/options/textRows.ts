import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { asObject, type Json, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { optionRows } from '../../fixtures/spec/textOptions';
import { bodies, call, EACH, gateway, type Place, type Row } from './places';

// Options of texts: for two items with different values, what of them is in the requests, and nothing else.

/** The fields of a body by their paths; a list is one value. */
function flat(value: Json = null, path = ''): JsonObject {
	const object = asObject(value);
	if (!object) return { [path]: value };
	const inner = Object.entries(object).map(([name, one]) => flat(one, path ? `${path}.${name}` : name));
	return Object.assign({}, ...inner) as JsonObject;
}

/** The bodies of calls, whose items have these values. */
async function sentBy(place: Place, options: INodeParameters, more: Parameters<typeof call>[2]) {
	const begin = bodies().length;
	const { errors } = await call(place, options, more);
	expect(errors).toBe('');
	return bodies()
		.slice(begin)
		.map((body) => flat(body));
}

/** The bodies without options. */
const bare = new Map<string, JsonObject[]>();

/** The bodies of calls with an option, as far as they differ from those without it. */
async function added(place: Place, values: readonly unknown[], given: INodeParameters, more: object = {}) {
	const key = JSON.stringify([place.name, values.length, more]);
	const known = bare.get(key) ?? (await sentBy(place, {}, { values, ...more }));
	bare.set(key, known);
	const sent = await sentBy(place, given, { values, ...more });
	expect(sent).toHaveLength(known.length);
	return sent.map((body, index) => {
		const before = known[index] ?? {};
		const names = Object.keys({ ...before, ...body });
		const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(body[name]));
		return Object.fromEntries(changed.map((name) => [name, body[name]]));
	});
}

/** The parameters that add an option, also one of a group, as the editor sets them. */
function adding(option: string): INodeParameters {
	const [name = '', member] = option.split('.');
	return { [name]: member === undefined ? EACH : { [member]: EACH } };
}

/** A row for the values of some items, and what each is on the wire. */
function wireRow(
	option: string,
	values: readonly Json[],
	wire: (value: Json, place: Place, n: number) => JsonObject,
	more: Parameters<typeof call>[2] & { options?: INodeParameters } = {},
): Row {
	return {
		see: async (place) => await added(place, values, { ...more.options, ...adding(option) }, more),
		right: (place) => values.map((value, n) => flat(wire(value, place, n))),
	};
}

/** Values of two items. */
const VALUES: Readonly<Record<string, readonly Json[]>> = {
	maxTokens: [300, 40],
	temperature: [0, 1],
	reasoningEffort: ['none', 'high'],
	serviceTier: ['flex', 'auto'],
	thinking: [{ type: 'enabled', budget_tokens: 1024 }, { type: 'adaptive' }],
	verbosity: ['low', 'high'],
	webSearch: ['high', 'low'],
	'audioAndImages.modalities': [['text', 'image'], ['image']],
	'audioAndImages.audioVoice': ['alto', 'bass'],
	'audioAndImages.audioFormat': ['mp3', 'wav'],
	'audioAndImages.imageConfigQuality': ['high', 'low'],
	'audioAndImages.imageConfigSize': ['64x64', '32x32'],
	'builtIn.builtInTools': [[{ type: 'x_search' }], [{ type: 'mcp' }, { type: 'web_search' }]],
	'builtIn.maxToolCalls': [2, 5],
	'context.truncation': ['auto', 'disabled'],
	'context.store': [false, true],
	'providerRouting.providerAllowFallbacks': [false, true],
	'providerRouting.providerOrder': [['b', 'a'], ['a']],
	'providerRouting.providerOnly': [['c'], ['a', 'd']],
	'providerRouting.providerIgnore': [['e', 'f'], ['g']],
	'providerRouting.providerSort': ['price', 'latency'],
	'reasoning.reasoningSummary': ['auto', 'detailed'],
	'reasoning.reasoningMaxTokens': [128, 2_000],
	'reasoning.reasoningExclude': [true, false],
	'sampling.topP': [0, 1],
	'sampling.topK': [0, 40],
	'sampling.frequencyPenalty': [-0.5, 0],
	'sampling.presencePenalty': [0.25, -2],
	'sampling.stop': [['END', 'STOP'], ['.']],
	'sampling.seed': [-1, 0],
};

/** What the specification shows for an option of a format. */
function specified(option: string, { format }: Place, value: Json): JsonObject {
	const path = optionRows[format as keyof typeof optionRows].find(([name]) => name === option)?.[1] ?? '';
	// In *Responses*, a search is a tool without levels.
	const shown = option === 'webSearch' && path === 'tools' ? [{ type: 'web_search' }] : value;
	return { [path]: shown };
}

const specifiedRows = Object.entries(VALUES).map(([option, values]): [string, Row] => {
	const name = option.split('.').at(-1) ?? '';
	return [option, wireRow(option, values, (value, place) => specified(name, place, value))];
});

const SCHEMA = { type: 'object', properties: { title: { type: 'string' } } };
const OUTPUTS: INodeParameters[] = [
	{ outputFormat: 'jsonSchema', schemaName: 'book', jsonSchema: JSON.stringify(SCHEMA) },
	{ outputFormat: 'jsonFields', fields: { field: [{ name: 'title', type: 'text' }] } },
	{ outputFormat: 'jsonExample', jsonExample: '{ "title": "Rivers" }' },
];

const TOOL_NAMES = ['look', 'act'];
const withTools = {
	parameters: { tools: { function: TOOL_NAMES.map((name) => ({ name, parameters: '{}' })) } },
	tools: TOOL_NAMES.map((name) => ({ name, description: '', schema: z.object({}), invoke: () => '' })),
};
/** By format. */
const NAMED: Record<string, (name: Json) => Json> = {
	chat: (name) => ({ type: 'function', function: { name } }),
	responses: (name) => ({ type: 'function', name }),
	messages: (name) => ({ type: 'tool', name }),
};

const ephemeral = { cache_control: { type: 'ephemeral' } };

export const textRows: Record<string, Row> = {
	...Object.fromEntries(specifiedRows),

	extraBody: wireRow(
		'extraBody',
		[{ user: 'me' }, { user: 'you', metadata: { order: '7' } }],
		(value) => asObject(value) ?? {},
	),

	cachePrompt: wireRow('cachePrompt', [true], (_, __, n) => ({
		messages: [{ role: 'user', content: [{ type: 'text', text: `Hello ${n}`, ...ephemeral }] }],
	})),

	toolChoice: wireRow(
		'toolChoice',
		['required', 'none'],
		(value, { format }) => {
			const word = format === 'messages' && value === 'required' ? 'any' : value;
			return { tool_choice: format === 'messages' ? { type: word } : word };
		},
		withTools,
	),

	toolChoiceName: wireRow(
		'toolChoiceName',
		TOOL_NAMES,
		(value, { format }) => ({ tool_choice: NAMED[format]?.(value) ?? null }),
		{ ...withTools, options: { toolChoice: 'function' } },
	),

	/** For each kind of JSON with a schema. */
	schemaStrict: {
		see: async (place) => {
			const seen: unknown[] = [];
			for (const parameters of OUTPUTS)
				seen.push(await added(place, [true, false], adding('schemaStrict'), { parameters }));
			return seen;
		},
		right: ({ format }) => {
			const path = format === 'chat' ? 'response_format.json_schema.strict' : 'text.format.strict';
			return OUTPUTS.map(() => [{ [path]: true }, { [path]: false }]);
		},
	},

	'context.previousResponseId': {
		see: async (place) => {
			const earlier = [
				await gateway.generate({ format: 'responses' }),
				await gateway.generate({ format: 'responses' }),
			];
			const ids = earlier.map(({ items }) => items[0]?.json.id);
			const sent = await added(place, ids, adding('context.previousResponseId'));
			return sent.map((body, n) => [Object.keys(body), body.previous_response_id === ids[n]]);
		},
		right: () => [0, 1].map(() => [['previous_response_id'], true]),
	},

	/** What is added to the request; and whether a response that takes over 6 minutes is the same as without. */
	stream: {
		see: async (place) => {
			const sent = await added(place, [true], adding('stream'));
			gateway.control.configure({ stream: { deltaDelayMs: 30_000 } });
			const begin = Date.now();
			const texts: unknown[] = [];
			for (const stream of [true, false]) texts.push((await call(place, { stream })).items[0]?.json.text);
			return [sent, Date.now() - begin > 360_000, texts[0] === texts[1] || texts];
		},
		right: () => [[{ stream: true }], true, true],
	},

	/** Whether the picture of a tool is in the request, with and without it. */
	showToolMedia: {
		see: async ({ format }) => {
			const url = 'https://files.test/cat.png';
			const result = JSON.stringify({ taskId: 't1', resultUrls: [url] });
			for (const showToolMedia of [true, false]) {
				const { lc } = await gateway.chatModel({ parameters: { format, options: { showToolMedia } } });
				await lc.invoke([
					new HumanMessage('Draw'),
					new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'draw', args: {} }] }),
					new ToolMessage({ tool_call_id: 'c1', content: result }),
				]);
			}
			return bodies().map((body) => JSON.stringify(body).split(url).length - 1);
		},
		right: () => [2, 1],
	},
};
