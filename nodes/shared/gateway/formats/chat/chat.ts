import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../json';
import { expectAnswer, wireOptions, type TextFormat, type TextRequest, type TextResult } from '../format';

/** §4.2. */
const fields = {
	maxTokens: { name: 'max_tokens', min: 1 },
	temperature: { name: 'temperature', min: 0, max: 2 },
	topP: { name: 'top_p', min: 0, max: 1 },
} satisfies TextFormat['fields'];

/** The chat format: `POST /chat/completions` (§4.2, §2.4). */
export const chat: TextFormat = {
	name: 'chat',
	label: 'Chat Completions',
	description: 'The most widely supported format; reports the cost',
	group: 'text',
	path: '/chat/completions',
	headers: {},
	fields,
	toBody,
	readResponse,
};

function toBody({ model, systemPrompt, prompt, options }: TextRequest): JsonObject {
	return {
		model,
		messages: [
			...(systemPrompt ? [{ role: 'system', content: systemPrompt }] : []),
			{ role: 'user', content: prompt },
		],
		...wireOptions(fields, options),
	};
}

function readResponse(body: JsonObject): TextResult {
	expectAnswer(body, 'choices');
	const choice = asObjects(body.choices)[0];
	const message = asObject(choice?.message);
	const reasoning = asText(message?.reasoning);
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		text: readContent(message?.content),
		...(reasoning === undefined ? {} : { reasoning }),
		finishReason: asText(choice?.finish_reason) ?? null,
		usage: readUsage(asObject(body.usage)),
		costRub: readCost(asObject(body.usage)),
	};
}

/** A message's content is text or, with some models, an array of parts. */
function readContent(content: unknown): string {
	return (
		asText(content) ??
		asObjects(content)
			.map((part) => asText(part.text) ?? '')
			.join('')
	);
}

function readUsage(usage: JsonObject | undefined): TextResult['usage'] {
	return {
		inputTokens: asNumber(usage?.prompt_tokens) ?? null,
		outputTokens: asNumber(usage?.completion_tokens) ?? null,
		totalTokens: asNumber(usage?.total_tokens) ?? null,
		cachedInputTokens: asNumber(asObject(usage?.prompt_tokens_details)?.cached_tokens) ?? null,
		reasoningTokens: asNumber(asObject(usage?.completion_tokens_details)?.reasoning_tokens) ?? null,
	};
}

/** §1: `cost_rub` and `cost` both are what the account paid. */
function readCost(usage: JsonObject | undefined): number | null {
	return asNumber(usage?.cost_rub) ?? asNumber(usage?.cost) ?? null;
}
