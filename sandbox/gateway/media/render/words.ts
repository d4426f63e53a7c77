/** What a media input says, whatever its model calls it. */
import type { JsonObject } from '../../jsonSchema';

export function promptOf(input: JsonObject): string {
	const { prompt, text } = input;
	if (typeof prompt === 'string') return prompt;
	return typeof text === 'string' ? text : '';
}
