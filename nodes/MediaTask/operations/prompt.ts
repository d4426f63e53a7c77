import type { InputForm } from '../../shared/gateway/media/inputSchema';
import { promptField } from '../../shared/gateway/media/promptField';
import type { JsonObject } from '../../shared/gateway/util/json';
import { filled, isUnset, text } from '../../shared/params/kinds';
import type { Parameter } from '../../shared/params/parameter';

const LABEL = 'Prompt';

/**
 * The text from which the model works: a parameter of its own, because n8n's form has only one line for a text, and is
 * emptied when the model changes. `undefined` where the panel does not show it.
 *
 * @param what what it says, without a full stop
 */
export function promptParameter(what: string, example: string): Parameter<string | undefined> {
	return filled(
		text({
			displayName: LABEL,
			rows: 4,
			placeholder: `e.g. ${example}`,
			description: `${what}. A prompt in 'Input (JSON)' overrides it.`,
		}),
	);
}

/** The prompt of tasks. */
export const taskPrompt = promptParameter('What to generate', 'A lighthouse in a winter storm');

/** Whether the user has entered a prompt. */
export function hasText(given: string | undefined): given is string {
	return given !== undefined && given.trim() !== '';
}

/**
 * Puts the prompt into the model's field for it, unless the input has a value there.
 *
 * @param form the model's fields; `undefined` when they are unknown
 */
export function withPrompt(
	values: JsonObject,
	given: string | undefined,
	form: InputForm | undefined,
): JsonObject {
	if (!hasText(given)) return values;
	const name = (form && promptField(form)?.name) ?? 'prompt';
	return isUnset(values[name]) ? { ...values, [name]: given } : values;
}

/** The fields with the panel's label for the prompt, for errors. */
export function withPromptLabel(form: InputForm): InputForm {
	const prompt = promptField(form);
	const fields = form.fields.map((field) => (field === prompt ? { ...field, title: LABEL } : field));
	return { ...form, fields };
}
