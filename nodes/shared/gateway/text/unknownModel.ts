import type { TextModel } from '../endpoints/models';
import { ApiError, asError } from '../errors/errors';

/**
 * The error of a request, with the gateway's own words as its message if it says that it does not know the model, and
 * the catalogue has it: §7.3 has the same code for an unknown response.
 *
 * @param known returns the catalogue; empty if it is not available
 */
export async function withModelHint(
	known: () => Promise<TextModel[]>,
	model: string,
	error: unknown,
): Promise<Error> {
	if (!(error instanceof ApiError) || error.details.status !== 404) return asError(error);
	const { message, serverMessage = message } = error.details;
	const isKnown = (await known()).some(({ id }) => id === model);
	return isKnown ? error.with({ message: serverMessage }) : error;
}
