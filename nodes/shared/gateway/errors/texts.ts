import { fieldOf } from '../util/json';
/** What a user reads about an error: what happened, and what to do about it. */
export interface ErrorText {
	message: string;
	description: string;
	/** Whether only the gateway's words say what is wrong: they are the message then. */
	isVague?: boolean;
}

/** What to do about a rate limit; lists in the editor have no options. */
const SLOWER =
	"Try again in a minute. In a workflow, raise the option 'Rate Limit Wait (Minutes)', or send less at a time.";

// prettier-ignore
const BY_STATUS = {
	400: { message: 'The gateway did not accept the request',
		description: 'A parameter is missing or has a value that is not allowed. Correct it.' },
	401: { message: 'The gateway refused the API key',
		description: 'The key is wrong, revoked or expired. Enter a valid one in the AI Gateway credential of this node. The gateway’s web application shows a new key in full only once.' },
	402: { message: 'There is not enough money in the gateway wallet',
		description: 'Top up the wallet, then try again. A Gateway Balance Trigger can warn you in time.' },
	403: { message: 'The gateway denied access',
		description: 'The account may not do this. Check its plan and its restrictions, or choose another model.' },
	404: { message: 'The gateway does not know this address or object',
		description: 'Check the base URL in the AI Gateway credential: it ends in /api/v1. If it is right, the object does not exist or belongs to another account.' },
	408: { message: 'The request timed out on its way to the gateway',
		description: 'The gateway, or a proxy in front of it, stopped waiting for it. If it keeps happening, check the network between this n8n server and the gateway.' },
	413: { message: 'The request is too large for the gateway',
		description: 'Send less at once.' },
	422: { message: 'The gateway could not process the request',
		description: 'A value does not fit. Correct what the gateway names.' },
	429: { message: 'The gateway receives too many requests from this account',
		description: `The limit of requests per minute was reached. ${SLOWER}` },
	499: { message: 'The request was cancelled before the gateway responded',
		description: 'n8n, or a proxy between it and the gateway, closed the connection. If that was not intended, check the time limits of proxies.' },
	500: { message: 'The gateway could not handle the request',
		description: 'The cause is within the gateway. Try again later; if it keeps happening, contact the gateway’s support.' },
	502: { message: 'The gateway could not reach the service behind it',
		description: 'Try again later.' },
	503: { message: 'The gateway is not available at the moment',
		description: 'Try again later.' },
	504: { message: 'The gateway stopped the request after its limit of 300 seconds',
		description: 'It took too long. Try again later; if it keeps happening, contact the gateway’s support.' },
} satisfies Record<number, ErrorText>;

export const UNKNOWN_MODEL: ErrorText = {
	message: 'The gateway does not know this model',
	description: 'Choose the model again from the list: IDs change. Media models are for Gateway Media Task.',
};

/** §7.3 has the same code for a request that continues a response. */
export const UNKNOWN_MODEL_OR_RESPONSE: ErrorText = {
	message: 'The gateway does not know this model or the previous response',
	description: `${UNKNOWN_MODEL.description} With 'Previous Response ID', that response may be unknown.`,
};

const PROVIDER_BAD_REQUEST: ErrorText = {
	isVague: true,
	message: 'The provider of the model rejected the request',
	description:
		'The model does not accept this input or one of the options. Correct what the provider names, or choose another model.',
};

/** §7.3: texts by the machine-readable `code` of the OpenAI-style format, where it says more than the status. */
// prettier-ignore
export const BY_CODE: Readonly<Record<string, ErrorText>> = {
	provider_bad_request: PROVIDER_BAD_REQUEST,
	context_length_exceeded: { message: 'The input is longer than the model can read',
		description: 'Shorten the input, or choose a model with a larger context window.' },
	unauthorized: { message: 'The gateway did not accept the sign-in',
		description: 'The request came without a key, or the key may not do this. Choose an AI Gateway credential in this node and check its key.' },
	feature_not_available: { message: 'The plan of the gateway account does not include this',
		description: 'Choose another model or option, or change the plan of the account.' },
	sub_account_blocked: { message: 'This gateway account is blocked',
		description: 'It is a child account that its owner has blocked. Ask the owner of the main account to unblock it.' },
	ip_not_allowed: { message: 'The gateway does not accept requests from the address of this n8n server',
		description: 'The account has a list of allowed IP addresses. Ask its owner to add the public address of this n8n server.' },
	model_not_found: UNKNOWN_MODEL,
	content_too_large: { message: 'The input and the space reserved for the response do not fit the model’s context window',
		description: "Shorten the input, set the option 'Max Tokens' to no more than the response needs, or choose a model with a larger context window." },
	limit_exceeded: { message: 'The limit of the gateway plan is used up',
		description: 'It is available again in the next period. Until then a retry does not help; change the plan if you need more.' },
	token_limit_exceeded: { message: 'The gateway account used too many tokens in a minute',
		description: `The limit of tokens per minute was reached. Shorten the input. ${SLOWER}` },
};

/** For a request with a JSON Schema: a model that has none answers 400. The gateway's words come first. */
const withoutSchema = ({ message, description }: ErrorText): ErrorText => ({
	isVague: true,
	message,
	description: `${description} If the model does not support JSON Schema, set 'Output Format' to 'JSON Object', and describe the fields in the prompt.`,
});

export const SCHEMA_TEXTS: StatusTexts = {
	400: withoutSchema(BY_STATUS[400]),
	provider_bad_request: withoutSchema(PROVIDER_BAD_REQUEST),
};

/** Groups of endpoints in which a status means the same. */
export type EndpointGroup = 'text' | 'media' | 'list' | 'storage' | 'balance' | 'catalogue' | 'file';

/** Texts by status or code. */
export type StatusTexts = Readonly<Record<number | string, ErrorText>>;

const OTHER_MODEL = 'Choose another model, or try again later.';

const MODEL: StatusTexts = {
	502: { message: 'The provider of this model is not working', description: OTHER_MODEL },
	503: { message: 'The provider of this model is not available at the moment', description: OTHER_MODEL },
};

export const NO_TASK: ErrorText = {
	message: 'The gateway has no such media task',
	description:
		'The task does not exist, was deleted, or belongs to another account. Check the task ID and the credential.',
};

const NO_FILE: ErrorText = {
	message: 'The gateway has no such file',
	description:
		'It was deleted, has expired (uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them) or belongs to another account. Check the ID or the link, and the credential.',
};

const GONE: ErrorText = { ...NO_FILE, message: 'There is no file behind the link' };

const NO_ACCESS: ErrorText = {
	message: 'The server of the file does not accept the link',
	description:
		'A link of the gateway stops working when its file expires or is deleted. A link elsewhere may need a sign-in: download the file with n8n’s HTTP Request node, and use its binary field.',
};

/** §7.4, §7.5: the texts of a group, where its errors carry no code or a status means something else than elsewhere. */
// prettier-ignore
const BY_GROUP: Readonly<Partial<Record<EndpointGroup, StatusTexts>>> = {
	text: {
		...MODEL,
		504: { ...BY_STATUS[504],
			description: "The model did not finish in time. The option 'Stream', or an agent that streams its response, allows 15 minutes. Or ask for a shorter response (option 'Max Tokens'), shorten the input, or choose a faster model." },
	},
	media: {
		...MODEL,
		404: NO_TASK,
		409: { isVague: true, message: 'The gateway refused the request because of a conflict',
			description: "With 'Session ID', another request of the session may be running: use another session, or wait until its task has ended. A promo code may be used up: remove it." },
		410: { message: 'What this media request refers to has expired',
			description: 'The gateway says that it is no longer valid (a promo code, for example). Remove or replace it.' },
		422: { isVague: true, message: 'The gateway did not accept the model or its input',
			description: 'Correct the field that it names. Each media model has its own fields: choose the model from the list again if unsure.' },
	},
	list: { 404: { message: 'The gateway does not offer this list',
		description: "Its specification does not describe it, so a gateway may be without it. Keep the IDs that 'Create' and 'Upload' return." } },
	storage: {
		400: { message: 'The gateway did not accept the file',
			description: 'It stores images, videos and audio. Check what kind of file it is.' },
		404: NO_FILE,
	},
	file: { 401: NO_ACCESS, 403: NO_ACCESS, 404: GONE, 410: GONE },
};

export interface ErrorInfo {
	group: EndpointGroup;
	status: number;
	code?: string | undefined;
	texts?: StatusTexts | undefined;
}

/** By `code` (§7.3), else by status, for the request or its group (§7.4, §7.5), or alone. Unknown ones have a text, too. */
export function errorText({ group, status, code = '', texts = {} }: ErrorInfo): ErrorText {
	const general: StatusTexts = group === 'file' ? {} : BY_STATUS;
	const find = (all: StatusTexts) => fieldOf(all, code);
	const byCode = find(texts) ?? find(BY_CODE);
	return (
		byCode ?? texts[status] ?? BY_GROUP[group]?.[status] ?? general[status] ?? unlistedStatus(group, status)
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
