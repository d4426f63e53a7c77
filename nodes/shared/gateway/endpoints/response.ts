import { ApiError, UNREADABLE } from '../errors/errors';
import { withServerMessage } from '../errors/fromResponse';
import { asObject, asText, type JsonObject } from '../util/json';

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
