import { textFormat } from '../../../../nodes/shared/gateway/text/formats';
import { textOptions, type TextOption } from '../../../../nodes/shared/gateway/text/formats/options';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf } from './support';

const LEVELS = ['off', 'low', 'medium', 'high'];
/** Without a value that stands for none. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** An option, the path of its field in the body, its type, and the range or the values of the specification. */
type Row = [
	option: string,
	path: string,
	kind: string,
	limits?: { min?: number; max?: number; choices?: string[] },
];

const chat: Row[] = [
	['maxTokens', 'max_tokens', 'integer', { min: 0 }],
	['temperature', 'temperature', 'number', { min: 0, max: 2 }],
	['topP', 'top_p', 'number', { min: 0, max: 1 }],
	['topK', 'top_k', 'integer', { min: 0 }],
	['frequencyPenalty', 'frequency_penalty', 'number', { min: -2, max: 2 }],
	['presencePenalty', 'presence_penalty', 'number', { min: -2, max: 2 }],
	['stop', 'stop', 'texts'],
	['seed', 'seed', 'integer'],
	['n', 'n', 'integer', { min: 1 }],
	['reasoningEffort', 'reasoning.effort', 'choice', { choices: EFFORTS }],
	['reasoningSummary', 'reasoning.summary', 'text'],
	['reasoningMaxTokens', 'reasoning.max_tokens', 'integer', { min: 0 }],
	['reasoningExclude', 'reasoning.exclude', 'boolean'],
	['webSearch', 'web_search_options.search_context_size', 'choice', { choices: LEVELS }],
	['providerAllowFallbacks', 'provider.allow_fallbacks', 'boolean'],
	['providerOrder', 'provider.order', 'texts'],
	['providerOnly', 'provider.only', 'texts'],
	['providerIgnore', 'provider.ignore', 'texts'],
	['providerSort', 'provider.sort', 'text'],
	['modalities', 'modalities', 'texts'],
	['audioVoice', 'audio.voice', 'text'],
	['audioFormat', 'audio.format', 'text'],
	['imageConfigQuality', 'image_config.quality', 'text'],
	['imageConfigSize', 'image_config.size', 'text'],
];
const responses: Row[] = [
	['maxTokens', 'max_output_tokens', 'integer', { min: 0 }],
	['maxToolCalls', 'max_tool_calls', 'integer', { min: 0 }],
	['temperature', 'temperature', 'number', { min: 0, max: 2 }],
	['topP', 'top_p', 'number', { min: 0, max: 1 }],
	['truncation', 'truncation', 'choice', { choices: ['auto', 'disabled'] }],
	['serviceTier', 'service_tier', 'choice', { choices: ['auto', 'default', 'flex', 'priority'] }],
	['store', 'store', 'boolean'],
	['previousResponseId', 'previous_response_id', 'text'],
	['verbosity', 'text.verbosity', 'word'],
	['webSearch', 'tools', 'choice', { choices: LEVELS }],
	['builtInTools', 'tools', 'list'],
	['reasoningEffort', 'reasoning.effort', 'choice', { choices: EFFORTS }],
	['reasoningSummary', 'reasoning.summary', 'text'],
	['reasoningMaxTokens', 'reasoning.max_tokens', 'integer', { min: 0 }],
];
const messages: Row[] = [
	['maxTokens', 'max_tokens', 'integer', { min: 0 }],
	['temperature', 'temperature', 'number', { min: 0, max: 2 }],
	['topP', 'top_p', 'number', { min: 0, max: 1 }],
	['topK', 'top_k', 'integer', { min: 0 }],
	['stop', 'stop_sequences', 'texts'],
	['thinking', 'thinking', 'object'],
];
const formats: Array<[string, Row[]]> = [
	['chat', chat],
	['responses', responses],
	['messages', messages],
];

/** Values of each type; `false` and empty ones must be sent as well. */
const VALUES: Record<string, Json[]> = {
	integer: [0, 7],
	number: [0, -0.5],
	boolean: [true, false],
	text: ['', 'words'],
	texts: [['a', 'b'], []],
	choice: ['low', 'auto'],
	word: ['low', 'another'],
	object: [{ a: { b: [null] } }, {}],
	list: [[{ type: 'web_search' }]],
};

/** The limits of an option; other choices are only those of the panel. */
function limitsOf(name: string) {
	const options: Readonly<Record<string, TextOption>> = textOptions;
	const { kind, min, max, choices = [] } = options[name] ?? {};
	const values = choices.filter((choice) => choice.name !== 'Model Decides').map(({ value }) => value);
	return { kind, min, max, choices: kind === 'choice' ? values : undefined };
}

function nested(path: string, value: Json): JsonObject {
	return path.split('.').reduceRight<Json>((inner, name) => ({ [name]: inner }), value) as JsonObject;
}

describe.each(formats)('%s', (format, rows) => {
	const bare = bodyOf(format, { stream: true });

	it('has these options, with the ranges of the specification', () => {
		const expected = rows.map(([option, path, kind, limits = {}]) => [
			option,
			{ path, kind, min: undefined, max: undefined, choices: undefined, ...limits },
		]);
		const options = Object.entries(textFormat(format).options).map(([option, path]) => [
			option,
			{ path, ...limitsOf(option) },
		]);
		expect(Object.fromEntries(options)).toStrictEqual(Object.fromEntries(expected));
	});

	// A tool is made of it before the body is; see nodes/addOption.test.ts.
	const sent = rows.filter(([option, path]) => option !== 'webSearch' || path !== 'tools');
	const settings = sent.flatMap(([option, path, kind]) =>
		(VALUES[kind] ?? []).map((value) => ({ option, path, value })),
	);

	it('has a test value for each option', () => {
		expect(new Set(settings.map(({ option }) => option)).size).toBe(sent.length);
	});

	it.each(settings)('sends $option $value only as $path', ({ option, path, value }) => {
		expect(bodyOf(format, { stream: true, options: { [option]: value } })).toStrictEqual({
			...bare,
			...nested(path, value),
		});
	});

	it('sends all options together, each at its path', () => {
		const all = sent.map(([option, path, kind]) => ({ option, path, value: VALUES[kind]?.[0] ?? null }));
		const body = bodyOf(format, {
			stream: true,
			options: Object.fromEntries(all.map(({ option, value }) => [option, value])),
		});
		const found = all.map(({ path }) =>
			path.split('.').reduce<unknown>((inner, name) => (inner as JsonObject)[name], body),
		);
		expect(found).toStrictEqual(all.map(({ value }) => value));
		expect(Object.keys(body).sort()).toStrictEqual(
			[...new Set([...Object.keys(bare), ...sent.map(([, path]) => path.split('.', 1)[0])])].sort(),
		);
	});

	it('leaves out options of other formats, and those that are not set', () => {
		expect(bodyOf(format, { stream: true, options: { unheardOf: 1, maxTokens: undefined } })).toStrictEqual(
			bare,
		);
	});
});

describe('options of some requests', () => {
	it('responses: built-in tools follow the functions', () => {
		const tools = [{ name: 'look', parameters: {} }];
		expect(
			bodyOf('responses', { tools, options: { builtInTools: [{ type: 'web_search' }] } }).tools,
		).toStrictEqual([{ type: 'function', name: 'look', parameters: {} }, { type: 'web_search' }]);
	});

	it('responses: built-in tools that are not a list are not sent', () => {
		expect(bodyOf('responses', { options: { builtInTools: [] } })).toStrictEqual({
			model: 'acme/writer',
			input: 'Hi',
		});
	});

	it('responses: verbosity and the response format are sent in one object', () => {
		expect(
			bodyOf('responses', { output: { kind: 'jsonObject', name: 'a' }, options: { verbosity: 'low' } }).text,
		).toStrictEqual({ format: { type: 'json_object' }, verbosity: 'low' });
	});
});
