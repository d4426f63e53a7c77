import { ApiError, InvalidInputError } from '../errors/errors';

/** Code of a successful answer that cannot be used. */
export const UNREADABLE = 'unreadable_answer';

/** The failure for a successful answer that lacks what the specification shows in it. */
export function missingInResponse(what: string): ApiError {
	return new ApiError({
		message: `The gateway’s answer has no ${what}`,
		description:
			'It answered with success, but not in the shape that its specification shows. Check the base URL in the AI Gateway credential.',
		delivery: 'responded',
		code: UNREADABLE,
		retryable: false,
	});
}

/**
 * An id as a part of a path.
 *
 * @param label what the panel calls it
 * @throws {InvalidInputError} for "." and "..", which lead to another address whatever is done to encode them
 */
export function pathSegment(id: string, label: string, param: string): string {
	if (id === '.' || id === '..') {
		throw new InvalidInputError(
			`"${id}" is not a ${label}`,
			'Give the ID that the gateway gave. Nothing was sent.',
			param,
		);
	}
	return encodeURIComponent(id);
}
