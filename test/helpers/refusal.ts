import { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';

/** The refusal of input that `work` throws. */
export function refusal(work: () => unknown): InvalidInputError {
	try {
		work();
	} catch (error) {
		if (error instanceof InvalidInputError) return error;
		throw error;
	}
	throw new Error('it was not refused');
}
