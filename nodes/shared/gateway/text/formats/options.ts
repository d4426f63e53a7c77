import { deepMerge, type Json, type JsonObject } from '../../util/json';

/** How the value of an option is read. A `word` is a `choice` that accepts other words from an expression. */
type Kind = 'integer' | 'number' | 'boolean' | 'text' | 'texts' | 'choice' | 'word' | 'object' | 'list';

/** An option of the text formats: its control in the panel, its values, and its path in the formats. */
export interface TextOption {
	kind: Kind;
	/** Its name in the panel. */
	label: string;
	help: string;
	/** Its value when it is added in the panel. */
	initial: string | number | boolean | readonly string[];
	placeholder?: string;
	/** Bounds, inclusive. */
	min?: number;
	max?: number;
	/** The values that the panel lists. */
	choices?: ReadonlyArray<{ name: string; value: string; description?: string }>;
	/** For `texts`: the name of a row in the panel. */
	row?: string;
	/** Its path in the request body, such as `reasoning.effort`, by the formats that have it. */
	wire: Readonly<Record<string, string>>;
}

const levels = [
	{ name: 'Low', value: 'low' },
	{ name: 'Medium', value: 'medium' },
	{ name: 'High', value: 'high' },
];

/** §4.1: the efforts of reasoning. */
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map((value) => ({
	name: value === 'xhigh' ? 'Extra High' : value.charAt(0).toUpperCase() + value.slice(1),
	value,
}));

/** The most that a provider may charge for something (§4.2). */
function maxPrice(label: string, name: string, what: string): TextOption {
	return {
		kind: 'number',
		label: `Provider Max Price (${label})`,
		initial: 0,
		min: 0,
		wire: { chat: `provider.max_price.${name}` },
		help: `Only use providers that charge at most this for ${what}, in the unit that the gateway documents for provider prices. With 0, only free providers are used.`,
	};
}

/** A list of providers (§4.2). */
function providers(label: string, name: string, help: string): TextOption {
	return {
		kind: 'texts',
		label,
		initial: [],
		row: 'Provider',
		placeholder: 'e.g. provider-a',
		wire: { chat: `provider.${name}` },
		help,
	};
}

/** The options of the text formats (§4.1 to 4.3), by the names that workflows store. */
// prettier-ignore
export const textOptions = {
	maxTokens: { kind: 'integer', label: 'Max Tokens', initial: 1024, min: 1, wire: { chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' },
		help: 'The maximum number of tokens in the response. Also limits what a call can cost. In the API format Messages it defaults to 4096.' },
	maxCompletionTokens: { kind: 'integer', label: 'Max Completion Tokens', initial: 1024, min: 1, wire: { chat: 'max_completion_tokens' },
		help: "The maximum number of tokens in the response, including the model’s reasoning. An alternative to 'Max Tokens'." },
	temperature: { kind: 'number', label: 'Temperature', initial: 1, min: 0, max: 2, wire: { chat: 'temperature', responses: 'temperature', messages: 'temperature' },
		help: 'Controls randomness: low values make the text more predictable, high values more varied' },
	topP: { kind: 'number', label: 'Top P', initial: 1, min: 0, max: 1, wire: { chat: 'top_p', responses: 'top_p', messages: 'top_p' },
		help: 'Only the most likely tokens whose probabilities add up to this value are considered' },
	topK: { kind: 'integer', label: 'Top K', initial: 40, min: 0, wire: { chat: 'top_k', messages: 'top_k' },
		help: 'Only this many of the most likely tokens are considered' },
	frequencyPenalty: { kind: 'number', label: 'Frequency Penalty', initial: 0, min: -2, max: 2, wire: { chat: 'frequency_penalty' },
		help: 'Positive values make tokens less likely the more often they have been used' },
	presencePenalty: { kind: 'number', label: 'Presence Penalty', initial: 0, min: -2, max: 2, wire: { chat: 'presence_penalty' },
		help: 'Positive values make tokens that have been used less likely, so that the model turns to new topics' },
	stop: { kind: 'texts', label: 'Stop Sequences', initial: [], row: 'Sequence', placeholder: 'e.g. END', wire: { chat: 'stop', messages: 'stop_sequences' },
		help: 'Texts before which the response ends' },
	seed: { kind: 'integer', label: 'Seed', initial: 1, wire: { chat: 'seed' },
		help: 'The same seed and input give the same response, if the model supports it' },
	n: { kind: 'integer', label: 'Number of Completions', initial: 2, min: 1, wire: { chat: 'n' },
		help: 'How many completions to generate. Each is output as an item; the first item has the cost.' },
	logprobs: { kind: 'boolean', label: 'Log Probabilities', initial: true, wire: { chat: 'logprobs' },
		help: "Whether to return the log probabilities of the tokens. To see them, turn off 'Simplify'." },
	topLogprobs: { kind: 'integer', label: 'Top Log Probabilities', initial: 3, min: 0, wire: { chat: 'top_logprobs', responses: 'top_logprobs' },
		help: "How many alternatives to each token to return with their log probabilities. To see them, turn off 'Simplify'." },
	logitBias: { kind: 'object', label: 'Logit Bias (JSON)', initial: '{}', wire: { chat: 'logit_bias' },
		help: 'Makes tokens more (above 0) or less (below 0) likely: an object that maps token IDs to numbers' },
	reasoningEffort: { kind: 'choice', label: 'Reasoning Effort', initial: 'medium', choices: efforts, wire: { chat: 'reasoning.effort', responses: 'reasoning.effort' },
		help: 'How much the model reasons before it responds. Reasoning tokens are charged like those of the response.' },
	reasoningSummary: { kind: 'text', label: 'Reasoning Summary', initial: 'auto', placeholder: 'e.g. auto', wire: { chat: 'reasoning.summary', responses: 'reasoning.summary' },
		help: 'How detailed the summary of the model’s reasoning is' },
	reasoningEnabled: { kind: 'boolean', label: 'Reasoning Enabled', initial: true, wire: { chat: 'reasoning.enabled' },
		help: 'Whether the model reasons before it responds' },
	reasoningMaxTokens: { kind: 'integer', label: 'Reasoning Max Tokens', initial: 1024, min: 0, wire: { chat: 'reasoning.max_tokens', responses: 'reasoning.max_tokens' },
		help: 'The maximum number of tokens that the model may use for reasoning' },
	reasoningExclude: { kind: 'boolean', label: 'Reasoning Exclude', initial: true, wire: { chat: 'reasoning.exclude' },
		help: 'Whether to leave the reasoning out of the response. It is still charged.' },
	thinking: { kind: 'object', label: 'Thinking (JSON)', initial: '{ "type": "adaptive" }', wire: { messages: 'thinking' },
		help: 'Whether and how the model reasons before it responds, as an object' },
	verbosity: { kind: 'word', label: 'Verbosity', initial: 'low', choices: levels, wire: { responses: 'text.verbosity' },
		help: 'How long and detailed the response is' },
	modalities: { kind: 'texts', label: 'Modalities', initial: ['text'], choices: [{ name: 'Audio', value: 'audio' }, { name: 'Image', value: 'image' }, { name: 'Text', value: 'text' }], wire: { chat: 'modalities' },
		help: 'What the response may consist of, if the model supports it. Audio and images are output as binary fields.' },
	audioVoice: { kind: 'text', label: 'Audio Voice', initial: '', placeholder: 'e.g. alloy', wire: { chat: 'audio.voice' },
		help: 'The voice of a spoken response. The available voices depend on the model.' },
	audioFormat: { kind: 'text', label: 'Audio Format', initial: 'mp3', placeholder: 'e.g. mp3', wire: { chat: 'audio.format' },
		help: 'The file format of a spoken response' },
	imageConfigQuality: { kind: 'text', label: 'Image Quality', initial: '', placeholder: 'e.g. high', wire: { chat: 'image_config.quality' },
		help: 'The quality of images in the response. The possible values depend on the model.' },
	imageConfigSize: { kind: 'text', label: 'Image Size', initial: '', placeholder: 'e.g. 1024x1024', wire: { chat: 'image_config.size' },
		help: 'The size of images in the response. The possible values depend on the model.' },
	include: { kind: 'texts', label: 'Include', initial: [], choices: [{ name: 'Encrypted Reasoning', value: 'reasoning.encrypted_content' }, { name: 'Log Probabilities', value: 'message.output_text.logprobs' }, { name: 'Sources of Web Searches', value: 'web_search_call.action.sources' }], wire: { responses: 'include' },
		help: "What to include in the response besides the text. To see all of it, turn off 'Simplify'." },
	webSearchContextSize: { kind: 'word', label: 'Web Search Context Size', initial: 'medium', choices: levels, wire: { chat: 'web_search_options.search_context_size' },
		help: 'Lets the model search the web, if it supports that, and sets how much of the results it reads' },
	builtInTools: { kind: 'list', label: 'Built-In Tools (JSON)', initial: '[{ "type": "web_search" }]', wire: { responses: 'tools' },
		help: 'Tools that the gateway runs, as a list of objects with a type such as web_search, file_search, code_interpreter, image_generation, mcp or x_search' },
	parallelToolCalls: { kind: 'boolean', label: 'Parallel Tool Calls', initial: true, wire: { chat: 'parallel_tool_calls', responses: 'parallel_tool_calls' },
		help: 'Whether the model may call several tools at once' },
	maxToolCalls: { kind: 'integer', label: 'Max Tool Calls', initial: 5, min: 0, wire: { responses: 'max_tool_calls' },
		help: 'The maximum number of calls of built-in tools. Limits what they can cost.' },
	providerAllowFallbacks: { kind: 'boolean', label: 'Provider Allow Fallbacks', initial: true, wire: { chat: 'provider.allow_fallbacks' },
		help: 'Whether to use another provider when the first choice is not available' },
	providerOrder: providers('Provider Order', 'order', 'The providers to try, in this order'),
	providerOnly: providers('Provider Only', 'only', 'The only providers to use'),
	providerIgnore: providers('Provider Ignore', 'ignore', 'Providers not to use'),
	providerSort: { kind: 'text', label: 'Provider Sort', initial: 'price', placeholder: 'e.g. price', wire: { chat: 'provider.sort' },
		help: 'What the providers are sorted by' },
	providerMaxPricePrompt: maxPrice('Prompt', 'prompt', 'the input'),
	providerMaxPriceCompletion: maxPrice('Completion', 'completion', 'the response'),
	providerMaxPriceImage: maxPrice('Image', 'image', 'an image'),
	providerMaxPriceAudio: maxPrice('Audio', 'audio', 'audio'),
	providerMaxPriceRequest: maxPrice('Request', 'request', 'a request'),
	plugins: { kind: 'list', label: 'Plugins (JSON)', initial: '[]', wire: { chat: 'plugins' },
		help: "Plugins of the gateway to enable, as a list. What they cost is in the output field 'pluginsCostRub'." },
	serviceTier: { kind: 'choice', label: 'Service Tier', initial: 'auto', choices: [{ name: 'Auto', value: 'auto' }, { name: 'Default', value: 'default' }, { name: 'Flex', value: 'flex', description: 'Slower and cheaper, if the model supports it' }, { name: 'Priority', value: 'priority', description: 'Faster and more expensive, if the model supports it' }], wire: { responses: 'service_tier' },
		help: 'The speed and price of the call' },
	truncation: { kind: 'choice', label: 'Truncation', initial: 'auto', choices: [{ name: 'Auto', value: 'auto', description: 'Leave out parts of the input if it is too long' }, { name: 'Disabled', value: 'disabled', description: 'Reject the input if it is too long' }], wire: { responses: 'truncation' },
		help: 'What to do with an input that exceeds the context window of the model' },
	store: { kind: 'boolean', label: 'Store', initial: true, wire: { responses: 'store' },
		help: 'Whether the gateway keeps the response, so that a later call can continue from it' },
	background: { kind: 'boolean', label: 'Background', initial: false, wire: { responses: 'background' },
		help: 'Whether the gateway returns only an ID and a state, and generates the response afterwards. It is charged, but the gateway documents no way to get it.' },
	previousResponseId: { kind: 'text', label: 'Previous Response ID', initial: '', placeholder: 'e.g. resp_…', wire: { responses: 'previous_response_id' },
		help: 'The ID of an earlier response of the API format Responses whose conversation to continue' },
	conversation: { kind: 'object', label: 'Conversation (JSON)', initial: '{ "id": "" }', wire: { responses: 'conversation' },
		help: "The conversation to which the call belongs, as an object. Replaces 'Previous Response ID'." },
	metadata: { kind: 'object', label: 'Metadata (JSON)', initial: '{}', wire: { responses: 'metadata' },
		help: 'Your own names and values to store with the response' },
	streamOptions: { kind: 'object', label: 'Stream Options (JSON)', initial: '{}', wire: { responses: 'stream_options' },
		help: 'Options of the stream, sent only if the response is streamed' },
	user: { kind: 'text', label: 'User', initial: '', placeholder: 'e.g. customer-42', wire: { chat: 'user' },
		help: 'Your own ID of the end user for whom the call is made' },
} satisfies Readonly<Record<string, TextOption>>;

/** The paths of the options that a format has, by option. */
export function optionPaths(format: string): Readonly<Record<string, string>> {
	const options: ReadonlyArray<[string, TextOption]> = Object.entries(textOptions);
	return Object.fromEntries(
		options.flatMap(([name, { wire }]) => {
			const path = wire[format];
			return path === undefined ? [] : [[name, path]];
		}),
	);
}

/** The body fields of the options that are set, at their paths. */
export function wireOptions(paths: Readonly<Record<string, string>>, values: JsonObject): JsonObject {
	return Object.entries(paths).reduce<JsonObject>((body, [option, path]) => {
		const value = values[option];
		return value === undefined ? body : deepMerge(body, nested(path.split('.'), value));
	}, {});
}

function nested([name = '', ...rest]: readonly string[], value: Json): JsonObject {
	return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
