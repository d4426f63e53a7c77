import { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';

/** The invalid input error that `work` throws. */
export function invalidInput(work: () => unknown): InvalidInputError {
	try {
		work();
	} catch (error) {
		if (error instanceof InvalidInputError) return error;
		throw error;
	}
	throw new Error('it did not throw');
}
