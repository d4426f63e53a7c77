import { json, number, object, objects, record, records, text, type Shape } from '../../../util/shape';

// The fields of §2.5 and §6.3 that are used.

const content = objects({
	type: text,
	text,
	thinking: text,
	id: json,
	name: text,
	input: json,
	citations: records,
});
export type Content = Shape<typeof content>[number];

/** A message object (§2.5). */
export const message = object({ model: text, content, stop_reason: text });
export type Message = Shape<typeof message>;

/** An event of a stream (§6.3). */
export const messagesEvent = object({
	type: json,
	index: number,
	error: record,
	message: record,
	content_block: record,
	delta: record,
	usage: record,
});
