import { BY_CODE, BY_MESSAGES_TYPE } from './codes';
import { BY_FILE_STATUS, BY_STORAGE_STATUS } from './files';
import { BY_MEDIA_STATUS } from './media';
import { BY_STATUS, TEXT_TIMEOUT, type ErrorText } from './statuses';

export type { ErrorText };

/** Groups of endpoints in which a status means the same. */
export type EndpointGroup = 'text' | 'messages' | 'media' | 'storage' | 'balance' | 'catalogue' | 'file';

const TEXT_STATUSES = { 504: { ...BY_STATUS[504], description: TEXT_TIMEOUT } };

const BY_GROUP: Readonly<Record<EndpointGroup, Readonly<Record<number, ErrorText>>>> = {
	text: TEXT_STATUSES,
	messages: TEXT_STATUSES,
	media: BY_MEDIA_STATUS,
	storage: BY_STORAGE_STATUS,
	balance: {},
	catalogue: {},
	file: BY_FILE_STATUS,
};

/** What the text of an error response depends on. */
export interface ErrorInfo {
	group: EndpointGroup;
	status: number;
	code?: string | undefined;
	type?: string | undefined;
}

/**
 * The text for an error response: by `code` (§7.3), else by the stable `type` of the messages format (§7.4),
 * else by status within the endpoint group (§7.4, §7.5), else by status alone. Unknown codes and statuses
 * have a text, too.
 */
export function errorText({ group, status, code = '', type = '' }: ErrorInfo): ErrorText {
	// This code is the same for all groups; its text is not.
	if (code === 'gateway_timeout') return byStatus(group, 504);
	// §7.4 lists 402 and 504 among the statuses of types that otherwise mean something else.
	const hasType = group === 'messages' && status !== 402 && status !== 504;
	return own(BY_CODE, code) ?? (hasType ? own(BY_MESSAGES_TYPE, type) : undefined) ?? byStatus(group, status);
}

function byStatus(group: EndpointGroup, status: number): ErrorText {
	const general: Readonly<Record<number, ErrorText>> = group === 'file' ? {} : BY_STATUS;
	return BY_GROUP[group][status] ?? general[status] ?? unlistedStatus(group, status);
}

function unlistedStatus(group: EndpointGroup, status: number): ErrorText {
	if (group === 'file') {
		return {
			message: `The server of the file responded with status ${status}`,
			description: 'Check the link, or try again later.',
		};
	}
	if (status >= 500) {
		return { ...BY_STATUS[500], message: `The gateway could not handle the request (status ${status})` };
	}
	return {
		message: `The gateway refused the request with status ${status}`,
		description:
			'Check the parameters of the node and the base URL in the AI Gateway credential (it ends in /api/v1).',
	};
}

/** Ignores inherited properties: a server may send the code "constructor". */
function own(table: Readonly<Record<string, ErrorText>>, key: string): ErrorText | undefined {
	return Object.hasOwn(table, key) ? table[key] : undefined;
}
