import { asNumber, type JsonObject } from '../util/json';
import { excerpt } from '../util/text';
import { limitsIn } from './cost';
import type { Choice } from './formats/completion';
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

type Ended = Pick<Choice, 'finishReason'> & Partial<Pick<Choice, 'refusal'>>;

function meaningOf({ finishReason, refusal = '' }: Ended): string | undefined {
	if (refusal !== '') return 'filtered';
	const word = finishReason?.toLowerCase() || 'stop';
	return Object.entries(MEANINGS).find(([, known]) => known.includes(word))?.[0];
}

/** Whether a choice is cut off or filtered; false for a word that is not known. */
export function isIncomplete(choice: Ended): boolean {
	return ['cutOff', 'filtered'].includes(meaningOf(choice) ?? '');
}

/** What to do about choices that are, or may be, cut off or filtered, if there are any. */
export function incompleteHint(
	choices: readonly Ended[],
	body: JsonObject,
	format: Pick<TextFormat, 'cost'>,
): string | undefined {
	const meanings = choices.map(meaningOf);
	if (meanings.includes('filtered'))
		return 'The text is not complete: the model refused, or a content filter stopped it. Rephrase the prompt, or choose another model.';
	if (!meanings.includes('cutOff')) {
		const reason = choices[meanings.indexOf(undefined)]?.finishReason;
		return reason
			? `The text may not be complete: the model gives “${excerpt(reason)}” as the reason why it ended. Check the text.`
			: undefined;
	}
	const [limit] = limitsIn(body, format).flatMap((value) => asNumber(value) ?? []);
	if (limit === undefined)
		return 'The text is cut off: the model reached its own limit. Ask for less, or choose another model.';
	return `The text is cut off at ${limit.toLocaleString('en')} tokens. Raise the option 'Max Tokens'.`;
}
