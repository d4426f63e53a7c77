import type { ToolChoice } from '../shared/gateway/text/formats/request';
import {
	asNumber,
	asObject,
	asObjects,
	asText,
	compact,
	textOf,
	type JsonObject,
} from '../shared/gateway/util/json';
import type { LangChainMessage } from './messages';
import type { CallConfig, CallOptions, ShownOfCall } from './model';

// n8n's SDK, a preview, wraps our model in a LangChain model. What is missing there is patched on the object that
// it returns, as n8n's own chat model nodes do.

/** The parts of LangChain's models, and of the SDK's, that are used here. */
export interface Adapter {
	callbacks?: Array<{ options?: { tokensUsageParser?: unknown } }> | undefined;
	metadata?: unknown;
	_generate(...request: Request): Promise<{ generations: Generation[] }>;
	_streamResponseChunks(...request: Request): AsyncIterable<Generation>;
	bindTools(tools: unknown[], settings?: { tool_choice?: unknown }): Adapter;
	getNumTokens(content: unknown): Promise<number>;
	withStructuredOutput(schema: unknown): unknown;
	pipe(next: (message: AnswerMessage) => unknown): unknown;
}

interface AnswerMessage {
	content?: unknown;
	tool_calls?: unknown;
	tool_call_chunks?: unknown;
	additional_kwargs?: unknown;
}

type Request = [messages: LangChainMessage[], options: CallOptions, run?: unknown];

interface Generation {
	generationInfo?: object;
	message?: AnswerMessage;
}

/** The SDK leaves out most files, reasoning, the tool choice of agents, the tokens of streams, and the cost. */
export function patchAdapter(adapter: Adapter, toolChoice?: ToolChoice): Adapter {
	const generate = adapter._generate.bind(adapter);
	const stream = adapter._streamResponseChunks.bind(adapter);
	const bind = adapter.bindTools.bind(adapter);
	const configOf = (messages: LangChainMessage[], options: CallOptions): CallConfig => {
		return { ...options, messages, toolChoice, shown: {} };
	};
	adapter._generate = async (messages, options, run) => {
		const config = configOf(messages, options);
		const result = await generate([], config, run);
		for (const generation of result.generations) complete(generation, config.shown);
		return result;
	};
	adapter._streamResponseChunks = async function* (messages, options, run) {
		const config = configOf(messages, options);
		let calls = 0;
		for await (const chunk of stream([], config, run)) {
			// Only the last chunk has a finish reason.
			complete(chunk, chunk.generationInfo ? config.shown : {});
			// The SDK gives all tool calls the index 0, which in LangChain's events is that of the text.
			for (const call of asObjects(chunk.message?.tool_call_chunks)) call.index = calls += 1;
			yield chunk;
		}
	};
	adapter.bindTools = (tools, settings) => {
		const choice = tools.length > 0 ? sdkToolChoice(settings?.tool_choice) : undefined;
		const bound = patchAdapter(bind(tools), choice ?? toolChoice);
		bound.callbacks = adapter.callbacks;
		// n8n's Model Selector shows there which model was used.
		bound.metadata = adapter.metadata;
		return bound;
	};
	// LangChain's asks a public server for a table of tokens. It only decides where chains and memories split texts.
	adapter.getNumTokens = async (content) => await Promise.resolve(estimatedTokens(content));
	adapter.withStructuredOutput = (schema) => structuredOutput(adapter, schema);
	for (const { options } of adapter.callbacks ?? []) {
		// n8n's tracer, which logs the requests of a model with the execution.
		if (options?.tokensUsageParser) options.tokensUsageParser = tokensOf;
	}
	return adapter;
}

/** LangChain's own does not force the model to call the tool, and reads streamed responses only. */
function structuredOutput(model: Adapter, schema: unknown): unknown {
	const name = 'extract';
	const tool = { name, description: 'Gives the answer', schema };
	const read = async (message: AnswerMessage) => {
		const call = asObjects(message.tool_calls).find((toolCall) => toolCall.name === name);
		if (!call) throw new Error(`The model did not give the structured output: it did not call "${name}"`);
		// zod checks the values and adds its defaults.
		return isZod(schema) ? await schema.parseAsync(call.args) : call.args;
	};
	return model.bindTools([tool], { tool_choice: name }).pipe(read);
}

function isZod(schema: unknown): schema is { parseAsync(value: unknown): Promise<unknown> } {
	return typeof schema === 'object' && schema !== null && 'parseAsync' in schema;
}

/** Tokens of a text or of the texts in a list of parts: one for four bytes, so two letters of Cyrillic. */
function estimatedTokens(content: unknown): number {
	const parts: unknown[] = [content].flat();
	const texts = parts.map((part) => (typeof part === 'string' ? part : textOf(asObject(part)?.text)));
	return Math.ceil(Buffer.byteLength(texts.join('')) / 4);
}

/** Adds what n8n's log shows of a request, and the reasoning that agents keep. */
function complete(generation: Generation, { info, reasoning }: ShownOfCall): void {
	const { message } = generation;
	if (info) generation.generationInfo = { ...generation.generationInfo, ...info };
	if (!message) return;
	message.content = joinedText(message.content);
	if (reasoning === undefined) return;
	message.additional_kwargs = { ...asObject(message.additional_kwargs), reasoning_content: reasoning };
}

/** Text as a string: n8n's parsers read the SDK's list of parts as "[object Object]". */
function joinedText(content: unknown): unknown {
	const parts = asObjects(content);
	if (!Array.isArray(content) || parts.some(({ type }) => type !== 'text')) return content;
	return parts.map(({ text }) => textOf(text)).join('');
}

/** LangChain's choice of tools: `any` is `required` elsewhere; any other text is the name of a tool. */
function sdkToolChoice(value: unknown): ToolChoice | undefined {
	const { name, function: called } = asObject(value) ?? {};
	const named = asText(asObject(called)?.name) ?? asText(name);
	if (named !== undefined) return { name: named };
	const word = asText(value);
	if (word === undefined || word === 'auto' || word === 'none' || word === 'required') return word;
	return word === 'any' ? 'required' : { name: word };
}

/** Tokens and cost in LangChain's result, for n8n's log. The SDK's parser does not find those of streams. */
function tokensOf({ llmOutput, generations }: JsonObject): JsonObject {
	const usage = asObject(asObject(llmOutput)?.tokenUsage);
	const promptTokens = asNumber(usage?.input_tokens ?? usage?.promptTokens) ?? 0;
	const completionTokens = asNumber(usage?.output_tokens ?? usage?.completionTokens) ?? 0;
	const [first] = Array.isArray(generations) ? generations.flat() : [];
	const costRub = asNumber(asObject(asObject(first)?.generationInfo)?.costRub);
	return compact({ promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, costRub });
}
