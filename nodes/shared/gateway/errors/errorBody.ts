import { asId, asNumber, asObject, asText, parseJson } from '../util/json';
import { UNREADABLE } from './errors';

/** The fields of an error body in any of the four formats of §7.1. */
export interface ErrorBody {
	/** Whether the body has one of the formats. A proxy's error has none. */
	isKnown: boolean;
	/** For people; unstable, so no code depends on it. */
	serverMessage?: string | undefined;
	code?: string | undefined;
	type?: string | undefined;
	param?: string | undefined;
}

/**
 * Reads an error body of any of the formats of §7.1: OpenAI-style `{error: {message, type, param, code}}`, messages
 * `{type: 'error', error: {type, message}}`, media envelope `{code, msg, data}`, storage `{error: {message, type}}`.
 * Recognizes the format by its shape, not by the endpoint: authentication errors are OpenAI-style everywhere. A body
 * that is no JSON object, such as a proxy's page, has the code {@link UNREADABLE}. Never throws.
 */
export function parseErrorBody(text: string): ErrorBody {
	const body = asObject(parseJson(text));
	if (!body) return { isKnown: false, code: text.trim() === '' ? undefined : UNREADABLE };
	const { message, type, param, code } = asObject(body.error) ?? {};
	const isEnvelope = asNumber(body.code) !== undefined && typeof body.msg === 'string';
	return {
		// Load balancers send error objects with a numeric `code` only.
		isKnown: isEnvelope || (asText(type) ?? asText(code)) !== undefined,
		serverMessage: asText(message) ?? asText(body.msg) ?? asText(body.message) ?? asText(body.error),
		code: asId(code),
		type: asText(type),
		param: asText(param),
	};
}
