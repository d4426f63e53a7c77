import type { TextModel } from '../endpoints/models';
import { ApiError, asError } from '../errors/errors';

/**
 * Adds similar model ids to the error of a request with an unknown model (404). §7.3 has the same code for an unknown
 * response: where the catalogue has the model, the gateway's own words are the message. Returns any other error
 * unchanged.
 *
 * @param known returns the catalogue; empty if it is not available
 */
export async function withModelHint(
	known: () => Promise<TextModel[]>,
	model: string,
	error: unknown,
): Promise<Error> {
	if (!(error instanceof ApiError) || error.details.status !== 404) return asError(error);
	const { message, description, serverMessage = message } = error.details;
	const ids = (await known()).map(({ id }) => id);
	if (ids.length === 0) return error;
	if (ids.includes(model)) return error.with({ message: serverMessage });
	const close = similarIds(model, ids);
	const similar = close.length > 0 ? ` Similar models: ${close.join(', ')}.` : '';
	return error.with({ description: `${description} The catalogue has no "${model}".${similar}` });
}

/** The ids that share at least half of the words of `id`, best first. */
export function similarIds(id: string, ids: readonly string[]): string[] {
	const words = wordsOf(id);
	const shared = (other: string) => wordsOf(other).filter((word) => words.includes(word)).length;
	const similar = ids.filter((other) => shared(other) * 2 >= words.length);
	return similar.sort((a, b) => shared(b) - shared(a)).slice(0, 3);
}

const wordsOf = (id: string) => [...new Set(id.toLowerCase().split(/[^a-z0-9]+/))];
