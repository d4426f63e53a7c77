import { ApiError, type ApiErrorDetails } from '../../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../../nodes/shared/gateway/text/formats';
import { type ModelOutput, type Completion } from '../../../../nodes/shared/gateway/text/formats/completion';
import type {
	Attachment,
	Conversation,
	OutputRequest,
	TextRequest,
	ToolMessage,
	ChatMessage,
} from '../../../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';

export const TEXT: OutputRequest = { kind: 'text' };
export const JSON_OBJECT: OutputRequest = { kind: 'jsonObject', name: 'answer' };
export const NO_USAGE: Completion['usage'] = {
	inputTokens: null,
	outputTokens: null,
	totalTokens: null,
	cachedInputTokens: null,
	reasoningTokens: null,
};
export const NO_OUTPUT: ModelOutput = {
	text: '',
	toolCalls: [],
	reasoning: '',
	reasoningParts: [],
	refusal: '',
	sources: [],
	files: [],
	finishReason: null,
};

/** The body of a request with these parts, a model and one message. */
export function bodyOf(format: string, parts: Partial<TextRequest> = {}): JsonObject {
	return textFormat(format).toBody({
		model: 'acme/writer',
		conversation: messages({ role: 'user', text: 'Hi' }),
		tools: [],
		output: TEXT,
		fields: {},
		stream: false,
		...parts,
	});
}

export function messages(...list: Array<ChatMessage | ToolMessage>): Conversation {
	return { kind: 'messages', messages: list };
}

/** The user says "Look" with these attachments. */
export function lookWith(...attachments: Attachment[]): { conversation: Conversation } {
	return { conversation: messages({ role: 'user', text: 'Look', attachments }) };
}

/** A file of three bytes. */
export function inline(kind: Attachment['kind'], mimeType: string, fileName = 'a.bin'): Attachment {
	return { kind, source: { base64: 'AAAA', mimeType, fileName } };
}

export function fromUrl(kind: Attachment['kind']): Attachment {
	return { kind, source: { url: 'https://files.test/a' } };
}

/** An unstreamed completion; `output` has what the model returned. */
export function read(format: string, body: JsonObject, request = TEXT): Completion & { output: ModelOutput } {
	const completion = textFormat(format).readCompletion(body, request);
	const { text, toolCalls, reasoning, reasoningParts, refusal, sources, files, finishReason } = completion;
	const output = { text, toolCalls, reasoning, reasoningParts, refusal, sources, files, finishReason };
	return { ...completion, output };
}

export interface Streamed {
	/** The texts that the events showed, one an event. */
	shown: string[];
	/** Whether the completion is complete without, and with, the frame `[DONE]`. */
	isComplete: [boolean, boolean];
	isFinished: boolean;
	body: JsonObject;
}

/** Assembles the completion of a stream of these events. */
export function streamed(format: string, events: JsonObject[], output = TEXT): Streamed {
	const stream = textFormat(format).createStream(output);
	const shown = events.map((event) => stream.read(event));
	return {
		shown,
		isComplete: [stream.isComplete(false), stream.isComplete(true)],
		isFinished: stream.isFinished,
		body: stream.body(),
	};
}

/** The first choice of a stream of these events. */
export function streamedChoice(format: string, events: JsonObject[], output = TEXT): ModelOutput {
	return read(format, streamed(format, events, output).body, output).output;
}

function thrownBy(work: () => unknown): unknown {
	try {
		work();
	} catch (error) {
		return error;
	}
	throw new Error('it did not throw');
}

/** The details of the ApiError of a function. */
export function errorDetailsOf(work: () => unknown): ApiErrorDetails {
	const error = thrownBy(work);
	if (error instanceof ApiError) return error.details;
	throw error;
}
