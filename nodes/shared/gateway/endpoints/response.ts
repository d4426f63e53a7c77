import { ApiError, UNREADABLE, InvalidInputError } from '../errors/errors';
import { withServerMessage } from '../errors/fromResponse';
import { asObject, asText, type JsonObject } from '../util/json';
import { ID } from '../util/text';

/** The error for a successful response without something that the specification shows. It has the words of its `error` or `msg`. */
export function missingInResponse(what: string, { error = null, msg }: JsonObject = {}): ApiError {
	return new ApiError({
		message: `The gateway’s response has no ${what}`,
		description: withServerMessage(
			'It responded with success, but not in the shape that its specification shows. Check the base URL in the AI Gateway credential.',
			asText(error) ?? asText(asObject(error)?.message) ?? asText(msg),
		),
		outcome: 'rejected',
		kind: 'read',
		code: UNREADABLE,
		retryable: false,
	});
}

/** The path of a task or a file. @throws {InvalidInputError} for what is no ID */
export function idPath(parent: string, id: string): string {
	if (ID.test(id)) return `${parent}/${encodeURIComponent(id)}`;
	throw new InvalidInputError(`"${id}" is not an ID`, 'Enter the ID exactly as the gateway returned it.');
}
