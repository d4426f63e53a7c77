import { ApiError, InvalidInputError, UNREADABLE } from '../errors/errors';

/** The error for a successful response without something that the specification shows. */
export function missingInResponse(what: string): ApiError {
	return new ApiError({
		message: `The gateway’s response has no ${what}`,
		description:
			'It responded with success, but not in the shape that its specification shows. Check the base URL in the AI Gateway credential.',
		outcome: 'rejected',
		kind: 'read',
		code: UNREADABLE,
		retryable: false,
	});
}

/**
 * An ID as a segment of a path.
 *
 * @param label its name in the panel
 * @throws {InvalidInputError} for "." and "..", which change the path however they are encoded
 */
export function pathSegment(id: string, label: string, param: string): string {
	if (id !== '.' && id !== '..') return encodeURIComponent(id);
	throw new InvalidInputError(`"${id}" is not a ${label}`, 'Enter the ID that the gateway returned.', param);
}
