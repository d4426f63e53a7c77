import { ApiError, InvalidInputError, UNREADABLE } from '../errors/errors';
import { withServerMessage } from '../errors/fromResponse';
import { asObject, asText, type JsonObject } from '../util/json';

/**
 * The error for a successful response without something that the specification shows.
 *
 * @param body its `error`, a text or an object with a message, is part of the description
 */
export function missingInResponse(what: string, { error = null }: JsonObject = {}): ApiError {
	return new ApiError({
		message: `The gateway’s response has no ${what}`,
		description: withServerMessage(
			'It responded with success, but not in the shape that its specification shows. Check the base URL in the AI Gateway credential.',
			asText(error) ?? asText(asObject(error)?.message),
		),
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
