import { defineOperation } from '../../../shared/run/operation';
import { generateOptions, generateParameters } from './fields';
import { generateText, planText } from './generateText';
import { prepareText } from './parameters';

export const generate = defineOperation({
	displayName: 'Generate',
	action: 'Generate text',
	description: 'Ask a model for text: returns its response, the tokens used and the cost',
	toolDescription:
		'Asks another language model for a text, such as an answer, a summary or a translation. It knows only what the prompt says. Returns the text and the cost in rubles.',
	parameters: generateParameters,
	options: generateOptions,
	plan: (item) => planText(prepareText(item)),
	execute: generateText,
});
