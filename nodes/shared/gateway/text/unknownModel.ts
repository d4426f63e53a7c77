import type { TextModel } from '../endpoints/models';
import { ApiError, asError } from '../errors/errors';

const SUGGESTIONS = 3;

/** Ids are compared up to this length. */
const MAX_COMPARED = 120;

/**
 * What an unknown model could have meant, for the error of a call that the gateway refused with 404. Any other error
 * comes back as it is.
 *
 * @param known gives the catalogue; an empty one where it cannot be had
 */
export async function withModelHint(
	known: () => Promise<TextModel[]>,
	model: string,
	error: unknown,
): Promise<Error> {
	const failure = asError(error);
	if (!(failure instanceof ApiError) || failure.details.status !== 404) return failure;
	const ids = (await known()).map(({ id }) => id);
	if (ids.length === 0 || ids.includes(model)) return failure;
	const close = similarIds(model, ids);
	const hint =
		close.length > 0 ? `Close to "${model}" are: ${close.join(', ')}.` : `The catalogue has no "${model}".`;
	return failure.with({ description: `${failure.details.description} ${hint}` });
}

/** The ids that look most like `id`, best first; those that have too little in common are left out. */
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
