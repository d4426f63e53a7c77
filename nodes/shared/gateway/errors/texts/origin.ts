/** What a user reads about an error: what happened, and what to do about it. */
export interface ErrorText {
	message: string;
	description: string;
}

/**
 * Where a request comes from, which decides what advice can name: action nodes have all options of requests; the chat model
 * leaves how much is asked at a time to the node that uses it; triggers, and the editor with its lists, forms and tests
 * of credentials, have none.
 */
export type Origin = 'action' | 'chatModel' | 'trigger' | 'editor';

/** A text whose advice names options. What it advises elsewhere than in action nodes stands beside it. */
export interface TextByOrigin extends ErrorText {
	elsewhere?: Readonly<Record<Exclude<Origin, 'action'>, string>>;
}

/** The text with the advice that fits where the request comes from. */
export function textFor({ message, description, elsewhere }: TextByOrigin, origin?: Origin): ErrorText {
	const others: Readonly<Partial<Record<Origin, string>>> = elsewhere ?? {};
	return { message, description: (origin && others[origin]) ?? description };
}
