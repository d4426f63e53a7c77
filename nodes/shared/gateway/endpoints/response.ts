import { ApiFailure, InvalidInput } from '../errors/errors';

/** Code of a successful answer that cannot be used. */
export const UNREADABLE = 'unreadable_answer';

/** The failure for a successful answer that lacks what the specification shows in it. */
export function missingId(what: string): ApiFailure {
	return new ApiFailure({
		message: `The gateway’s answer has no ${what}`,
		description:
			'It answered with success, but not in the shape that its specification shows. Check the base URL in the AI Gateway credential.',
		arrival: 'answered',
		code: UNREADABLE,
		retryable: false,
	});
}

/**
 * An id as a part of a path.
 *
 * @param label what the panel calls it
 * @throws {InvalidInput} for "." and "..", which lead to another address whatever is done to encode them
 */
export function pathPart(id: string, label: string, param: string): string {
	if (id === '.' || id === '..') {
		throw new InvalidInput(
			`"${id}" is not a ${label}`,
			'Give the ID that the gateway gave. Nothing was sent.',
			param,
		);
	}
	return encodeURIComponent(id);
}
