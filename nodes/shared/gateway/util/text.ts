/** The beginning of a text, with an ellipsis if it is cut. By default, enough of a response to recognize it in an error. */
export function excerpt(text: string, maxCharacters = 300): string {
	return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

/**
 * A time in words, in seconds below two minutes: "0 minutes" says nothing.
 *
 * @param milliseconds at least 0
 * @returns e.g. `45 seconds`, `2.5 minutes`
 */
export function duration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 100) / 10;
	if (seconds >= 120) return `${Math.round(milliseconds / 6_000) / 10} minutes`;
	return seconds === 1 ? '1 second' : `${seconds >= 10 ? Math.round(seconds) : seconds} seconds`;
}
