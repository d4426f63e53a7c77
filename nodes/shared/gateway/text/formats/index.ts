import { InvalidInputError } from '../../errors/errors';
import { chat } from './chat';
import type { TextFormat } from './format';
import { messages } from './messages';
import { responses } from './responses';

/** The wire formats; the first is the default. A new one is a folder and a line here. */
export const textFormats: readonly [TextFormat, ...TextFormat[]] = [chat, responses, messages];

export function textFormat(name: string): TextFormat {
	const format = textFormats.find((candidate) => candidate.name === name);
	if (!format)
		throw new InvalidInputError(`There is no API format "${name}"`, 'Choose one from the list.', 'format');
	return format;
}
