/** The beginning of a text, with an ellipsis if it is cut. By default, enough of a response to recognize it in an error. */
export function excerpt(text: string, maxCharacters = 300): string {
	return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

/** A time in words, such as `45 seconds` or `2.5 minutes`; in seconds below two minutes: "0 minutes" says nothing. */
export function duration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 100) / 10;
	if (seconds >= 120) return `${Math.round(milliseconds / 6_000) / 10} minutes`;
	return seconds === 1 ? '1 second' : `${seconds >= 10 ? Math.round(seconds) : seconds} seconds`;
}

/** What separates URLs in a text: the end of a line, or a comma before the next URL. A URL may contain commas. */
export const BETWEEN_URLS = /[\r\n]|,(?=\s*(?:https?:|data:|$))/i;
