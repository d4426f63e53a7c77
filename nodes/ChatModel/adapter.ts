import type { ToolChoice } from '../shared/gateway/formats/request';
import { asNumber, asObject, asObjects, asText, type JsonObject } from '../shared/gateway/json';
import { standardMessage } from './content';
import type { CallConfig, GatewayChatModel } from './model';
import type { CallFacts } from './result';

// n8n's SDK, a preview, puts a LangChain model around ours. What it leaves out on the way is put back in here, on the
// object that it gives, as n8n's own chat model nodes do it. Where another version of the SDK has no such function,
// nothing is changed.

/** What is used of the LangChain model that the SDK makes. */
export interface Adapter {
	chatModel?: GatewayChatModel;
	callbacks?: unknown;
	_generate?: (messages: object[], options: CallConfig, run?: unknown) => Promise<Generated>;
	_streamResponseChunks?: (
		messages: object[],
		options: CallConfig,
		run?: unknown,
	) => AsyncGenerator<Generation>;
	bindTools?: (tools: unknown[], settings?: { tool_choice?: unknown }) => Adapter;
}

interface Generation {
	/** n8n shows this of each call, besides text and tokens. */
	generationInfo?: object;
	message?: object;
}

interface Generated {
	generations: Generation[];
}

/**
 * Adds to the SDK's LangChain model: pictures and files in messages, the choice of tools, the tokens of streamed
 * answers, and the cost.
 *
 * @returns the same object
 */
export function completed<A>(given: A): A {
	const adapter = given as Adapter;
	completeCalls(adapter);
	completeTools(adapter);
	for (const tracer of tracersOf(adapter)) tracer.options.tokensUsageParser = tokensOf;
	return given;
}

function completeCalls(adapter: Adapter): void {
	const generate = adapter._generate?.bind(adapter);
	const stream = adapter._streamResponseChunks?.bind(adapter);
	if (generate) {
		adapter._generate = async (messages, options, run) => {
			const told = new ToldFacts(options);
			const result = await generate(messages.map(standardMessage), told.options, run);
			result.generations.forEach((generation) => told.addTo(generation));
			return result;
		};
	}
	if (stream) {
		adapter._streamResponseChunks = async function* (messages, options, run) {
			const told = new ToldFacts(options);
			for await (const chunk of stream(messages.map(standardMessage), told.options, run)) {
				// Only the last chunk says why the answer ended.
				if (chunk.generationInfo) told.addTo(chunk);
				yield chunk;
			}
		};
	}
}

/** What the model tells of one call. */
class ToldFacts {
	readonly options: CallConfig;
	private facts: CallFacts | undefined;

	constructor(options: CallConfig) {
		this.options = { ...options, onFacts: (facts) => (this.facts = facts) };
	}

	addTo(generation: Generation): void {
		if (this.facts) generation.generationInfo = { ...generation.generationInfo, ...this.facts };
	}
}

/** The SDK drops the choice of tools, with which agents make a model call one. */
function completeTools(adapter: Adapter): void {
	const bind = adapter.bindTools?.bind(adapter);
	if (!bind) return;
	adapter.bindTools = (tools, settings) => {
		const bound = bind(tools);
		const choice = toolChoice(settings?.tool_choice);
		if (choice !== undefined && bound.chatModel) bound.chatModel = bound.chatModel.withToolChoice(choice);
		return completed(bound);
	};
}

/** LangChain's words for a choice of tools: `any` is what others call `required`; another word names a tool. */
export function toolChoice(value: unknown): ToolChoice | undefined {
	const named = asText(asObject(asObject(value)?.function)?.name) ?? asText(asObject(value)?.name);
	if (named !== undefined) return { name: named };
	const word = asText(value);
	if (word === undefined || word === 'auto' || word === 'none' || word === 'required') return word;
	return word === 'any' ? 'required' : { name: word };
}

/** What writes the calls of a model into the execution. */
interface Tracer {
	options: { tokensUsageParser: unknown };
}

function tracersOf({ callbacks }: Adapter): Tracer[] {
	const isTracer = (handler: unknown): handler is Tracer =>
		typeof asObject(asObject(handler)?.options)?.tokensUsageParser === 'function';
	return Array.isArray(callbacks) ? callbacks.filter(isTracer) : [];
}

/**
 * The tokens of a call, for n8n's log: the SDK's own reader finds those of streamed answers not, and n8n then
 * shows an estimate.
 *
 * @param result what LangChain says at the end of a call
 */
export function tokensOf(result: JsonObject): JsonObject {
	const usage = asObject(asObject(result.llmOutput)?.tokenUsage);
	const promptTokens = asNumber(usage?.input_tokens ?? usage?.promptTokens) ?? 0;
	const completionTokens = asNumber(usage?.output_tokens ?? usage?.completionTokens) ?? 0;
	const [generations] = Array.isArray(result.generations) ? result.generations : [];
	const costRub = asNumber(asObject(asObjects(generations)[0]?.generationInfo)?.costRub);
	return {
		promptTokens,
		completionTokens,
		totalTokens: promptTokens + completionTokens,
		...(costRub === undefined ? {} : { costRub }),
	};
}
