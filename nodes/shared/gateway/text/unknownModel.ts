import type { TextModel } from '../endpoints/models';
import { ApiError, asError } from '../errors/errors';
import { withServerMessage } from '../errors/fromResponse';

const SUGGESTIONS = 3;

/** Characters of an id that are compared. */
const MAX_COMPARED = 120;

/**
 * Adds similar model ids to the error of a request with an unknown model (404). §7.3 has the same code for an unknown
 * response: the catalogue tells them apart. Returns any other error unchanged.
 *
 * @param known returns the catalogue; empty if it is not available
 * @param continued the label of the option that names an earlier response or conversation, if it is set
 */
export async function withModelHint(
	known: () => Promise<TextModel[]>,
	model: string,
	error: unknown,
	continued?: string,
): Promise<Error> {
	if (!(error instanceof ApiError) || error.details.status !== 404) return asError(error);
	const ids = (await known()).map(({ id }) => id);
	const mayBeModel = ids.length === 0;
	if (continued !== undefined && (mayBeModel || ids.includes(model)))
		return unknownResponse(error, continued, mayBeModel);
	if (ids.length === 0 || ids.includes(model)) return error;
	const close = similarIds(model, ids);
	const hint =
		close.length > 0
			? `The catalogue has no "${model}". Similar models: ${close.join(', ')}.`
			: `The catalogue has no "${model}".`;
	return error.with({ description: `${error.details.description} ${hint}` });
}

function unknownResponse(error: ApiError, option: string, mayBeModel: boolean): ApiError {
	const what = mayBeModel ? 'the model or the earlier response' : 'the earlier response';
	const description = `Check the option '${option}': what it names was not stored, or belongs to another account.`;
	return error.with({
		message: `The gateway does not know ${what}`,
		description: withServerMessage(description, error.details.serverMessage),
	});
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
