import { asObject, mergeKnown, type Json, type JsonObject } from '../../../util/json';
import { generationError, partsBesideText, type Charge } from '../completion';
import type { CompletionStream } from '../format';
import { TextBuffer } from '../textBuffer';
import { contentText, readCharge } from './response';
import { chatChunk, type ChunkChoice, type ToolCallDelta } from './types';

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
		this.head ??= headOf(received);
		this.readUsage(usage);
		let text = '';
		for (const choice of choices) text += this.choice(choice.index ?? 0).read(choice);
		return text;
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
	charge(): Charge | undefined {
		return this.usage && readCharge({ ...this.head, choices: [], usage: this.usage });
	}

	body(): JsonObject {
		const choices = [...this.choices].sort(([a], [b]) => a - b);
		return {
			...this.head,
			object: 'chat.completion',
			choices: choices.map(([index, choice]) => choice.assembled(index)),
			...(this.usage ? { usage: this.usage } : {}),
		};
	}

	private choice(index: number): StreamedChoice {
		const known = this.choices.get(index);
		if (known) return known;
		const choice = new StreamedChoice(index === 0);
		this.choices.set(index, choice);
		return choice;
	}
}

/** The fields that all chunks repeat; `body` replaces the choices. */
function headOf(chunk: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(chunk).filter(([name]) => name !== 'usage'));
}

/** A choice, assembled from its deltas. */
class StreamedChoice {
	private role = 'assistant';
	private readonly content = new TextBuffer();
	private readonly reasoning = new TextBuffer();
	private readonly refusal = new TextBuffer();
	private readonly toolCalls: StreamedToolCall[] = [];
	private readonly annotations: JsonObject[] = [];
	private readonly images: JsonObject[] = [];
	private readonly logprobs: { content: JsonObject[]; refusal: JsonObject[] } = { content: [], refusal: [] };
	private hasLogprobs = false;
	private audio: { fields: JsonObject; data: TextBuffer; transcript: TextBuffer } | undefined;
	private readonly details: JsonObject[] = [];
	private finishReason: string | undefined;

	/** @param isShown whether its text is shown while it arrives */
	constructor(private readonly isShown: boolean) {}

	get hasEnded(): boolean {
		return this.finishReason !== undefined;
	}

	/** Returns the text of the delta, if it is to be shown. */
	read({ delta, finish_reason, logprobs, reasoning_details }: ChunkChoice): string {
		const text = contentText(delta.content);
		this.content.add(text);
		this.reasoning.add(delta.reasoning);
		this.refusal.add(delta.refusal);
		this.role = delta.role ?? this.role;
		this.finishReason = finish_reason ?? this.finishReason;
		delta.tool_calls.forEach((call, place) => this.readToolCall(call, place));
		this.annotations.push(...delta.annotations);
		this.images.push(...partsBesideText(delta.content), ...delta.images);
		this.readAudio(delta.audio);
		this.readLogprobs(logprobs);
		// Some providers send the same details in both places.
		const details = reasoning_details.length > 0 ? reasoning_details : delta.reasoning_details;
		for (const detail of details) this.readDetail(detail);
		if (!this.isShown) return '';
		return text || textOf(delta.refusal) || textOf(delta.audio?.transcript);
	}

	private readToolCall(
		{ id, function: { name, arguments: args }, ...delta }: ToolCallDelta,
		place: number,
	): void {
		const index = delta.index ?? place;
		// The last call of the index: some providers send several calls with one index and different ids.
		const known = this.toolCalls.filter((call) => call.index === index).at(-1);
		const isOther = id !== undefined && known?.id !== undefined && known.id !== id;
		const call = known && !isOther ? known : { index, id, name: undefined, arguments: new TextBuffer() };
		if (call !== known) this.toolCalls.push(call);
		call.id = id ?? call.id;
		call.name = name ?? call.name;
		call.arguments.add(asObject(args) ? JSON.stringify(args) : args);
	}

	/** A detail may come in parts with the same type and index: their texts are joined. */
	private readDetail(part: JsonObject): void {
		const place = this.details.findIndex(
			({ type, index }) => typeof index === 'number' && index === part.index && type === part.type,
		);
		const known = this.details[place];
		if (!known) return void this.details.push(part);
		const joined = ['text', 'summary'].map((name) => [name, textOf(known[name]) + textOf(part[name])]);
		const texts = Object.fromEntries(joined.filter(([, text]) => text !== '')) as JsonObject;
		this.details[place] = { ...mergeKnown(known, part), ...texts };
	}

	private readAudio(delta: JsonObject | undefined): void {
		if (!delta) return;
		this.audio ??= { fields: {}, data: new TextBuffer(), transcript: new TextBuffer() };
		const { data, transcript, ...fields } = delta;
		this.audio.fields = mergeKnown(this.audio.fields, fields);
		this.audio.data.add(data);
		this.audio.transcript.add(transcript);
	}

	private readLogprobs(logprobs: ChunkChoice['logprobs']): void {
		if (!logprobs) return;
		this.hasLogprobs = true;
		this.logprobs.content.push(...logprobs.content);
		this.logprobs.refusal.push(...logprobs.refusal);
	}

	/** The choice as it would be without streaming. */
	assembled(index: number): JsonObject {
		const audio = this.audio && {
			...this.audio.fields,
			data: this.audio.data.text(),
			transcript: this.audio.transcript.text(),
		};
		const hasText = !this.content.isEmpty || (this.toolCalls.length === 0 && !audio);
		return {
			index,
			message: {
				role: this.role,
				content: hasText ? this.content.text() : null,
				...(this.toolCalls.length > 0 ? { tool_calls: this.toolCalls.map(toToolCall) } : {}),
				refusal: this.refusal.isEmpty ? null : this.refusal.text(),
				reasoning: this.reasoning.isEmpty ? null : this.reasoning.text(),
				...(audio ? { audio } : {}),
				...(this.images.length > 0 ? { images: this.images } : {}),
				annotations: this.annotations,
			},
			finish_reason: this.finishReason ?? null,
			reasoning_details: this.details,
			logprobs: this.hasLogprobs ? { ...this.logprobs } : null,
		};
	}
}

function textOf(value: Json | undefined): string {
	return typeof value === 'string' ? value : '';
}

interface StreamedToolCall {
	index: number;
	id: string | undefined;
	name: string | undefined;
	arguments: TextBuffer;
}

function toToolCall(call: StreamedToolCall): JsonObject {
	return {
		...(call.id === undefined ? {} : { id: call.id }),
		type: 'function',
		function: { name: call.name ?? '', arguments: call.arguments.text() },
	};
}
