import type { TextModel } from '../endpoints/models';
import { ApiError, asError } from '../errors/errors';

const SUGGESTIONS = 3;

/** Characters of an id that are compared. */
const MAX_COMPARED = 120;

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

/** The ids most similar to `id`, best first; none that have too little in common. */
export function similarIds(id: string, ids: readonly string[]): string[] {
	const wanted = id.slice(0, MAX_COMPARED);
	return ids
		.map((candidate) => ({ candidate, likeness: likeness(wanted, candidate.slice(0, MAX_COMPARED)) }))
		.filter(({ likeness: value }) => value >= 0.35)
		.sort((a, b) => b.likeness - a.likeness)
		.slice(0, SUGGESTIONS)
		.map(({ candidate }) => candidate);
}

/** Dice's coefficient of the pairs of letters: 1 for equal texts, 0 for those that share none. */
function likeness(a: string, b: string): number {
	const [first, second] = [pairs(a), pairs(b)];
	const total = first.length + second.length;
	if (total === 0) return 0;
	const left = [...second];
	let shared = 0;
	for (const pair of first) {
		const at = left.indexOf(pair);
		if (at === -1) continue;
		left.splice(at, 1);
		shared += 1;
	}
	return (2 * shared) / total;
}

function pairs(text: string): string[] {
	const letters = text.toLowerCase();
	return Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) =>
		letters.slice(index, index + 2),
	);
}
