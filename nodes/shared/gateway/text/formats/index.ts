import { chat } from './chat';
import type { TextFormat } from './format';
import { messages } from './messages';
import { responses } from './responses';

/** The wire formats; the first is the default. A new one is a folder, a line here, and its endpoint. */
export const textFormats: readonly [TextFormat, ...TextFormat[]] = [chat, responses, messages];

export function textFormat(name: string): TextFormat {
	return textFormats.find((format) => format.name === name) ?? textFormats[0];
}
