import { asId, asObject, asText, parseJson } from '../util/json';

/** The fields of an error body in any of the four formats of §7.1. */
export interface ErrorBody {
	/** For people; unstable, so no code depends on it. */
	serverMessage?: string | undefined;
	code?: string | undefined;
	type?: string | undefined;
	param?: string | undefined;
}

/**
 * Reads an error body of any of the formats of §7.1: OpenAI-style `{error: {message, type, param, code}}`, messages
 * `{type: 'error', error: {type, message}}`, media envelope `{code, msg, data}`, storage `{error: {message, type}}`.
 * Recognizes the format by its shape, not by the endpoint: authentication errors are OpenAI-style everywhere. Returns
 * an empty object for anything else (HTML, empty, truncated). Never throws.
 */
export function parseErrorBody(text: string): ErrorBody {
	const body = asObject(parseJson(text));
	if (!body) return {};
	const error = asObject(body.error);
	if (error) {
		return {
			serverMessage: asText(error.message),
			code: asId(error.code),
			type: asText(error.type),
			param: asText(error.param),
		};
	}
	return { serverMessage: asText(body.msg) ?? asText(body.message) ?? asText(body.error) };
}
