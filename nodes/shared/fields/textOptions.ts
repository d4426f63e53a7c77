import { textFormats } from '../gateway/text/formats';
import type { TextFormat } from '../gateway/text/formats/format';
import {
	asArray,
	asObject,
	deepMerge,
	fieldOf,
	textOf,
	type Json,
	type JsonObject,
} from '../gateway/util/json';
import { collection } from '../params/groups';
import { choice, flag, integer, jsonList, jsonObject, number, text, texts } from '../params/kinds';
import type { Declarations, Parameter, Traits } from '../params/parameter';

type Wire = NonNullable<Traits['wire']>;

/** A display condition. */
export function formatsWhere(fits: (format: TextFormat) => boolean | undefined) {
	return { '/format': textFormats.filter(fits).map(({ name }) => name) };
}

/** A copy that is shown for the formats that have it. */
function shownForWire<T>(parameter: Parameter<T>, wires: readonly Wire[]): Parameter<T | undefined> {
	const hasIt = ({ name }: TextFormat) => wires.some((wire) => Object.hasOwn(wire, name));
	return textFormats.every(hasIt) ? parameter : parameter.shownIf(formatsWhere(hasIt));
}

function option<T extends Json | undefined>(wire: Wire, parameter: Parameter<T>): Parameter<T | undefined> {
	return shownForWire(parameter.optional().with({ traits: { wire } }), [wire]);
}

/** Groups are collections, one click more: only what is added is sent. */
export function optionGroup<D extends Declarations>(displayName: string, options: D) {
	const wires = Object.values(options).map(({ traits }) => traits.wire ?? {});
	return shownForWire(collection(options, { displayName }), wires);
}

/** For a value that is not sent. */
function unless(none: Json) {
	return <T extends Json>(value: T): T | undefined =>
		JSON.stringify(value) === JSON.stringify(none) ? undefined : value;
}

/** A number with the range of Chat Completions (§4.2). n8n's panel knows one range, for all formats. */
function numberInChat(max: number, spec: { displayName: string; description: string; default: number }) {
	const inChat = number({ ...spec, decimals: 2, min: 0, max });
	return number({ ...spec, decimals: 2 }).map((value, at, lookup) =>
		lookup('/format') === 'chat' ? inChat.read(value, at, lookup) : value,
	);
}

const named = (value: string) => ({ name: value.charAt(0).toUpperCase() + value.slice(1), value });

const levels = ['low', 'medium', 'high'].map(named);

const modelDecides = { name: 'Model Decides', value: 'auto' };

/** §4.1. */
const efforts = [
	...['none', 'minimal', 'low', 'medium', 'high'].map(named),
	{ name: 'Extra High', value: 'xhigh' },
	named('max'),
];

const modalities = ['audio', 'image', 'text'].map(named);

const searchLevels = [{ name: 'Off', value: 'off' }, ...levels];

const tiers = [
	{ name: 'Auto', value: 'auto' },
	{ name: 'Default', value: 'default' },
	{ name: 'Flex', value: 'flex', description: 'Slower and cheaper, if the model supports it' },
	{ name: 'Priority', value: 'priority', description: 'Faster and more expensive, if the model supports it' },
];

const truncations = [
	{ name: 'Auto', value: 'auto', description: 'Leave out parts of the input if it is too long' },
	{ name: 'Disabled', value: 'disabled', description: 'Reject the input if it is too long' },
];

const rowsOf = (name: string) => ({ multipleValues: true, multipleValueButtonText: `Add ${name}` });
const providers = { default: [], placeholder: 'e.g. provider-a', typeOptions: rowsOf('Provider') };

const noLimit = 'The option would have no effect. Take a value that each item has.';

// prettier-ignore
export const contextOptions = {
	truncation: option({ responses: 'truncation' }, choice({ displayName: 'Truncation of Long Input', default: 'disabled', options: truncations,
		description: 'What to do with an input that exceeds the context window of the model' })),
	store: option({ responses: 'store' }, flag({ displayName: 'Store Response', default: true,
		description: 'Whether the gateway keeps the response, so that a later call can continue from it' })),
	previousResponseId: option({ responses: 'previous_response_id' }, text({ displayName: 'Previous Response ID', placeholder: 'e.g. resp_…',
		description: 'The ID of an earlier response of the API format Responses whose conversation to continue' })),
};

/** The options of the text formats (§4.1 to 4.3). Each has its path in the body, by the formats that have it. */
// prettier-ignore
export const textOptions = {
	maxTokens: option({ chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' }, integer({ displayName: 'Max Tokens', default: 0, min: 0,
		description: 'Limits the length and the cost of the response, which is cut off there. With 0, the model sets the limit; in the API format Messages it is then 4096.',
		traits: { changesRequest: false, mustBeSet: `${noLimit} For no limit, let the expression return 0.` } }).map(unless(0))),
	temperature: option({ chat: 'temperature', responses: 'temperature', messages: 'temperature' }, numberInChat(2, { displayName: 'Temperature', default: 1,
		description: 'Controls randomness: low values make the text more predictable, high values more varied. From 0 to 2 in the API format Chat Completions.' })),
	reasoningEffort: option({ chat: 'reasoning.effort', responses: 'reasoning.effort' }, choice({ displayName: 'Reasoning Effort', default: 'auto', options: [modelDecides, ...efforts],
		description: 'How much the model reasons before it responds. Reasoning tokens are charged like those of the response.' }).map(unless('auto'))),
	thinking: option({ messages: 'thinking' }, jsonObject({ displayName: 'Thinking (JSON)', default: '{}', example: '{ "name": "value" }',
		description: 'Whether and how the model reasons before it responds, such as { "type": "adaptive" }' }).map(unless({}))),
	verbosity: option({ responses: 'text.verbosity' }, choice({ displayName: 'Verbosity (Length of Response)', default: 'auto', options: [modelDecides, ...levels],
		description: 'How long and detailed the response is' }).map(unless('auto'))),
	webSearch: option({ chat: 'web_search_options.search_context_size', responses: 'tools' }, choice({ displayName: 'Web Search', default: 'off', options: searchLevels,
		description: 'Lets the model search the web, if it supports that, and sets how much of the results it reads. The API format Responses has no levels: all are on. Searches cost extra.' }).map(unless('off'))),
	serviceTier: option({ responses: 'service_tier' }, choice({ displayName: 'Service Tier (Speed and Price)', default: 'auto', options: tiers,
		description: 'The speed and price of the call' })),
	audioAndImages: optionGroup('Audio and Images in the Response', {
		modalities: option({ chat: 'modalities' }, texts({ displayName: 'Modalities', default: [],
			description: 'What the response may consist of, if the model supports it. Audio and images are output as binary fields.' }).with({ type: 'multiOptions', options: modalities })),
		audioVoice: option({ chat: 'audio.voice' }, text({ displayName: 'Audio Voice', placeholder: 'e.g. alloy',
			description: 'The voice of a spoken response. The available voices depend on the model.' })),
		audioFormat: option({ chat: 'audio.format' }, text({ displayName: 'Audio Format', placeholder: 'e.g. mp3',
			description: 'The file format of a spoken response' })),
		imageConfigQuality: option({ chat: 'image_config.quality' }, text({ displayName: 'Image Quality', placeholder: 'e.g. high',
			description: 'The quality of images in the response. The possible values depend on the model.' })),
		imageConfigSize: option({ chat: 'image_config.size' }, text({ displayName: 'Image Size', placeholder: 'e.g. 1024x1024',
			description: 'The size of images in the response. The possible values depend on the model.' })),
	}),
	builtIn: optionGroup('Built-In Tools', {
		builtInTools: option({ responses: 'tools' }, jsonList({ displayName: 'Built-In Tools (JSON)', rows: 3, default: '[]', example: '[{ "type": "…" }]',
			description: 'Tools that the gateway runs, as a list of objects with a type such as web_search, file_search, code_interpreter, image_generation, mcp or x_search' }).map(unless([]))),
		maxToolCalls: option({ responses: 'max_tool_calls' }, integer({ displayName: 'Max Calls of Built-In Tools', default: 10, min: 0, traits: { mustBeSet: noLimit },
			description: 'The maximum number of calls of built-in tools. Limits what they can cost.' })),
	}),
	context: optionGroup('Context and Storage', contextOptions),
	providerRouting: optionGroup('Provider Routing', {
		providerAllowFallbacks: option({ chat: 'provider.allow_fallbacks' }, flag({ displayName: 'Allow Other Providers', default: true,
			description: 'Whether to use another provider when the first choice is not available' })),
		providerOrder: option({ chat: 'provider.order' }, texts({ displayName: 'Provider Order', ...providers, description: 'The providers to try, in this order' })),
		providerOnly: option({ chat: 'provider.only' }, texts({ displayName: 'Provider Only', ...providers, description: 'The only providers to use' })),
		providerIgnore: option({ chat: 'provider.ignore' }, texts({ displayName: 'Provider Ignore', ...providers, description: 'Providers not to use' })),
		providerSort: option({ chat: 'provider.sort' }, text({ displayName: 'Provider Sort', placeholder: 'e.g. price', description: 'What the providers are sorted by' })),
	}),
	reasoning: optionGroup('Reasoning Details', {
		reasoningSummary: option({ chat: 'reasoning.summary', responses: 'reasoning.summary' }, text({ displayName: 'Reasoning Summary', placeholder: 'e.g. auto',
			description: 'How detailed the summary of the model’s reasoning is' })),
		reasoningMaxTokens: option({ chat: 'reasoning.max_tokens', responses: 'reasoning.max_tokens' }, integer({ displayName: 'Reasoning Max Tokens', default: 1024, traits: { mustBeSet: noLimit },
			description: 'The maximum number of tokens that the model may use for reasoning' })),
		reasoningExclude: option({ chat: 'reasoning.exclude' }, flag({ displayName: 'Leave Out Reasoning', default: true,
			description: 'Whether to leave the reasoning out of the response. It is still charged.' })),
	}),
	sampling: optionGroup('Sampling', {
		topP: option({ chat: 'top_p', responses: 'top_p', messages: 'top_p' }, numberInChat(1, { displayName: 'Top P', default: 1,
			description: 'Only the most likely tokens whose probabilities add up to this value are considered. From 0 to 1 in the API format Chat Completions.' })),
		topK: option({ chat: 'top_k', messages: 'top_k' }, integer({ displayName: 'Top K', default: 0, description: 'Only this many of the most likely tokens are considered' })),
		frequencyPenalty: option({ chat: 'frequency_penalty' }, number({ displayName: 'Frequency Penalty', default: 0, min: -2, max: 2, decimals: 2,
			description: 'Positive values make tokens less likely the more often they have been used' })),
		presencePenalty: option({ chat: 'presence_penalty' }, number({ displayName: 'Presence Penalty', default: 0, min: -2, max: 2, decimals: 2,
			description: 'Positive values make tokens that have been used less likely, so that the model turns to new topics' })),
		stop: option({ chat: 'stop', messages: 'stop_sequences' }, texts({ displayName: 'Stop Sequences', default: [], placeholder: 'e.g. END', typeOptions: rowsOf('Sequence'),
			description: 'Texts before which the response ends' })),
		seed: option({ chat: 'seed' }, integer({ displayName: 'Seed', default: 0, description: 'The same seed and input give the same response, if the model supports it' })),
	}),
};

/** The built-in tool; its other versions begin so. */
export const WEB_SEARCH = 'web_search';

/** The fields of a request's body that the options set, by their values in the panel. */
export function optionFields(options: object, { name }: TextFormat): JsonObject {
	const values = asObject(options) ?? {};
	const fields = wireFields(textOptions, values, name);
	const isTool = fieldOf(textOptions.webSearch.traits.wire, name) === 'tools';
	if (!isTool || values.webSearch === undefined) return fields;
	// In a format with built-in tools, web search is one of them (§4.1).
	const tools = asArray(asObject(values.builtIn)?.builtInTools);
	const searches = tools.some((tool) => textOf(asObject(tool)?.type).startsWith(WEB_SEARCH));
	return { ...fields, tools: searches ? tools : [...tools, { type: WEB_SEARCH }] };
}

function wireFields(declarations: Declarations, values: JsonObject, format: string): JsonObject {
	return Object.entries(declarations).reduce<JsonObject>((fields, [name, { traits }]) => {
		const value = fieldOf(values, name);
		if (value === undefined) return fields;
		const path = fieldOf(traits.wire, format);
		if (traits.options) return deepMerge(fields, wireFields(traits.options, asObject(value) ?? {}, format));
		return path === undefined ? fields : deepMerge(fields, nested(path.split('.'), value));
	}, {});
}

function nested([name = '', ...rest]: readonly string[], value: Json): JsonObject {
	return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
