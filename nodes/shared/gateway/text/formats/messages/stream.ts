import {
	asArray,
	asId,
	asIndex,
	asObject,
	asObjects,
	asText,
	at,
	omit,
	parseJson,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { ApiError, type ApiErrorDetails } from '../../../errors/errors';
import { eventError } from '../completion';
import { addDelta, addFields, addMissing, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { isEmptyValue, united, withLater } from '../merge';
import type { OutputRequest } from '../request';
import { isJsonTool } from './response';

/** Assembles the events of a messages stream (§6.3) into a message object (§2.5). */
export class MessagesStream implements CompletionStream {
	private message: JsonObject = {};
	/** The content with which the message began: it has none (§6.3), unless the server does not stream. */
	private begun: JsonObject[] = [];
	private readonly blocks = new Map<number, StreamedBlock>();
	isFinished = false;
	/** Whether the reason of its end has come, which no text follows (§6.3). */
	private hasEnded = false;

	/** Whether another message has begun inside this one. */
	private hasSecond = false;

	constructor(private readonly output: OutputRequest) {}

	read(received: JsonObject): string {
		if (this.isFinished) return '';
		const { type, index, error, content_block: start } = received;
		const [message, delta, usage] = [received.message, received.delta, received.usage].map(asObject);
		const block = () =>
			at(this.blocks, asIndex(index) ?? 0, () => new StreamedBlock(asObject(start) ?? startOf(delta)));
		const hasBegun = this.blocks.size + this.begun.length > 0;
		if (type === 'error') throw eventError(asObject(error) ?? {}, hasBegun);
		if (type === 'message_start') this.start(message ?? {});
		// A gateway that does not stream may send its response as one event.
		if (type === 'message') {
			this.message = received;
			this.isFinished = true;
			return '';
		}
		// Not once more.
		if (type === 'content_block_start')
			return this.blocks.has(asIndex(index) ?? 0) ? '' : block().shown(this.output);
		if (type === 'content_block_delta') return block().read(delta ?? {}, this.output);
		this.hasEnded ||= type === 'message_delta' && asText(delta?.stop_reason) !== undefined;
		if (type === 'message_delta') addFields(this.message, { ...delta, usage: usage ?? {} });
		this.isFinished = type === 'message_stop';
		return '';
	}

	private start({ content, usage, ...fields }: JsonObject): void {
		const [known, id] = [this.message.id, fields.id].map(asId);
		if (known !== undefined && id !== undefined && known !== id) {
			this.hasSecond = asObjects(this.body().content).some(hasValue);
			if (this.hasSecond) throw new ApiError(SECOND);
			this.message = {};
			this.blocks.clear();
			this.begun = [];
		}
		addMissing(this.message, fields);
		if (asObjects(content).length > 0) this.begun = asObjects(content);
		// §6.3: this usage is the initial one. Only `message_delta` has the output tokens of what follows.
		const used = asObject(usage) ?? {};
		addFields(this.message, { usage: this.begun.length > 0 ? used : omit(used, 'output_tokens') });
	}

	isComplete(): boolean {
		return !this.hasSecond && (this.isFinished || this.hasEnded);
	}

	body(): JsonObject {
		const blocks = new Map(this.begun.entries());
		for (const [index, block] of this.blocks)
			blocks.set(index, withLater(blocks.get(index) ?? {}, block.assembled()));
		return { ...this.message, content: united(byIndex(blocks), asObjects(this.message.content)) };
	}
}

const SECOND: ApiErrorDetails = {
	message: 'A second response began before the first one had ended',
	description: 'The stream has two responses in place of one. Run this item again, or choose another model.',
	code: 'second_response',
	outcome: 'unknown',
	kind: 'charge',
	status: 200,
	retryable: false,
};

function hasValue(part: JsonObject): boolean {
	return Object.values(omit(part, 'type')).some((value) => !isEmptyValue(value));
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

	/** The text that is shown: where JSON is asked for, not the text beside it. */
	shown(output: OutputRequest, text: Json | undefined = this.block.text): string {
		return output.kind === 'text' ? textOf(text) : '';
	}

	/** Returns the text of the delta, if it is to be shown. */
	read({ text, thinking, signature, partial_json, citation }: JsonObject, output: OutputRequest): string {
		const citations = asObjects([citation]);
		addDelta(this.block, { text, thinking, signature, partial_json, citations }, CHUNKED);
		return isJsonTool(this.block, output) ? textOf(partial_json) : this.shown(output, text);
	}

	assembled(): JsonObject {
		const { partial_json: input, citations, ...block } = this.block;
		if (typeof input === 'string' && input !== '') block.input = parseJson(input) ?? input;
		return asArray(citations).length > 0 ? { ...block, citations } : block;
	}
}
