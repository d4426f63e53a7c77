import { asId, asObject, asText, parseJson } from '../util/json';

/** The facts of an error body, whichever of the four formats of §7.1 it has. */
export interface ErrorBody {
	/** Human text of the server; unstable, to be shown, never to be branched on. */
	serverMessage?: string | undefined;
	code?: string | undefined;
	type?: string | undefined;
	param?: string | undefined;
}

/**
 * Reads an error body of any of the formats of §7.1: OpenAI-style `{error: {message, type, param, code}}`, messages
 * `{type: 'error', error: {type, message}}`, media envelope `{code, msg, data}`, storage `{error: {message, type}}`.
 * The format is told by its shape, not by the endpoint: authentication failures are OpenAI-style everywhere.
 * Anything else (HTML, empty, cut off) gives an empty result. Never throws.
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
