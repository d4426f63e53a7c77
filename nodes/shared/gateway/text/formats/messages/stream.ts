import {
	asArray,
	asNumber,
	asObject,
	asText,
	parseJson,
	mergeKnown,
	type JsonObject,
} from '../../../util/json';
import { generationError, type Charge } from '../completion';
import type { CompletionStream } from '../format';
import { TextBuffer } from '../textBuffer';
import type { OutputRequest } from '../request';
import { isJsonTool, readCharge } from './response';
import { blockDelta, messagesEvent } from './types';

/** Assembles the events of a messages stream (§6.3) into a message object (§2.5). */
export class MessagesStream implements CompletionStream {
	private message: JsonObject = {};
	private readonly blocks = new Map<number, StreamedBlock>();
	private hasStopped = false;
	private hasUsage = false;

	constructor(private readonly output: OutputRequest) {}

	read(received: JsonObject): string {
		if (this.hasStopped) return '';
		const {
			type,
			index = 0,
			error,
			message,
			content_block: block,
			delta,
			usage = {},
		} = messagesEvent(received);
		switch (type) {
			case 'error':
				throw generationError(error ?? {});
			case 'message_start':
				this.message = withoutOutputTokens(message ?? {});
				return '';
			case 'content_block_start':
				this.blocks.set(index, new StreamedBlock(block, this.output));
				return '';
			case 'content_block_delta':
				return this.block(index).read(delta ?? {});
			case 'message_delta':
				this.message = mergeKnown(this.message, { ...delta, usage });
				this.hasUsage ||= asNumber(usage.output_tokens) !== undefined;
				return '';
			case 'message_stop':
				this.hasStopped = true;
				return '';
			default:
				return '';
		}
	}

	private block(index: number): StreamedBlock {
		const known = this.blocks.get(index) ?? new StreamedBlock(undefined, this.output);
		this.blocks.set(index, known);
		return known;
	}

	isComplete(): boolean {
		return this.hasStopped;
	}

	isFinished(): boolean {
		return this.hasStopped;
	}

	/** The specification does not show when a messages stream is charged. */
	mayBeCharged(): boolean {
		return true;
	}

	/** §6.3: `message_delta` has the output tokens of the whole message. */
	charge(): Charge | undefined {
		return this.hasUsage ? readCharge(this.message) : undefined;
	}

	body(): JsonObject {
		const blocks = [...this.blocks].sort(([a], [b]) => a - b);
		return { ...this.message, content: blocks.map(([, block]) => block.assembled()) };
	}
}

/** §6.3: the usage at the start is the initial one; only `message_delta` has the output tokens of the whole message. */
function withoutOutputTokens(message: JsonObject): JsonObject {
	const usage = { ...asObject(message.usage) };
	delete usage.output_tokens;
	return { ...message, usage };
}

/** A content block, assembled from its deltas. */
class StreamedBlock {
	private readonly text = new TextBuffer();
	private readonly thinking = new TextBuffer();
	private readonly signature = new TextBuffer();
	private readonly input = new TextBuffer();
	private readonly citations: JsonObject[] = [];

	/** @param start a block without a start is text */
	constructor(
		private readonly start: JsonObject = { type: 'text', text: '' },
		private readonly output: OutputRequest,
	) {
		this.text.add(start.text);
		this.thinking.add(start.thinking);
		this.signature.add(start.signature);
	}

	/** Returns the text of the delta, if it is to be shown. Each kind of delta fills the field of its own name. */
	read(received: JsonObject): string {
		const delta = blockDelta(received);
		this.text.add(delta.text);
		this.thinking.add(delta.thinking);
		this.signature.add(delta.signature);
		this.input.add(delta.partial_json);
		if (delta.citation) this.citations.push(delta.citation);
		const shown = isJsonTool(this.start, this.output) ? delta.partial_json : delta.text;
		return asText(shown) ?? '';
	}

	assembled(): JsonObject {
		const filled = {
			text: this.text,
			thinking: this.thinking,
			signature: this.signature,
		};
		const block = { ...this.start };
		for (const [name, buffer] of Object.entries(filled)) {
			if (name in block || !buffer.isEmpty) block[name] = buffer.text();
		}
		if (!this.input.isEmpty) block.input = parseJson(this.input.text()) ?? this.input.text();
		const citations = [...asArray(block.citations), ...this.citations];
		return citations.length > 0 ? { ...block, citations } : block;
	}
}
