import { asNumber, type JsonObject } from '../util/json';
import { limitsIn } from './cost';
import type { Choice } from './formats/completion';
import { DEFAULT_MAX_TOKENS, type TextFormat } from './formats/format';

/** Finish reasons of a text that is cut off or filtered: the first of each is the formats', the others providers'. */
const CUT_OFF = ['length', 'max_tokens', 'max_output_tokens', 'model_context_window_exceeded'];
const FILTERED = ['content_filter', 'refusal', 'safety'];

const isOneOf = (words: readonly string[], { finishReason }: Pick<Choice, 'finishReason'>) =>
	words.includes(finishReason?.toLowerCase() ?? '');

/** Whether a choice is cut off or filtered. A word that is not known says nothing. */
export function isIncomplete(choice: Pick<Choice, 'finishReason'>): boolean {
	return isOneOf([...CUT_OFF, ...FILTERED], choice);
}

/** What to do about choices of this body that are cut off or filtered; `undefined` if there are none. */
export function incompleteHint(
	choices: ReadonlyArray<Pick<Choice, 'finishReason'>>,
	body: JsonObject,
	format: Pick<TextFormat, 'cost'>,
): string | undefined {
	if (choices.some((choice) => isOneOf(FILTERED, choice)))
		return 'The text is not complete: a content filter stopped it. Rephrase the prompt, or choose another model.';
	if (!choices.some((choice) => isOneOf(CUT_OFF, choice))) return undefined;
	const [limit] = limitsIn(body, format).flatMap((value) => asNumber(value) ?? []);
	if (limit === undefined)
		return 'The text is cut off: the model reached its own limit. Ask for less, or choose another model.';
	const cut = `The text is cut off at ${limit.toLocaleString('en')} tokens.`;
	return limit === DEFAULT_MAX_TOKENS
		? `${cut} Raise 'Max Tokens': without it, this is the limit where the API format needs one, and with 'Max Cost per Execution (Rubles)' or 'Minimum Balance (Rubles)'.`
		: `${cut} Raise or remove the option 'Max Tokens'.`;
}
