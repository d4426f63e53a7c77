/** Enough of a response to recognize it, short enough for an error message. */
const MAX_CHARACTERS = 300;

/** The beginning of a text, with an ellipsis if it is cut. */
export function excerpt(text: string, maxCharacters = MAX_CHARACTERS): string {
	return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
