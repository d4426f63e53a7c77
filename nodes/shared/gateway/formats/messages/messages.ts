import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../json';
import { expectAnswer, wireOptions, type TextFormat, type TextRequest, type TextResult } from '../format';

/** §4.3. */
const fields = {
	maxTokens: { name: 'max_tokens', min: 1 },
	temperature: { name: 'temperature' },
	topP: { name: 'top_p' },
} satisfies TextFormat['fields'];

/** §4.3 requires `max_tokens`; used where the user sets none. Long enough for an article, no open bill. */
const DEFAULT_MAX_TOKENS = 4096;

/** The messages format: `POST /messages` (§4.3, §2.5). It reports no cost. */
export const messages: TextFormat = {
	name: 'messages',
	label: 'Messages',
	description: 'The format of another vendor; does not report the cost',
	group: 'messages',
	path: '/messages',
	// §9: the documented version.
	headers: { 'anthropic-version': '2023-06-01' },
	fields,
	toBody,
	readResponse,
};

function toBody({ model, systemPrompt, prompt, options }: TextRequest): JsonObject {
	return {
		model,
		...(systemPrompt ? { system: systemPrompt } : {}),
		messages: [{ role: 'user', content: prompt }],
		max_tokens: DEFAULT_MAX_TOKENS,
		...wireOptions(fields, options),
	};
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
	end_turn: 'stop',
	stop_sequence: 'stop',
	max_tokens: 'length',
	tool_use: 'tool_calls',
	refusal: 'content_filter',
};

function readResponse(body: JsonObject): TextResult {
	expectAnswer(body, 'content');
	const parts = asObjects(body.content);
	const reasoning = textOf(parts, 'thinking');
	const reason = asText(body.stop_reason);
	const usage = asObject(body.usage);
	const inputTokens = asNumber(usage?.input_tokens) ?? null;
	const outputTokens = asNumber(usage?.output_tokens) ?? null;
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		text: textOf(parts, 'text'),
		...(reasoning === '' ? {} : { reasoning }),
		finishReason: reason === undefined ? null : (FINISH_REASONS[reason] ?? reason),
		usage: {
			inputTokens,
			outputTokens,
			totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
			cachedInputTokens: null,
			reasoningTokens: null,
		},
		costRub: null,
	};
}

/** The texts of all parts of a type; each part keeps its text under the name of its type (§2.5). */
function textOf(parts: JsonObject[], type: string): string {
	return parts
		.filter((part) => part.type === type)
		.map((part) => asText(part[type]) ?? '')
		.join('');
}
