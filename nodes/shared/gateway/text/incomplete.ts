import { asNumber, type JsonObject } from '../util/json';
import { excerpt } from '../util/text';
import { limitsIn } from './cost';
import { isEmpty, type Completion, type ModelOutput } from './formats/completion';
import type { TextFormat } from './formats/format';

/** What finish reasons say, in the words of the formats and of providers, in lower case. */
// prettier-ignore
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
	whole: [
		'stop', 'tool_calls', 'function_call', 'end_turn', 'stop_sequence', 'tool_use', 'complete', 'tool_call', 'eos',
		'eos_token',
	],
	cutOff: ['length', 'max_tokens', 'max_output_tokens', 'model_context_window_exceeded', 'model_length'],
	filtered: [
		'content_filter', 'refusal', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii', 'image_safety',
		'content_filtered', 'guardrail_intervened', 'sensitive', 'blacklist',
	],
};

type Ended = Pick<ModelOutput, 'finishReason'> & Partial<Pick<ModelOutput, 'refusal'>>;

function meaningOf({ finishReason, refusal = '' }: Ended): string | undefined {
	if (refusal !== '') return 'filtered';
	const word = finishReason?.toLowerCase() || 'stop';
	return Object.entries(MEANINGS).find(([, known]) => known.includes(word))?.[0];
}

/** Whether a completion is cut off or filtered; false for a word that is not known. */
export function isIncomplete(ended: Ended): boolean {
	return ['cutOff', 'filtered'].includes(meaningOf(ended) ?? '');
}

/** Whether the model has refused, or a filter has stopped it. */
export function isFiltered(ended: Ended): boolean {
	return meaningOf(ended) === 'filtered';
}

/** What the user is to know of a completion; `body` is that of the request. */
export function completionHint(
	completion: Completion,
	body: JsonObject,
	format: TextFormat,
): string | undefined {
	const said = incompleteHint(completion, body, format) ?? emptyHint(completion) ?? noEndHint(completion);
	return [said, completion.hint].filter(Boolean).join(' ') || undefined;
}

function emptyHint(completion: Completion): string | undefined {
	if (!isEmpty(completion)) return undefined;
	const rest = completion.reasoning === '' ? '' : ', only reasoning';
	return `The response is complete, but it has no text${rest}. Change the prompt, or choose another model.`;
}

/** §6.2 shows no stream of chat completions that ends without both. */
function noEndHint({ finishReason, usage, costRub }: Completion): string | undefined {
	if (finishReason !== null || usage.outputTokens !== null || costRub !== null) return undefined;
	return 'The response does not say why it ended, nor what it cost: its text may not be complete. Check the text.';
}

export function incompleteHint(ended: Ended, body: JsonObject, format: TextFormat): string | undefined {
	const meaning = meaningOf(ended);
	if (meaning === 'whole') return undefined;
	if (meaning === 'filtered')
		return 'The text is not complete: the model refused, or a content filter stopped it. Rephrase the prompt, or choose another model.';
	if (meaning === undefined)
		return `The text may not be complete: the model gives “${excerpt(ended.finishReason ?? '')}” as the reason why it ended. Check the text.`;
	const [limit] = limitsIn(body, format).flatMap((value) => asNumber(value) ?? []);
	if (limit === undefined)
		return 'The text is cut off: the model reached its own limit. Ask for less, or choose another model.';
	return `The text is cut off at ${limit.toLocaleString('en')} tokens. Raise the option 'Max Tokens'.`;
}
