import { textFor, type ErrorText, type Origin, type TextByOrigin } from './origin';
import { BY_CODE, BY_MESSAGES_TYPE } from './codes';
import {
	BAD_REQUEST,
	BUSY,
	CLIENT_CLOSED,
	FORBIDDEN,
	GATEWAY_TIMEOUT,
	INTERNAL,
	MODEL_TIMEOUT,
	NO_MONEY,
	WRONG_KEY,
} from './common';
import { BY_FILE_STATUS, BY_STORAGE_STATUS } from './files';
import { BY_MEDIA_STATUS } from './media';

export type { ErrorText };

/** Groups of endpoints in which a status means the same. */
export type EndpointGroup = 'text' | 'messages' | 'media' | 'storage' | 'balance' | 'catalogue' | 'file';

/** Texts by status, where neither the code nor the group has one. */
// prettier-ignore
const BY_STATUS: Readonly<Record<number, TextByOrigin>> = {
	400: BAD_REQUEST,
	401: WRONG_KEY,
	402: NO_MONEY,
	403: FORBIDDEN,
	404: { message: 'The gateway does not know this address or object',
		description: 'Check the base URL in the AI Gateway credential: it ends in /api/v1. If it is right, the object does not exist or belongs to another account.' },
	413: { message: 'The request is too large for the gateway',
		description: 'The gateway takes requests of up to 100 MB. Send less at once.' },
	422: { message: 'The gateway could not process the request',
		description: 'A value does not fit. Correct what the gateway names and run the node again.' },
	429: BUSY,
	499: CLIENT_CLOSED,
	500: INTERNAL,
	502: { message: 'The gateway could not reach the service behind it',
		description: 'Run the workflow again later.' },
	503: { message: 'The gateway is not available at the moment',
		description: 'Run the workflow again later.' },
	504: GATEWAY_TIMEOUT,
};

const BY_GROUP_STATUS: Partial<Record<EndpointGroup, Readonly<Record<number, TextByOrigin>>>> = {
	text: { 504: MODEL_TIMEOUT },
	messages: { 504: MODEL_TIMEOUT },
	media: BY_MEDIA_STATUS,
	storage: BY_STORAGE_STATUS,
	file: BY_FILE_STATUS,
};

/** What the text of an error response depends on. */
export interface ErrorInfo {
	group: EndpointGroup;
	status: number;
	code?: string | undefined;
	type?: string | undefined;
	origin?: Origin | undefined;
}

/**
 * The text for an error response: by `code` (§7.3), else by the stable `type` of the messages format (§7.4),
 * else by status within the endpoint group (§7.4, §7.5), else by status alone. Unknown codes and statuses
 * have a text, too.
 */
export function errorText(info: ErrorInfo): ErrorText {
	return textFor(fittingText(info), info.origin);
}

function fittingText({ group, status, code, type }: ErrorInfo): TextByOrigin {
	// This code is the same for all groups; its text is not.
	if (code === 'gateway_timeout') return byStatus(group, 504);
	const byCode = code === undefined ? undefined : own(BY_CODE, code);
	if (byCode) return byCode;
	// §7.4 lists 402 and 504 among the statuses of types that otherwise mean something else.
	if (group === 'messages' && status !== 402 && status !== 504) {
		const byType = own(BY_MESSAGES_TYPE, type ?? '');
		if (byType) return byType;
	}
	return byStatus(group, status);
}

function byStatus(group: EndpointGroup, status: number): TextByOrigin {
	return BY_GROUP_STATUS[group]?.[status] ?? BY_STATUS[status] ?? unlistedStatus(status);
}

function unlistedStatus(status: number): ErrorText {
	if (status >= 500) {
		return { ...INTERNAL, message: `The gateway could not handle the request (status ${status})` };
	}
	return {
		message: `The gateway refused the request with status ${status}`,
		description:
			'Check the parameters of the node and the base URL in the AI Gateway credential (it ends in /api/v1).',
	};
}

/** Ignores inherited properties: a server may send the code "constructor". */
function own(table: Readonly<Record<string, TextByOrigin>>, key: string): TextByOrigin | undefined {
	return Object.hasOwn(table, key) ? table[key] : undefined;
}
