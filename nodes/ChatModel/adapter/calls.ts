import { asObjects, asText } from '../../shared/gateway/util/json';
import { normalizeMessage } from '../content';
import type { CallConfig } from '../model';
import type { CallInfo } from '../result';
import type { Adapter, Generation } from './types';

/** Completes what goes into a call, and what comes out of it. */
export function patchCalls(adapter: Adapter): void {
	const generate = adapter._generate?.bind(adapter);
	const stream = adapter._streamResponseChunks?.bind(adapter);
	if (generate) {
		adapter._generate = async (messages, options, run) => {
			const told = new CallInfoCollector(options);
			const result = await generate(messages.map(normalizeMessage), told.options, run);
			for (const generation of result.generations) {
				told.addTo(generation);
				joinText(generation);
			}
			return result;
		};
	}
	if (stream) {
		adapter._streamResponseChunks = async function* (messages, options, run) {
			const told = new CallInfoCollector(options);
			const calls = new CallNumbers();
			for await (const chunk of stream(messages.map(normalizeMessage), told.options, run)) {
				// Only the last chunk says why the answer ended.
				if (chunk.generationInfo) told.addTo(chunk);
				joinText(chunk);
				calls.addTo(chunk);
				yield chunk;
			}
		};
	}
}

/** What the model tells of one call. */
class CallInfoCollector {
	readonly options: CallConfig;
	private facts: CallInfo | undefined;

	constructor(options: CallConfig) {
		this.options = { ...options, onCallInfo: (facts) => (this.facts = facts) };
	}

	addTo(generation: Generation): void {
		if (this.facts) generation.generationInfo = { ...generation.generationInfo, ...this.facts };
	}
}

/**
 * Makes a string of content that is text alone, as other models give it. The SDK gives a list of parts, of which n8n's
 * parsers read "[object Object]", and between the pieces of which LangChain puts line breaks.
 */
function joinText({ message }: Generation): void {
	if (!message || !Array.isArray(message.content)) return;
	const parts = asObjects(message.content);
	if (parts.length !== message.content.length || parts.some(({ type }) => type !== 'text')) return;
	message.content = parts.map(({ text }) => asText(text) ?? '').join('');
}

/**
 * Numbers the calls of tools in a stream, each of which comes in one piece. The SDK gives all of them the place 0, which in
 * LangChain's events is that of the text.
 */
class CallNumbers {
	private count = 0;

	addTo({ message }: Generation): void {
		for (const piece of asObjects(message?.tool_call_chunks)) {
			this.count += 1;
			piece.index = this.count;
		}
	}
}
