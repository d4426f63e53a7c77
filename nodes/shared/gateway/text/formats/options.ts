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
		help: `Only providers that charge no more than this for ${what}. In the gateway’s own unit for provider prices, which its documentation names; 0 leaves only free providers.`,
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
		help: 'The longest response, in tokens. Also limits what a call can cost. In the API format Messages it defaults to 4096.' },
	maxCompletionTokens: { kind: 'integer', label: 'Max Completion Tokens', initial: 1024, min: 1, wire: { chat: 'max_completion_tokens' },
		help: "The longest response including the model’s reasoning, in tokens. An alternative to 'Max Tokens'." },
	temperature: { kind: 'number', label: 'Temperature', initial: 1, min: 0, max: 2, wire: { chat: 'temperature', responses: 'temperature', messages: 'temperature' },
		help: 'How freely the model chooses its words: low for facts, high for ideas' },
	topP: { kind: 'number', label: 'Top P', initial: 1, min: 0, max: 1, wire: { chat: 'top_p', responses: 'top_p', messages: 'top_p' },
		help: 'Only the most likely words that together have this probability are considered' },
	topK: { kind: 'integer', label: 'Top K', initial: 40, min: 0, wire: { chat: 'top_k', messages: 'top_k' },
		help: 'Only so many of the most likely words are considered' },
	frequencyPenalty: { kind: 'number', label: 'Frequency Penalty', initial: 0, min: -2, max: 2, wire: { chat: 'frequency_penalty' },
		help: 'Above 0, words become less likely the more often they have been used' },
	presencePenalty: { kind: 'number', label: 'Presence Penalty', initial: 0, min: -2, max: 2, wire: { chat: 'presence_penalty' },
		help: 'Above 0, words that have been used once become less likely: the model turns to new topics' },
	stop: { kind: 'texts', label: 'Stop Sequences', initial: [], row: 'Sequence', placeholder: 'e.g. END', wire: { chat: 'stop', messages: 'stop_sequences' },
		help: 'The response ends before any of these texts' },
	seed: { kind: 'integer', label: 'Seed', initial: 1, wire: { chat: 'seed' },
		help: 'The same seed with the same input gives the same response, as far as the model can' },
	n: { kind: 'integer', label: 'Number of Completions', initial: 2, min: 1, wire: { chat: 'n' },
		help: 'How many completions to generate. Each becomes an item of its own; the first item has the cost.' },
	logprobs: { kind: 'boolean', label: 'Log Probabilities', initial: true, wire: { chat: 'logprobs' },
		help: "Whether to get the probability of each token. It is in the raw output: turn 'Simplify' off." },
	topLogprobs: { kind: 'integer', label: 'Top Log Probabilities', initial: 3, min: 0, wire: { chat: 'top_logprobs', responses: 'top_logprobs' },
		help: "For how many alternatives to each token to get the probability. They are in the raw output: turn 'Simplify' off." },
	logitBias: { kind: 'object', label: 'Logit Bias (JSON)', initial: '{}', wire: { chat: 'logit_bias' },
		help: 'How much more (above 0) or less (below 0) likely tokens become, as an object of token IDs and numbers' },
	reasoningEffort: { kind: 'choice', label: 'Reasoning Effort', initial: 'medium', choices: efforts, wire: { chat: 'reasoning.effort', responses: 'reasoning.effort' },
		help: 'How much the model reasons before it responds. Reasoning tokens are charged like the response.' },
	reasoningSummary: { kind: 'text', label: 'Reasoning Summary', initial: 'auto', placeholder: 'e.g. auto', wire: { chat: 'reasoning.summary', responses: 'reasoning.summary' },
		help: 'How detailed the summary of the model’s reasoning is' },
	reasoningEnabled: { kind: 'boolean', label: 'Reasoning Enabled', initial: true, wire: { chat: 'reasoning.enabled' },
		help: 'Whether the model reasons before it responds' },
	reasoningMaxTokens: { kind: 'integer', label: 'Reasoning Max Tokens', initial: 1024, min: 0, wire: { chat: 'reasoning.max_tokens', responses: 'reasoning.max_tokens' },
		help: 'The most tokens that the model may use for reasoning' },
	reasoningExclude: { kind: 'boolean', label: 'Reasoning Exclude', initial: true, wire: { chat: 'reasoning.exclude' },
		help: 'Whether to leave the reasoning out of the response. It is charged all the same.' },
	thinking: { kind: 'object', label: 'Thinking (JSON)', initial: '{ "type": "adaptive" }', wire: { messages: 'thinking' },
		help: 'Whether and how the model reasons before it responds, as an object' },
	verbosity: { kind: 'word', label: 'Verbosity', initial: 'low', choices: levels, wire: { responses: 'text.verbosity' },
		help: 'How much the model says' },
	modalities: { kind: 'texts', label: 'Modalities', initial: ['text'], choices: [{ name: 'Audio', value: 'audio' }, { name: 'Image', value: 'image' }, { name: 'Text', value: 'text' }], wire: { chat: 'modalities' },
		help: 'What the response may consist of, where the model can. Audio and images become binary fields.' },
	audioVoice: { kind: 'text', label: 'Audio Voice', initial: '', placeholder: 'e.g. alloy', wire: { chat: 'audio.voice' },
		help: 'The voice of a spoken response. Which voices there are depends on the model.' },
	audioFormat: { kind: 'text', label: 'Audio Format', initial: 'mp3', placeholder: 'e.g. mp3', wire: { chat: 'audio.format' },
		help: 'The file format of a spoken response' },
	imageConfigQuality: { kind: 'text', label: 'Image Quality', initial: '', placeholder: 'e.g. high', wire: { chat: 'image_config.quality' },
		help: 'The quality of images in the response. Which values there are depends on the model.' },
	imageConfigSize: { kind: 'text', label: 'Image Size', initial: '', placeholder: 'e.g. 1024x1024', wire: { chat: 'image_config.size' },
		help: 'The size of images in the response. Which values there are depends on the model.' },
	include: { kind: 'texts', label: 'Include', initial: [], choices: [{ name: 'Encrypted Reasoning', value: 'reasoning.encrypted_content' }, { name: 'Log Probabilities', value: 'message.output_text.logprobs' }, { name: 'Sources of Web Searches', value: 'web_search_call.action.sources' }], wire: { responses: 'include' },
		help: "What the response contains besides the text. Turn 'Simplify' off to see all of it." },
	webSearchContextSize: { kind: 'word', label: 'Web Search Context Size', initial: 'medium', choices: levels, wire: { chat: 'web_search_options.search_context_size' },
		help: 'Lets the model search the web, where it can, and sets how much it reads there' },
	builtInTools: { kind: 'list', label: 'Built-In Tools (JSON)', initial: '[{ "type": "web_search" }]', wire: { responses: 'tools' },
		help: 'Tools that the gateway runs itself, as a list of objects of the type web_search, file_search, code_interpreter, image_generation, mcp, x_search …' },
	parallelToolCalls: { kind: 'boolean', label: 'Parallel Tool Calls', initial: true, wire: { chat: 'parallel_tool_calls', responses: 'parallel_tool_calls' },
		help: 'Whether the model may call several tools at once' },
	maxToolCalls: { kind: 'integer', label: 'Max Tool Calls', initial: 5, min: 0, wire: { responses: 'max_tool_calls' },
		help: 'How often built-in tools may be used for this response. Limits what they can cost.' },
	providerAllowFallbacks: { kind: 'boolean', label: 'Provider Allow Fallbacks', initial: true, wire: { chat: 'provider.allow_fallbacks' },
		help: 'Whether another provider may respond when the first choice cannot' },
	providerOrder: providers('Provider Order', 'order', 'The providers to try, in this order'),
	providerOnly: providers('Provider Only', 'only', 'The only providers that may respond'),
	providerIgnore: providers('Provider Ignore', 'ignore', 'Providers that must not respond'),
	providerSort: { kind: 'text', label: 'Provider Sort', initial: 'price', placeholder: 'e.g. price', wire: { chat: 'provider.sort' },
		help: 'What providers are ranked by' },
	providerMaxPricePrompt: maxPrice('Prompt', 'prompt', 'the input'),
	providerMaxPriceCompletion: maxPrice('Completion', 'completion', 'the response'),
	providerMaxPriceImage: maxPrice('Image', 'image', 'an image'),
	providerMaxPriceAudio: maxPrice('Audio', 'audio', 'audio'),
	providerMaxPriceRequest: maxPrice('Request', 'request', 'a request'),
	plugins: { kind: 'list', label: 'Plugins (JSON)', initial: '[]', wire: { chat: 'plugins' },
		help: "Plugins of the gateway to enable, as a list. What they cost is in the output field 'pluginsCostRub'." },
	serviceTier: { kind: 'choice', label: 'Service Tier', initial: 'auto', choices: [{ name: 'Auto', value: 'auto' }, { name: 'Default', value: 'default' }, { name: 'Flex', value: 'flex', description: 'Slower, for less money, where the model has it' }, { name: 'Priority', value: 'priority', description: 'Faster, for more money, where the model has it' }], wire: { responses: 'service_tier' },
		help: 'How fast the call is, and how expensive' },
	truncation: { kind: 'choice', label: 'Truncation', initial: 'auto', choices: [{ name: 'Auto', value: 'auto', description: 'The middle of an input that is too long is left out' }, { name: 'Disabled', value: 'disabled', description: 'An input that is too long is refused' }], wire: { responses: 'truncation' },
		help: 'What happens to an input that is longer than the model can read' },
	store: { kind: 'boolean', label: 'Store', initial: true, wire: { responses: 'store' },
		help: 'Whether the gateway keeps the response, so that a later call can continue from it' },
	background: { kind: 'boolean', label: 'Background', initial: false, wire: { responses: 'background' },
		help: 'Whether the gateway responds at once and works on, at your cost. The output then has only the ID and the state, and the gateway shows no way to fetch the response afterwards.' },
	previousResponseId: { kind: 'text', label: 'Previous Response ID', initial: '', placeholder: 'e.g. resp_…', wire: { responses: 'previous_response_id' },
		help: 'The ID of an earlier response of the API format Responses, to continue that conversation' },
	conversation: { kind: 'object', label: 'Conversation (JSON)', initial: '{ "id": "" }', wire: { responses: 'conversation' },
		help: "The conversation that the call belongs to, as an object, instead of 'Previous Response ID'" },
	metadata: { kind: 'object', label: 'Metadata (JSON)', initial: '{}', wire: { responses: 'metadata' },
		help: 'Names and values of your own that are kept with the response' },
	streamOptions: { kind: 'object', label: 'Stream Options (JSON)', initial: '{}', wire: { responses: 'stream_options' },
		help: 'Options of the stream, sent when the response is streamed' },
	user: { kind: 'text', label: 'User', initial: '', placeholder: 'e.g. customer-42', wire: { chat: 'user' },
		help: 'Your own name or ID of the person on whose behalf the call is made' },
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
