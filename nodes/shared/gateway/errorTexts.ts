import { textFor, type ErrorText, type Origin, type TextByOrigin } from './origin';

export type { ErrorText };

/** The endpoint groups of §7.1; each has its own error format and its own words for the same status. */
export type EndpointGroup = 'text' | 'messages' | 'media' | 'storage' | 'balance' | 'catalogue' | 'file';

const WRONG_KEY: ErrorText = {
	message: 'The gateway refused the API key',
	description:
		'The key is wrong, revoked or expired. Open the AI Gateway credential of this node and enter a valid key (it looks like sk-… and is shown only once, when it is created in the profile area of the web application).',
};

const NO_MONEY: ErrorText = {
	message: 'There is not enough money in the gateway wallet',
	description:
		'Nothing was charged for this call. Top up the wallet in the web application and run the workflow again. A Gateway Balance node in a scheduled workflow can warn you in time.',
};

const FORBIDDEN: ErrorText = {
	message: 'The gateway denied access',
	description:
		'The account may not do this. Check the plan and the restrictions of the account in the web application.',
};

const BUSY: TextByOrigin = {
	message: 'The gateway receives too many requests from this account',
	description:
		"The limit of requests per minute was reached. Lower the option 'Concurrency', raise 'Max Retries', or send the items in smaller batches.",
	elsewhere: {
		chatModel:
			"The limit of requests per minute was reached. Lower 'Batch Size' of the agent or chain, raise the option 'Max Retries', or send the items in smaller batches.",
		trigger:
			'The limit of requests per minute was reached. It is free again a minute later; if it lasts, let other workflows of the account send less at a time.',
		editor: 'The limit of requests per minute was reached. Try again in a minute.',
	},
};

const INTERNAL: ErrorText = {
	message: 'The gateway could not handle the request',
	description:
		'The cause lies within the gateway. Run the workflow again later; if it lasts, tell the gateway’s support.',
};

const STOPPED_BY_GATEWAY = 'The gateway stopped the request after its limit of 300 seconds';

const GATEWAY_TIMEOUT: ErrorText = {
	message: STOPPED_BY_GATEWAY,
	description: 'It took too long. Try again later; if it lasts, tell the gateway’s support.',
};

const MODEL_TIMEOUT: ErrorText = {
	message: STOPPED_BY_GATEWAY,
	description:
		"The model did not finish in time. Ask for a shorter answer (option 'Max Tokens'), shorten the input, or choose a faster model.",
};

const CLIENT_CLOSED: ErrorText = {
	message: 'The request was cancelled before the gateway had answered',
	description: 'The connection was closed on this side. Run the workflow again if that was not intended.',
};

/** §7.3: texts by the machine-readable `code` of the OpenAI-style format. */
const BY_CODE: Readonly<Record<string, TextByOrigin>> = {
	invalid_request: {
		message: 'The gateway did not accept the request',
		description:
			'A parameter is missing or has a value that is not allowed. Correct it and run the node again.',
	},
	provider_bad_request: {
		message: 'The provider of the model rejected the request',
		description:
			'The model does not accept this input or one of the options. Correct what the provider names, or choose another model.',
	},
	context_length_exceeded: {
		message: 'The input is longer than the model can read',
		description: 'Shorten the input, or choose a model with a larger context window.',
	},
	unauthorized: {
		message: 'The gateway did not accept the sign-in',
		description:
			'The request came without a key, or the key may not do this. Choose an AI Gateway credential in this node and check its key.',
	},
	invalid_api_key: WRONG_KEY,
	insufficient_quota: NO_MONEY,
	feature_not_available: {
		message: 'The plan of the gateway account does not include this',
		description: 'Choose another model or option, or change the plan in the web application.',
	},
	sub_account_blocked: {
		message: 'This gateway account is blocked',
		description:
			'It is a child account that its owner has blocked. Ask the owner of the main account to unblock it.',
	},
	ip_not_allowed: {
		message: 'The gateway does not accept requests from the address of this n8n server',
		description:
			'The account has a list of allowed IP addresses. Add the public address of this n8n server to it in the web application.',
	},
	forbidden: FORBIDDEN,
	model_not_found: {
		message: 'The gateway does not know this model',
		description: 'Model IDs change over time. Choose the model again from the list.',
	},
	content_too_large: {
		message: 'The input and the space reserved for the answer do not fit the model’s context window',
		description:
			"Lower the option 'Max Tokens', shorten the input, or choose a model with a larger context window. Nothing was charged.",
	},
	limit_exceeded: {
		message: 'The limit of the gateway plan is used up',
		description:
			'It is free again in the next period. Until then a retry does not help; change the plan if you need more.',
	},
	rate_limit_exceeded: BUSY,
	token_limit_exceeded: {
		message: 'The gateway account used too many tokens in a minute',
		description:
			"The limit of tokens per minute was reached. Lower the option 'Concurrency', shorten the input, or send the items in smaller batches.",
		elsewhere: {
			chatModel:
				"The limit of tokens per minute was reached. Lower 'Batch Size' of the agent or chain, shorten the input, or send the items in smaller batches.",
			trigger:
				'The limit of tokens per minute was reached. It is free again a minute later; if it lasts, let other workflows of the account send less at a time.',
			editor: 'The limit of tokens per minute was reached. Try again in a minute.',
		},
	},
	client_closed_request: CLIENT_CLOSED,
	internal_error: INTERNAL,
	provider_error: {
		message: 'The provider of the model is not working at the gateway',
		description: 'Choose another model, or run the workflow again later.',
	},
	no_providers: {
		message: 'No provider offers this model at the moment',
		description: 'Choose another model, or run the workflow again later.',
	},
	service_unavailable: {
		message: 'The provider of this model is switched off at the moment',
		description: 'Choose another model, or run the workflow again later.',
	},
};

/** §7.4: texts by the stable `error.type` of the messages format. */
const BY_MESSAGES_TYPE: Readonly<Record<string, TextByOrigin>> = {
	invalid_request_error: {
		message: 'The gateway did not accept the request',
		description:
			'In the API format Messages the gateway reports bad parameters, an input that is too long and an empty wallet alike: read what it says below, check the parameters and the balance.',
	},
	authentication_error: WRONG_KEY,
	permission_error: FORBIDDEN,
	not_found_error: {
		message: 'The gateway does not know this model',
		description: 'Model IDs change over time. Choose the model again from the list.',
	},
	rate_limit_error: BUSY,
	api_error: {
		message: 'The gateway or the provider of the model failed',
		description: 'Run the workflow again later, or choose another model.',
	},
};

/** §7.4: texts by status for media endpoints, where `msg` is unstable. */
const BY_MEDIA_STATUS: Readonly<Record<number, TextByOrigin>> = {
	400: {
		message: 'The gateway did not accept the media request',
		description:
			'The request does not fit this task or model (lyrics, for example, exist for music tasks only). Check the parameters.',
	},
	401: WRONG_KEY,
	402: NO_MONEY,
	403: {
		message: 'The plan of the gateway account does not include this media model',
		description: 'Choose another model, or change the plan in the web application.',
	},
	404: {
		message: 'The gateway has no such media task',
		description:
			'The task does not exist, was deleted, has no saved result yet, or belongs to another account. Check the task ID and the credential.',
	},
	409: {
		message: 'The gateway is still busy with this media session',
		description:
			'Another request of the same session is running. Wait until it has ended, or use another session.',
	},
	410: {
		message: 'What this media request refers to has expired',
		description:
			'The gateway says that it is no longer valid (a promo code, for example). Remove or replace it.',
	},
	422: {
		message: 'The gateway did not accept the model or its input',
		description:
			'Correct the field that it names. Each media model has its own fields: choose the model from the list again if unsure.',
	},
	429: BUSY,
	499: CLIENT_CLOSED,
	500: INTERNAL,
	502: {
		message: 'The generator of this media model is not working at the gateway',
		description: 'Choose another model, or run the workflow again later.',
	},
	503: {
		message: 'The generator of this media model is not available at the moment',
		description: 'Choose another model, or run the workflow again later.',
	},
	504: {
		message: 'The generator of this media model did not answer in time',
		description: 'Run the workflow again later.',
	},
};

/** §7.5: texts by status for storage endpoints, whose errors carry no code. */
const BY_STORAGE_STATUS: Readonly<Record<number, ErrorText>> = {
	401: WRONG_KEY,
	404: {
		message: 'The gateway has no such file',
		description:
			'The file was deleted, has expired (uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them) or belongs to another account. Check the file ID and the credential.',
	},
	413: {
		message: 'The file is too large for the gateway',
		description: 'The gateway takes files of up to 100 MB.',
	},
	500: INTERNAL,
};

const LATER = 'Try again later; the file stays at the gateway.';

const FILE_SERVER_FAILED: ErrorText = {
	message: 'The server of the file failed',
	description: LATER,
};

/** Texts for a file's own URL, which is served without a key and outside the API. */
const BY_FILE_STATUS: Readonly<Record<number, TextByOrigin>> = {
	401: {
		message: 'The link to the file is not accepted any more',
		description:
			'Links to files stop working when the file expires or is deleted. Fetch it again, or generate it anew.',
	},
	429: {
		message: 'The server of the file receives too many requests',
		description: "Lower the option 'Concurrency', or try again later; the file stays at the gateway.",
		elsewhere: { chatModel: LATER, trigger: LATER, editor: LATER },
	},
	500: FILE_SERVER_FAILED,
	502: FILE_SERVER_FAILED,
	503: FILE_SERVER_FAILED,
	504: FILE_SERVER_FAILED,
	403: {
		message: 'The link to the file is not accepted any more',
		description:
			'Links to files stop working when the file expires or is deleted. Generate or upload it again.',
	},
	404: {
		message: 'The file behind the link is gone',
		description:
			'Uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them. Generate or upload it again.',
	},
	410: {
		message: 'The file behind the link is gone',
		description: 'It has expired or was deleted. Generate or upload it again.',
	},
};

/** Texts by status where neither a code nor the group says more. */
const BY_STATUS: Readonly<Record<number, TextByOrigin>> = {
	400: BY_CODE.invalid_request ?? INTERNAL,
	401: WRONG_KEY,
	402: NO_MONEY,
	403: FORBIDDEN,
	404: {
		message: 'The gateway does not know this address or object',
		description:
			'Check the base URL in the AI Gateway credential: it ends in /api/v1. If it is right, the object does not exist or belongs to another account.',
	},
	413: {
		message: 'The request is too large for the gateway',
		description: 'The gateway takes requests of up to 100 MB. Send less at once.',
	},
	422: {
		message: 'The gateway could not process the request',
		description: 'A value does not fit. Correct what the gateway names and run the node again.',
	},
	429: BUSY,
	499: CLIENT_CLOSED,
	500: INTERNAL,
	502: {
		message: 'The gateway could not reach the service behind it',
		description: 'Run the workflow again later.',
	},
	503: {
		message: 'The gateway is not available at the moment',
		description: 'Run the workflow again later.',
	},
	504: GATEWAY_TIMEOUT,
};

const BY_GROUP_STATUS: Partial<Record<EndpointGroup, Readonly<Record<number, TextByOrigin>>>> = {
	text: { 504: MODEL_TIMEOUT },
	messages: { 504: MODEL_TIMEOUT },
	media: BY_MEDIA_STATUS,
	storage: BY_STORAGE_STATUS,
	file: BY_FILE_STATUS,
};

/** What an error answer is told by: its status, the machine-readable part of its body, and where it was asked for. */
export interface ErrorSigns {
	group: EndpointGroup;
	status: number;
	code?: string | undefined;
	type?: string | undefined;
	origin?: Origin | undefined;
}

/**
 * The text for an error answer: by `code` where the format has one (§7.3), else by the stable `type` of the
 * messages format (§7.4), else by status within the endpoint group (§7.4, §7.5), else by status alone.
 * Always gives one, also for codes and statuses that the specification does not show.
 */
export function errorText(signs: ErrorSigns): ErrorText {
	return textFor(fittingText(signs), signs.origin);
}

function fittingText({ group, status, code, type }: ErrorSigns): TextByOrigin {
	// What took too long is told by the group: the code is the same for all.
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

/** A value of the table itself: a code such as "constructor" must not find what objects inherit. */
function own(table: Readonly<Record<string, TextByOrigin>>, key: string): TextByOrigin | undefined {
	return Object.hasOwn(table, key) ? table[key] : undefined;
}
