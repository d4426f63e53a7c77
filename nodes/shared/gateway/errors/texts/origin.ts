/** What a user reads about an error: what happened, and what to do about it. */
export interface ErrorText {
	message: string;
	description: string;
}

/**
 * Where a request comes from. Decides which options a hint can name: action nodes have all of them; for the
 * chat model, the agent or chain sets the batch size; triggers and the editor (lists, forms, credential
 * tests) have none.
 */
export type Origin = 'action' | 'chatModel' | 'trigger' | 'editor';

/** A text whose hint names options. `elsewhere` has the hints for other origins than action nodes. */
export interface TextByOrigin extends ErrorText {
	elsewhere?: Readonly<Partial<Record<Origin, string>>>;
}

/** The text with the hint for the origin. */
export function textFor({ message, description, elsewhere }: TextByOrigin, origin?: Origin): ErrorText {
	return { message, description: (origin && elsewhere?.[origin]) ?? description };
}
