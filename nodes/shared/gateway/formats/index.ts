import { chat } from './chat';
import type { TextFormat } from './format';
import { messages } from './messages';
import { responses } from './responses';

/** The wire formats, in the order in which users see them. A new one is a folder and a line here. */
export const textFormats: readonly TextFormat[] = [chat, responses, messages];

/** The format of this name. */
export function textFormat(name: string): TextFormat | undefined {
	return textFormats.find((format) => format.name === name);
}
