/** The beginning of a text, with an ellipsis if it is cut. By default, enough of a response to recognize it in an error. */
export function excerpt(text: string, maxCharacters = 300): string {
	return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

/** Replaces `<`: n8n renders errors and hints as HTML, and drops what looks like a tag. */
export function inHtml(text: string): string {
	return text.replaceAll('<=', '≤').replaceAll('<', '‹');
}

export const DAY_MS = 24 * 3_600_000;

/** A time in words, such as `45 seconds` or `2.5 minutes`; in seconds below two minutes: "0 minutes" says nothing. */
export function duration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 100) / 10;
	if (seconds >= 120) return `${Math.round(milliseconds / 6_000) / 10} minutes`;
	return counted(seconds >= 10 ? Math.round(seconds) : seconds, 'second');
}

/** A number with its noun, which may have a verb behind it: `1 item was`, or `2 items were`. */
export function counted(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}

/** The first of some words, and how many others there are. */
export function listed(words: readonly string[], most = 20): string {
	const others = words.length > most ? [`and ${words.length - most} more`] : [];
	return [...words.slice(0, most), ...others].join(', ');
}

export function isWebAddress(text: string): boolean {
	return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}

/** What separates URLs in a text: the end of a line, or a comma before the next URL. A URL may contain commas. */
export const BETWEEN_URLS = /[\r\n]|,(?=\s*(?:https?:|data:|$))/i;

/** Text without trailing characters that match `cut`, one character each. A pattern such as `/0+$/` takes quadratic time. */
export function trimmedEnd(text: string, cut: RegExp): string {
	let end = text.length;
	while (end > 0 && cut.test(text.charAt(end - 1))) end -= 1;
	return text.slice(0, end);
}

/** The expressions of a template such as `=Describe {{ $json.name }}`, with their braces, and the text around them. */
export function templateParts(template: string): { expressions: string[]; around: string } {
	const expressions: string[] = [];
	let around = '';
	let at = template.startsWith('=') ? 1 : 0;
	// n8n takes braces behind a backslash as text.
	const unescaped = template.replace(/\\(?:\{\{|\}\})/g, '   ');
	for (;;) {
		const start = unescaped.indexOf('{{', at);
		const end = start === -1 ? -1 : unescaped.indexOf('}}', start + 2);
		if (end === -1) return { expressions, around: around + template.slice(at) };
		around += template.slice(at, start);
		at = end + 2;
		expressions.push(template.slice(start, at));
	}
}

/** An ID in a path: one with a part such as `..`, also percent-encoded, could reach another endpoint. */
export const ID = /^(?!(?:.*\/)?\.{0,2}(?:\/|$))[^\\%\p{Cc}\p{Cs}]+$/u;
