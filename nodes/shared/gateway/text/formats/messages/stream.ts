import {
	asArray,
	asIndex,
	asObject,
	asObjects,
	asText,
	at,
	omit,
	parseJson,
	textOf,
	type JsonObject,
} from '../../../util/json';
import { generationError } from '../completion';
import { addDelta, addFields, addMissing, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import type { OutputRequest } from '../request';
import { isJsonTool } from './response';

/** Assembles the events of a messages stream (§6.3) into a message object (§2.5). */
export class MessagesStream implements CompletionStream {
	private message: JsonObject = {};
	private readonly blocks = new Map<number, StreamedBlock>();
	isFinished = false;
	/** Whether the reason of its end has come, which no text follows (§6.3). */
	private hasEnded = false;

	constructor(private readonly output: OutputRequest) {}

	read(received: JsonObject): string {
		if (this.isFinished) return '';
		const { type, index, error, content_block: start } = received;
		const [message, delta, usage] = [received.message, received.delta, received.usage].map(asObject);
		const block = () =>
			at(this.blocks, asIndex(index) ?? 0, () => new StreamedBlock(asObject(start) ?? startOf(delta)));
		// The specification does not show when a messages stream is charged.
		if (type === 'error') throw generationError(asObject(error) ?? {}).with({ outcome: 'unknown' });
		// §6.3: this usage is the initial one; only `message_delta` has the output tokens of the whole message.
		if (type === 'message_start') {
			addMissing(this.message, omit(message ?? {}, 'usage'));
			addFields(this.message, { usage: omit(asObject(message?.usage) ?? {}, 'output_tokens') });
		}
		// A gateway that does not stream may send its response as one event.
		if (type === 'message') {
			const parts = asObjects(received.content);
			this.message = received;
			this.isFinished = true;
			return parts.map((part, place) => at(this.blocks, place, () => new StreamedBlock(part)).text).join('');
		}
		if (type === 'content_block_start') return block().text;
		if (type === 'content_block_delta') return block().read(delta ?? {}, this.output);
		this.hasEnded ||= type === 'message_delta' && asText(delta?.stop_reason) !== undefined;
		if (type === 'message_delta') addFields(this.message, { ...delta, usage: usage ?? {} });
		this.isFinished = type === 'message_stop';
		return '';
	}

	isComplete(): boolean {
		return this.isFinished || this.hasEnded;
	}

	body(): JsonObject {
		return { ...this.message, content: byIndex(this.blocks).map((block) => block.assembled()) };
	}
}

const CHUNKED = new Set(['text', 'thinking', 'signature', 'partial_json']);

/** A block without a start has the type of its first delta. */
function startOf(delta: JsonObject = {}): JsonObject {
	if (asText(delta.thinking) !== undefined) return { type: 'thinking' };
	return asText(delta.partial_json) === undefined ? { type: 'text', text: '' } : { type: 'tool_use' };
}

class StreamedBlock {
	private readonly block: JsonObject;

	constructor({ citations, ...fields }: JsonObject) {
		this.block = fields;
		addDelta(this.block, { citations }, CHUNKED);
	}

	get text(): string {
		return textOf(this.block.text);
	}

	/** Returns the text of the delta, if it is to be shown. */
	read({ text, thinking, signature, partial_json, citation }: JsonObject, output: OutputRequest): string {
		const citations = asObjects([citation]);
		addDelta(this.block, { text, thinking, signature, partial_json, citations }, CHUNKED);
		return asText(isJsonTool(this.block, output) ? partial_json : text) ?? '';
	}

	assembled(): JsonObject {
		const { partial_json: input, citations, ...block } = this.block;
		if (typeof input === 'string' && input !== '') block.input = parseJson(input) ?? input;
		return asArray(citations).length > 0 ? { ...block, citations } : block;
	}
}
