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

export interface TokenLogprob {
	token: string;
	logprob: number;
	bytes: number[];
}

/** Invented but stable probabilities, with this many alternatives each (§2.4). */
export function logprobsOf(
	text: string,
	alternatives: number,
): Array<TokenLogprob & { top_logprobs: TokenLogprob[] }> {
	return splitWords(text).map((token, index) => {
		const entry = logprob(token, -0.05 * ((index % 7) + 1));
		const others = Array.from({ length: Math.max(0, alternatives - 1) }, (_, rank) =>
			logprob(`${token}${'~'.repeat(rank + 1)}`, entry.logprob - rank - 1),
		);
		return { ...entry, top_logprobs: alternatives > 0 ? [entry, ...others] : [] };
	});
}

function logprob(token: string, value: number): TokenLogprob {
	return { token, logprob: Number(value.toFixed(4)), bytes: [...Buffer.from(token)] };
}
