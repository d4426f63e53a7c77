import { asObject, asObjects, mergeKnown, omit, type JsonObject } from '../../../util/json';
import { generationError, partsBesideText, readReceipt, type Receipt } from '../completion';
import { addDelta, at, textOf } from '../deltas';
import type { CompletionStream } from '../format';
import { contentText, USAGE } from './response';
import { chatChunk, toolCallDelta, type ChunkChoice } from './types';

const CHUNK = 'chat.completion.chunk';

/** Assembles the chunks of a chat stream (§6.2) into a chat completion (§2.4). */
export class ChatStream implements CompletionStream {
	private head: JsonObject | undefined;
	private usage: JsonObject | undefined;
	private readonly choices = new Map<number, StreamedChoice>();

	read(received: JsonObject): string {
		const { error = null, object, usage, choices } = chatChunk(received);
		if (error !== null) {
			this.readUsage(usage);
			throw generationError(asObject(error) ?? { message: error });
		}
		// Chunks of another kind do not belong to this completion.
		if ((object ?? CHUNK) !== CHUNK) return '';
		// All chunks repeat the same fields.
		this.head ??= omit(received, 'usage');
		this.readUsage(usage);
		let shown = '';
		for (const choice of choices) {
			const index = choice.index ?? 0;
			const text = at(this.choices, index, () => new StreamedChoice()).read(choice);
			if (index === 0) shown += text;
		}
		return shown;
	}

	private readUsage(usage: JsonObject | undefined): void {
		if (usage) this.usage = mergeKnown(this.usage ?? {}, usage);
	}

	/**
	 * §6.2: the chunk with usage and cost, then `[DONE]`. One of them is enough if every choice has a finish reason,
	 * which §6.2 does not show. Without a choice, only `[DONE]` ends the stream: the choices may still come.
	 */
	isComplete(sawDone: boolean): boolean {
		const choices = [...this.choices.values()];
		const hasUsage = choices.length > 0 && this.usage !== undefined;
		if (sawDone && hasUsage) return true;
		return choices.every((choice) => choice.hasEnded) && (sawDone || hasUsage);
	}

	/** Only `[DONE]` ends the stream. */
	isFinished(): boolean {
		return false;
	}

	/** The specification does not show when a chat stream is charged. */
	mayBeCharged(): boolean {
		return true;
	}

	/** §6.2: the final chunk has the usage. */
	receipt(): Receipt | undefined {
		return this.usage && readReceipt({ ...this.head, usage: this.usage }, USAGE);
	}

	body(): JsonObject {
		return {
			...this.head,
			object: 'chat.completion',
			choices: [...this.choices].sort(([a], [b]) => a - b).map(([index, choice]) => choice.assembled(index)),
			...(this.usage ? { usage: this.usage } : {}),
		};
	}
}

/** The fields whose texts arrive in chunks. */
const CHUNKED = new Set(['content', 'reasoning', 'refusal', 'data', 'transcript', 'text', 'summary']);

/** A choice, assembled from its deltas. */
class StreamedChoice {
	private readonly message: JsonObject = {};
	private readonly toolCalls: StreamedToolCall[] = [];
	private readonly details: JsonObject[] = [];
	private readonly end: JsonObject = {};

	get hasEnded(): boolean {
		return this.end.finish_reason !== undefined;
	}

	/** Returns the text of the delta. */
	read({ delta = {}, finish_reason, logprobs, reasoning_details }: ChunkChoice): string {
		const { content, images, tool_calls, reasoning_details: ownDetails, ...fields } = delta;
		const text = contentText(content);
		const pictures = [...partsBesideText(content), ...asObjects(images)];
		addDelta(this.message, { ...fields, content: text }, CHUNKED);
		if (pictures.length > 0) addDelta(this.message, { images: pictures }, CHUNKED);
		addDelta(this.end, { finish_reason, logprobs }, CHUNKED);
		asObjects(tool_calls).forEach((call, place) => this.readToolCall(call, place));
		// Some providers send the same details in both places.
		const details = reasoning_details.length > 0 ? reasoning_details : asObjects(ownDetails);
		for (const detail of details) this.readDetail(detail);
		return text || textOf(delta.refusal) || textOf(asObject(delta.audio)?.transcript);
	}

	private readToolCall(received: JsonObject, place: number): void {
		const { id, index = place, function: called } = toolCallDelta(received);
		// The last call of the index: some providers send several calls with one index and different ids.
		const known = this.toolCalls.filter((call) => call.index === index).at(-1);
		const isOther = id !== undefined && known?.id !== undefined && known.id !== id;
		const call = known && !isOther ? known : { index, id, name: undefined, arguments: '' };
		if (call !== known) this.toolCalls.push(call);
		call.id = id ?? call.id;
		call.name = called.name ?? call.name;
		call.arguments += asObject(called.arguments)
			? JSON.stringify(called.arguments)
			: textOf(called.arguments);
	}

	/** A detail may come in parts with the same type and index. */
	private readDetail(part: JsonObject): void {
		const known = this.details.find(
			({ type, index }) => typeof index === 'number' && index === part.index && type === part.type,
		);
		if (known) addDelta(known, part, CHUNKED);
		else this.details.push({ ...part });
	}

	/** The choice as it would be without streaming. */
	assembled(index: number): JsonObject {
		const { content, ...message } = this.message;
		const toolCalls = this.toolCalls.map(({ id, name = '', arguments: args }) => ({
			...(id === undefined ? {} : { id }),
			type: 'function',
			function: { name, arguments: args },
		}));
		const hasOther = toolCalls.length > 0 || message.audio !== undefined;
		const { finish_reason = null, logprobs } = this.end;
		return {
			index,
			message: {
				role: 'assistant',
				content: content ?? (hasOther ? null : ''),
				refusal: null,
				reasoning: null,
				annotations: [],
				...message,
				...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
			},
			finish_reason,
			reasoning_details: this.details,
			logprobs: logprobs ? { content: [], refusal: [], ...asObject(logprobs) } : null,
		};
	}
}

interface StreamedToolCall {
	index: number;
	id: string | undefined;
	name: string | undefined;
	arguments: string;
}
