/** Enough of an answer to tell what it is, and no more than an error message can hold. */
const MAX_CHARACTERS = 300;

/** The beginning of a text, with an ellipsis where something is left out. */
export function excerpt(text: string, maxCharacters = MAX_CHARACTERS): string {
	return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
