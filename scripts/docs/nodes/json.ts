/** Wider JSON is written on several lines. */
const WIDTH = 96;
/** Longer lists of numbers are cut after this many. */
const LONG_LIST = 12;
const SHOWN = 4;

/**
 * Formatted JSON: short values are on one line, and long lists of numbers are cut.
 *
 * @param indent blanks before the following lines
 */
export function readableJson(value: unknown, indent = 0): string {
	const line = oneLine(value);
	if (value === null || typeof value !== 'object' || indent + line.length <= WIDTH) return line;
	const inner = ' '.repeat(indent + 2);
	const [open, close] = Array.isArray(value) ? '[]' : '{}';
	const parts = Array.isArray(value)
		? value.map((one: unknown) => readableJson(one, indent + 2))
		: Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${readableJson(one, indent + 2)}`);
	return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${' '.repeat(indent)}${close}`;
}

export function oneLine(value: unknown): string {
	if (Array.isArray(value)) return `[${shortened(value).join(', ')}]`;
	if (value === null || typeof value !== 'object') return JSON.stringify(value);
	const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${oneLine(one)}`);
	return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function shortened(list: readonly unknown[]): string[] {
	const isLong = list.length > LONG_LIST && list.every((one) => typeof one === 'number');
	if (!isLong) return list.map(oneLine);
	return [...list.slice(0, SHOWN).map(oneLine), `… ${list.length - SHOWN} more`];
}
