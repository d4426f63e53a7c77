import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../json';
import { expectAnswer, wireOptions, type TextFormat, type TextRequest, type TextResult } from '../format';

/** §4.1. */
const fields = {
	maxTokens: { name: 'max_output_tokens', min: 1 },
	temperature: { name: 'temperature' },
	topP: { name: 'top_p' },
} satisfies TextFormat['fields'];

/** The responses format: `POST /responses` (§4.1, §2.3). */
export const responses: TextFormat = {
	name: 'responses',
	label: 'Responses',
	description: 'Knows built-in tools and reasoning summaries; reports the cost',
	group: 'text',
	path: '/responses',
	headers: {},
	fields,
	toBody,
	readResponse,
};

function toBody({ model, systemPrompt, prompt, options }: TextRequest): JsonObject {
	return {
		model,
		...(systemPrompt ? { instructions: systemPrompt } : {}),
		input: prompt,
		...wireOptions(fields, options),
	};
}

/** States in which an answer has no output yet (§2.3). */
const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'in_progress', 'cancelled']);

function readResponse(body: JsonObject): TextResult {
	if (body.status === 'failed') expectAnswer({ error: asObject(body.error) ?? {} }, 'output');
	if (!UNFINISHED.has(String(body.status))) expectAnswer(body, 'output');
	const items = asObjects(body.output);
	const reasoning = textOf(items, 'reasoning', 'summary');
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		text: textOf(items, 'message', 'content'),
		...(reasoning === '' ? {} : { reasoning }),
		finishReason: finishReason(body, items),
		usage: readUsage(asObject(body.usage)),
		costRub: asNumber(asObject(asObject(body.usage)?.cost)?.total_cost) ?? null,
	};
}

/** The text parts of all items of a type: §2.3, other items may stand before the message. */
function textOf(items: JsonObject[], type: string, parts: string): string {
	return items
		.filter((item) => item.type === type)
		.flatMap((item) => asObjects(item[parts]))
		.map((part) => asText(part.text) ?? '')
		.join('');
}

function finishReason(body: JsonObject, items: JsonObject[]): string | null {
	if (body.status === 'incomplete') {
		const reason = asText(asObject(body.incomplete_details)?.reason);
		// §3.3: a response is incomplete when it reached the token limit.
		return reason === undefined || reason === 'max_output_tokens' ? 'length' : reason;
	}
	if (body.status !== 'completed') return asText(body.status) ?? null;
	return items.some((item) => item.type === 'function_call') ? 'tool_calls' : 'stop';
}

function readUsage(usage: JsonObject | undefined): TextResult['usage'] {
	return {
		inputTokens: asNumber(usage?.input_tokens) ?? null,
		outputTokens: asNumber(usage?.output_tokens) ?? null,
		totalTokens: asNumber(usage?.total_tokens) ?? null,
		cachedInputTokens: asNumber(asObject(usage?.input_tokens_details)?.cached_tokens) ?? null,
		reasoningTokens: asNumber(asObject(usage?.output_tokens_details)?.reasoning_tokens) ?? null,
	};
}
