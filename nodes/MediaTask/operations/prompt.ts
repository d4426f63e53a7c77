import type { InputForm } from '../../shared/gateway/media/inputSchema';
import { promptField } from '../../shared/gateway/media/promptField';
import type { JsonObject } from '../../shared/gateway/util/json';
import { filled, isUnset, text } from '../../shared/params/kinds';
import type { Parameter } from '../../shared/params/parameter';

/**
 * The text from which the model works: a parameter of its own, because n8n's form has only one line for a text, and is
 * emptied when the model changes. `undefined` where the panel does not show it.
 *
 * @param what what it says, without a full stop
 */
export function promptParameter(what: string, example: string): Parameter<string | undefined> {
	return filled(
		text({
			displayName: 'Prompt',
			rows: 4,
			placeholder: `e.g. ${example}`,
			description: `${what}. A prompt in 'Input (JSON)' overrides it.`,
		}),
	);
}

/** The prompt of tasks. */
export const taskPrompt = promptParameter('What to generate', 'A lighthouse in a winter storm');

/**
 * Puts the prompt into the model's field for it, unless the input has a value there.
 *
 * @param given not empty
 */
export function withPrompt(values: JsonObject, given: string, form: InputForm): JsonObject {
	const name = promptField(form)?.name ?? 'prompt';
	return isUnset(values[name]) ? { ...values, [name]: given } : values;
}
