import { InvalidInput } from '../../nodes/shared/gateway/errors/errors';

/** The refusal of input that `work` throws. */
export function refusal(work: () => unknown): InvalidInput {
	try {
		work();
	} catch (error) {
		if (error instanceof InvalidInput) return error;
		throw error;
	}
	throw new Error('it was not refused');
}
