import { BY_CODE } from './codes';
import { BY_GROUP, type EndpointGroup, type StatusTexts } from './groups';
import { BY_STATUS, type ErrorText } from './statuses';

export type { EndpointGroup, ErrorText, StatusTexts };

export interface ErrorInfo {
	group: EndpointGroup;
	status: number;
	code?: string | undefined;
	texts?: StatusTexts | undefined;
}

/**
 * The text for an error response: by `code` (§7.3), else by status for the request, within the endpoint group (§7.4,
 * §7.5), or alone. Unknown codes and statuses have a text, too.
 */
export function errorText({ group, status, code = '', texts = {} }: ErrorInfo): ErrorText {
	const general: StatusTexts = group === 'file' ? {} : BY_STATUS;
	// Not an inherited property: a server may send the code "constructor".
	const byCode = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
	return (
		byCode ?? texts[status] ?? BY_GROUP[group][status] ?? general[status] ?? unlistedStatus(group, status)
	);
}

function unlistedStatus(group: EndpointGroup, status: number): ErrorText {
	if (group === 'file') {
		return {
			message: `The server of the file responded with status ${status}`,
			description: 'Check the link, or try again later.',
		};
	}
	if (status >= 500) return BY_STATUS[500];
	return {
		message: `The gateway refused the request with status ${status}`,
		description:
			'Check the parameters of the node and the base URL in the AI Gateway credential (it ends in /api/v1).',
	};
}
