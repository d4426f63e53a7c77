import { json, number, object, objects, record, records, text, type Shape } from '../../../util/shape';

// The fields of §2.3 and §6.1 that are used.

const output = objects({
	type: text,
	content: objects({ text, refusal: text, annotations: records }),
	summary: objects({ text }),
	id: json,
	call_id: json,
	name: text,
	arguments: json,
	action: object({ sources: records }),
	result: text,
});
export type OutputItem = Shape<typeof output>[number];

/** A response object (§2.3). */
export const response = object({
	model: text,
	status: text,
	error: record,
	output,
	incomplete_details: object({ reason: text }),
});
export type Response = Shape<typeof response>;

/** An event of a stream (§6.1). */
export const responsesEvent = object({
	type: json,
	sequence_number: number,
	error: record,
	response: record,
	item: record,
	output_index: number,
	content_index: number,
	summary_index: number,
	delta: json,
	text,
	refusal: text,
	arguments: text,
	annotation: record,
});
export type ResponsesEvent = Shape<typeof responsesEvent>;
