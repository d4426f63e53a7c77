import { asObjects, asText } from '../../shared/gateway/util/json';
import { normalizeMessage } from '../content';
import type { CallConfig } from '../model';
import type { KeptReasoning } from '../reasoning';
import type { CallInfo } from '../result';
import { addReasoning, withReasoningPart } from './reasoning';
import type { Adapter, Generation } from './types';

/** Normalizes the messages of a request, and completes its generations. */
export function patchCalls(adapter: Adapter): void {
	const generate = adapter._generate?.bind(adapter);
	const stream = adapter._streamResponseChunks?.bind(adapter);
	if (generate) {
		adapter._generate = async (messages, options, run) => {
			const collector = new CallInfoCollector(options);
			const result = await generate(messages.map(prepare), collector.options, run);
			for (const generation of result.generations) {
				collector.addTo(generation);
				joinText(generation);
			}
			return result;
		};
	}
	if (stream) {
		adapter._streamResponseChunks = async function* (messages, options, run) {
			const collector = new CallInfoCollector(options);
			const numbers = new CallNumbers();
			for await (const chunk of stream(messages.map(prepare), collector.options, run)) {
				// Only the last chunk has a finish reason.
				if (chunk.generationInfo) collector.addTo(chunk);
				joinText(chunk);
				numbers.addTo(chunk);
				yield chunk;
			}
		};
	}
}

/** A message as the SDK can pass all of it on. */
function prepare<M extends object>(message: M): M {
	return withReasoningPart(normalizeMessage(message));
}

/** Collects the call info of one request. */
class CallInfoCollector {
	readonly options: CallConfig;
	private info: CallInfo | undefined;
	private reasoning: KeptReasoning | undefined;

	constructor(options: CallConfig) {
		this.options = {
			...options,
			onCallInfo: (info, reasoning) => {
				this.info = info;
				this.reasoning = reasoning;
			},
		};
	}

	addTo(generation: Generation): void {
		if (this.reasoning) addReasoning(generation, this.reasoning);
		if (this.info) generation.generationInfo = { ...generation.generationInfo, ...this.info };
	}
}

/**
 * Turns content that is text only into a string, as other models return it. The SDK returns a list of parts:
 * n8n's parsers read it as "[object Object]", and LangChain joins its chunks with line breaks.
 */
function joinText({ message }: Generation): void {
	if (!message || !Array.isArray(message.content)) return;
	const parts = asObjects(message.content);
	if (parts.length !== message.content.length || parts.some(({ type }) => type !== 'text')) return;
	message.content = parts.map(({ text }) => asText(text) ?? '').join('');
}

/**
 * Numbers the tool calls of a stream, each of which is one chunk. The SDK gives all of them the index 0, which in
 * LangChain's events is that of the text.
 */
class CallNumbers {
	private count = 0;

	addTo({ message }: Generation): void {
		for (const toolCall of asObjects(message?.tool_call_chunks)) {
			this.count += 1;
			toolCall.index = this.count;
		}
	}
}
