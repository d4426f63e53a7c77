import { compact, deepMerge, fieldOf, type Json, type JsonObject } from '../../util/json';
import type { TextRequest } from './request';

export interface TextOption {
	kind: 'integer' | 'number' | 'boolean' | 'text' | 'texts' | 'choice' | 'object' | 'list';
	label: string;
	help: string;
	/** Its value when it is added in the panel. */
	initial: string | number | boolean | readonly string[];
	/** The value that is not sent, if there is one. */
	none?: string | number;
	group?: string;
	placeholder?: string;
	/** The lowest value of what limits the cost. */
	min?: number;
	/** The ranges of the specification (§4.1 to 4.3), by the formats that have one. */
	range?: Readonly<Record<string, readonly [min: number, max: number]>>;
	choices?: ReadonlyArray<{ name: string; value: string; description?: string }>;
	/** For `texts`: the name of a row in the panel. */
	row?: string;
	/** Its path in the request body, such as `reasoning.effort`, by the formats that have it. */
	wire: Readonly<Record<string, string>>;
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

export const optionGroups: Readonly<Record<string, string>> = {
	audioAndImages: 'Audio and Images in the Response',
	builtIn: 'Built-In Tools',
	context: 'Context and Storage',
	providerRouting: 'Provider Routing',
	reasoning: 'Reasoning Details',
	sampling: 'Sampling',
};

const providers = { kind: 'texts', group: 'providerRouting', initial: [], row: 'Provider' } as const;

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

/** The options of the text formats (§4.1 to 4.3), by the names that workflows store. */
// prettier-ignore
export const textOptions = {
	maxTokens: { kind: 'integer', label: 'Max Tokens', initial: 0, none: 0, min: 0, wire: { chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' },
		help: 'Limits the length and the cost of the response, which is cut off there. With 0, the model sets the limit; in the API format Messages it is then 4096.' },
	temperature: { kind: 'number', label: 'Temperature', initial: 1, range: { chat: [0, 2] }, wire: { chat: 'temperature', responses: 'temperature', messages: 'temperature' },
		help: 'Controls randomness: low values make the text more predictable, high values more varied. From 0 to 2 in the API format Chat Completions.' },
	topP: { kind: 'number', group: 'sampling', label: 'Top P', initial: 1, range: { chat: [0, 1] }, wire: { chat: 'top_p', responses: 'top_p', messages: 'top_p' },
		help: 'Only the most likely tokens whose probabilities add up to this value are considered. From 0 to 1 in the API format Chat Completions.' },
	topK: { kind: 'integer', group: 'sampling', label: 'Top K', initial: 0, wire: { chat: 'top_k', messages: 'top_k' },
		help: 'Only this many of the most likely tokens are considered' },
	frequencyPenalty: { kind: 'number', group: 'sampling', label: 'Frequency Penalty', initial: 0, range: { chat: [-2, 2] }, wire: { chat: 'frequency_penalty' },
		help: 'Positive values make tokens less likely the more often they have been used' },
	presencePenalty: { kind: 'number', group: 'sampling', label: 'Presence Penalty', initial: 0, range: { chat: [-2, 2] }, wire: { chat: 'presence_penalty' },
		help: 'Positive values make tokens that have been used less likely, so that the model turns to new topics' },
	stop: { kind: 'texts', group: 'sampling', label: 'Stop Sequences', initial: [], row: 'Sequence', placeholder: 'e.g. END', wire: { chat: 'stop', messages: 'stop_sequences' },
		help: 'Texts before which the response ends' },
	seed: { kind: 'integer', group: 'sampling', label: 'Seed', initial: 0, wire: { chat: 'seed' },
		help: 'The same seed and input give the same response, if the model supports it' },
	reasoningEffort: { kind: 'choice', label: 'Reasoning Effort', initial: 'auto', none: 'auto', choices: [modelDecides, ...efforts], wire: { chat: 'reasoning.effort', responses: 'reasoning.effort' },
		help: 'How much the model reasons before it responds. Reasoning tokens are charged like those of the response.' },
	reasoningSummary: { kind: 'text', group: 'reasoning', label: 'Reasoning Summary', initial: '', placeholder: 'e.g. auto', wire: { chat: 'reasoning.summary', responses: 'reasoning.summary' },
		help: 'How detailed the summary of the model’s reasoning is' },
	reasoningMaxTokens: { kind: 'integer', group: 'reasoning', label: 'Reasoning Max Tokens', initial: 1024, wire: { chat: 'reasoning.max_tokens', responses: 'reasoning.max_tokens' },
		help: 'The maximum number of tokens that the model may use for reasoning' },
	reasoningExclude: { kind: 'boolean', group: 'reasoning', label: 'Leave Out Reasoning', initial: true, wire: { chat: 'reasoning.exclude' },
		help: 'Whether to leave the reasoning out of the response. It is still charged.' },
	thinking: { kind: 'object', label: 'Thinking (JSON)', initial: '{}', none: '{}', wire: { messages: 'thinking' },
		help: 'Whether and how the model reasons before it responds, such as { "type": "adaptive" }' },
	verbosity: { kind: 'choice', label: 'Verbosity (Length of Response)', initial: 'auto', none: 'auto', choices: [modelDecides, ...levels], wire: { responses: 'text.verbosity' },
		help: 'How long and detailed the response is' },
	modalities: { kind: 'texts', group: 'audioAndImages', label: 'Modalities', initial: [], choices: modalities, wire: { chat: 'modalities' },
		help: 'What the response may consist of, if the model supports it. Audio and images are output as binary fields.' },
	audioVoice: { kind: 'text', group: 'audioAndImages', label: 'Audio Voice', initial: '', placeholder: 'e.g. alloy', wire: { chat: 'audio.voice' },
		help: 'The voice of a spoken response. The available voices depend on the model.' },
	audioFormat: { kind: 'text', group: 'audioAndImages', label: 'Audio Format', initial: '', placeholder: 'e.g. mp3', wire: { chat: 'audio.format' },
		help: 'The file format of a spoken response' },
	imageConfigQuality: { kind: 'text', group: 'audioAndImages', label: 'Image Quality', initial: '', placeholder: 'e.g. high', wire: { chat: 'image_config.quality' },
		help: 'The quality of images in the response. The possible values depend on the model.' },
	imageConfigSize: { kind: 'text', group: 'audioAndImages', label: 'Image Size', initial: '', placeholder: 'e.g. 1024x1024', wire: { chat: 'image_config.size' },
		help: 'The size of images in the response. The possible values depend on the model.' },
	webSearch: { kind: 'choice', label: 'Web Search', initial: 'off', none: 'off', choices: searchLevels, wire: { chat: 'web_search_options.search_context_size', responses: 'tools' },
		help: 'Lets the model search the web, if it supports that, and sets how much of the results it reads. The API format Responses has no levels: all are on. Searches cost extra.' },
	builtInTools: { kind: 'list', group: 'builtIn', label: 'Built-In Tools (JSON)', initial: '[]', none: '[]', wire: { responses: 'tools' },
		help: 'Tools that the gateway runs, as a list of objects with a type such as web_search, file_search, code_interpreter, image_generation, mcp or x_search' },
	maxToolCalls: { kind: 'integer', group: 'builtIn', label: 'Max Calls of Built-In Tools', initial: 10, min: 0, wire: { responses: 'max_tool_calls' },
		help: 'The maximum number of calls of built-in tools. Limits what they can cost.' },
	providerAllowFallbacks: { kind: 'boolean', group: 'providerRouting', label: 'Allow Other Providers', initial: true, wire: { chat: 'provider.allow_fallbacks' },
		help: 'Whether to use another provider when the first choice is not available' },
	providerOrder: { ...providers, label: 'Provider Order', placeholder: 'e.g. provider-a', wire: { chat: 'provider.order' },
		help: 'The providers to try, in this order' },
	providerOnly: { ...providers, label: 'Provider Only', placeholder: 'e.g. provider-a', wire: { chat: 'provider.only' },
		help: 'The only providers to use' },
	providerIgnore: { ...providers, label: 'Provider Ignore', placeholder: 'e.g. provider-a', wire: { chat: 'provider.ignore' },
		help: 'Providers not to use' },
	providerSort: { kind: 'text', group: 'providerRouting', label: 'Provider Sort', initial: '', placeholder: 'e.g. price', wire: { chat: 'provider.sort' },
		help: 'What the providers are sorted by' },
	serviceTier: { kind: 'choice', label: 'Service Tier (Speed and Price)', initial: 'auto', choices: tiers, wire: { responses: 'service_tier' },
		help: 'The speed and price of the call' },
	truncation: { kind: 'choice', group: 'context', label: 'Truncation of Long Input', initial: 'disabled', choices: truncations, wire: { responses: 'truncation' },
		help: 'What to do with an input that exceeds the context window of the model' },
	store: { kind: 'boolean', group: 'context', label: 'Store Response', initial: true, wire: { responses: 'store' },
		help: 'Whether the gateway keeps the response, so that a later call can continue from it' },
	previousResponseId: { kind: 'text', group: 'context', label: 'Previous Response ID', initial: '', placeholder: 'e.g. resp_…', wire: { responses: 'previous_response_id' },
		help: 'The ID of an earlier response of the API format Responses whose conversation to continue' },
} satisfies Readonly<Record<string, TextOption>>;

export function optionPaths(format: string): Readonly<Record<string, string>> {
	const paths = Object.entries<TextOption>(textOptions).map(([name, { wire }]) => [
		name,
		fieldOf(wire, format),
	]);
	return Object.fromEntries(paths.filter(([, path]) => path !== undefined)) as Record<string, string>;
}

/** The body of a request: what the format makes of it (`own`), and its options, which do not replace that. */
export function wireBody(
	format: string,
	{ model, stream, options }: TextRequest,
	own: JsonObject,
): JsonObject {
	const body = compact({ model, stream: stream || undefined, ...own });
	return Object.entries(optionPaths(format)).reduce<JsonObject>((merged, [option, path]) => {
		const value = fieldOf(options, option);
		return value === undefined ? merged : deepMerge(nested(path.split('.'), value), merged);
	}, body);
}

function nested([name = '', ...rest]: readonly string[], value: Json): JsonObject {
	return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
