/** Token counting: a token is four characters. */
const charactersPerToken = 4;

export function countTokens(text: string): number {
	return Math.ceil(text.length / charactersPerToken);
}

/** The beginning of the text within this number of tokens; no character is split. */
export function firstTokens(text: string, tokens: number): string {
	let end = Math.max(0, tokens) * charactersPerToken;
	const last = text.charCodeAt(end - 1);
	if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
	return text.slice(0, end);
}

/** The text in words, each with the space before it; joined they are the text again. */
export function splitWords(text: string): string[] {
	return text.match(/\s*\S+|\s+$/g) ?? [];
}
