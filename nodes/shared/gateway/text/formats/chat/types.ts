import { json, number, object, objects, record, records, text, type Shape } from '../../../util/shape';

// The fields of §2.4 and §6.2 that are used.

/** A part of a message's content, or an image next to it. */
export const part = object({ text, image_url: object({ url: text }) });

const message = object({
	content: json,
	audio: object({ data: text, transcript: text }),
	tool_calls: objects({ id: json, function: object({ name: text, arguments: json }) }),
	reasoning: text,
	reasoning_details: records,
	refusal: text,
	annotations: records,
	images: records,
});
export type Message = Shape<typeof message>;

const choices = objects({
	message,
	finish_reason: text,
	reasoning_details: records,
});
export type ChatChoice = Shape<typeof choices>[number];

/** The plugins of a usage; its tokens and cost are read by their paths. */
const usage = object({ plugins: record, plugin_post_process_error: json });

/** A chat completion (§2.4). */
export const chatCompletion = object({ model: text, provider: text, choices, usage });

const chunkChoices = objects({
	index: number,
	delta: record,
	finish_reason: text,
	logprobs: record,
	reasoning_details: records,
});
export type ChunkChoice = Shape<typeof chunkChoices>[number];

/** A chunk of a stream (§6.2). */
export const chatChunk = object({ error: json, object: json, usage: record, choices: chunkChoices });
