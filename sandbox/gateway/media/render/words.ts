/** The text of a media input, under any field name. */
import type { JsonObject } from '../../jsonSchema';

export function promptOf(input: JsonObject): string {
	const { prompt, text } = input;
	if (typeof prompt === 'string') return prompt;
	return typeof text === 'string' ? text : '';
}
