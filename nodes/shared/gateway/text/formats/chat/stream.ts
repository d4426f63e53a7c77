import {
	asNumber,
	asObject,
	asObjects,
	asText,
	deepMerge,
	omit,
	textOf,
	type JsonObject,
} from '../../../util/json';
import { generationError, partsBesideText } from '../completion';
import { addDelta, at, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { contentText, firstList } from './response';

const CHUNK = 'chat.completion.chunk';

/** Assembles the chunks of a chat stream (§6.2) into a chat completion (§2.4). */
export class ChatStream implements CompletionStream {
	/** Only `[DONE]` ends the stream. */
	readonly isFinished = false;
	private head: JsonObject | undefined;
	private usage: JsonObject | undefined;
	private readonly choices = new Map<number, StreamedChoice>();

	read(received: JsonObject): string {
		const { error = null, object, choices } = received;
		const usage = asObject(received.usage);
		if (usage) this.usage = deepMerge(this.usage ?? {}, usage, 'ignore');
		// The specification does not show when a chat stream is charged.
		if (error !== null)
			throw generationError(asObject(error) ?? { message: error }).with({ outcome: 'unknown' });
		// Chunks of another kind do not belong to this completion.
		if ((object ?? CHUNK) !== CHUNK) return '';
		// All chunks repeat the same fields.
		this.head ??= omit(received, 'usage');
		let shown = '';
		for (const choice of asObjects(choices)) {
			const index = asNumber(choice.index) ?? 0;
			const text = at(this.choices, index, () => new StreamedChoice(index)).read(choice);
			if (index === 0) shown += text;
		}
		return shown;
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

	body(): JsonObject {
		return {
			...this.head,
			object: 'chat.completion',
			choices: byIndex(this.choices).map((choice) => choice.assembled()),
			...(this.usage ? { usage: this.usage } : {}),
		};
	}
}

/** The fields whose texts arrive in chunks. */
const CHUNKED = new Set('content reasoning refusal data transcript text summary arguments'.split(' '));

class StreamedChoice {
	private readonly message: JsonObject = {};
	private readonly toolCalls = new StreamedList();
	private readonly details = new StreamedList();
	private readonly end: JsonObject = {};

	constructor(private readonly index: number) {}

	get hasEnded(): boolean {
		return this.end.finish_reason !== undefined;
	}

	/** Returns the text of the delta. */
	read({ delta: received, finish_reason, logprobs, reasoning_details }: JsonObject): string {
		const delta = asObject(received) ?? {};
		const { content, images, tool_calls, reasoning_details: ownDetails, ...fields } = delta;
		const text = contentText(content);
		const pictures = [...partsBesideText(content), ...asObjects(images)];
		addDelta(this.message, { ...fields, content: text }, CHUNKED);
		if (pictures.length > 0) addDelta(this.message, { images: pictures }, CHUNKED);
		addDelta(this.end, { finish_reason: asText(finish_reason), logprobs: asObject(logprobs) }, CHUNKED);
		for (const [place, call] of asObjects(tool_calls).entries()) {
			const index = asNumber(call.index) ?? place;
			this.toolCalls.add({ ...call, type: 'function', index }, { function: { name: '', arguments: '' } });
		}
		for (const detail of firstList(reasoning_details, ownDetails)) this.details.add(detail);
		return text || textOf(delta.refusal) || textOf(asObject(delta.audio)?.transcript);
	}

	assembled(): JsonObject {
		const { content, ...message } = this.message;
		const toolCalls = this.toolCalls.elements.map((call) => omit(call, 'index'));
		const hasOther = toolCalls.length > 0 || message.audio !== undefined;
		const { finish_reason = null, logprobs } = this.end;
		return {
			index: this.index,
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
			reasoning_details: this.details.elements,
			logprobs: logprobs ? { content: [], refusal: [], ...asObject(logprobs) } : null,
		};
	}
}

/** A list whose elements arrive in chunks: those of the same type and index. */
class StreamedList {
	readonly elements: JsonObject[] = [];
	private readonly last = new Map<string, JsonObject>();

	/** @param empty an element before its first chunk */
	add(chunk: JsonObject, empty: JsonObject = {}): void {
		const { index, type, id } = chunk;
		const key = JSON.stringify([index, type]);
		const known = typeof index === 'number' ? this.last.get(key) : undefined;
		// Some providers send several tool calls with one index and different IDs.
		const isOther = [known?.id, id].every((value) => asText(value) !== undefined) && known?.id !== id;
		const element = known && !isOther ? known : { ...empty };
		if (element !== known) this.elements.push(element);
		this.last.set(key, element);
		addDelta(element, chunk, CHUNKED);
	}
}
