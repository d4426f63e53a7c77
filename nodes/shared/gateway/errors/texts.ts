import { fieldOf } from '../util/json';
import type { RequestKind } from './errors';
import { ENDPOINTS, type Endpoint, type EndpointGroup } from './endpoints';
import type { ProblemName } from './problems';

/** What a user reads about an error: what happened, and what to do about it. */
export interface ErrorText {
	message: string;
	description: string;
	/** Whether only the gateway's words say what is wrong: they are the message then. */
	isVague?: boolean;
}

/** What a request asks for, where that changes the texts of its errors. */
export type Feature = 'jsonSchema' | 'previousResponse';

/** Texts by the code (§7.3) and the status of a response, and by what went wrong without a usable one. */
interface Texts {
	code?: Readonly<Record<string, ErrorText>>;
	status?: Readonly<Record<number, ErrorText>>;
	problem?: Readonly<Partial<Record<ProblemName, ErrorText>>>;
}

interface TextTable extends Readonly<Partial<Record<Endpoint | Feature | EndpointGroup, Texts>>> {
	any: Texts & { problem: Readonly<Record<ProblemName, ErrorText>> };
}

/** What to do about a rate limit; lists in the editor have no options. */
const SLOWER =
	"Try again in a minute. In a workflow, raise the option 'Rate Limit Wait (Minutes)', or send less at a time.";

const CHECK_ADDRESS = 'Check the base URL in the AI Gateway credential';
const CHECK_LINK = 'Check the link, or try again later.';
const OTHER_MODEL = 'Choose another model, or try again later.';
const STOPPED = 'The gateway stopped the request after its limit of 300 seconds';

// prettier-ignore
const NOT_ACCEPTED: ErrorText = { message: 'The gateway did not accept the request',
	description: 'A parameter is missing or has a value that is not allowed. Correct it.' };

// prettier-ignore
const FAILED: ErrorText = { message: 'The gateway could not handle the request',
	description: 'The cause is within the gateway. Try again later; if it keeps happening, contact the gateway’s support.' };

// prettier-ignore
const REJECTED_BY_PROVIDER: ErrorText = { isVague: true, message: 'The provider of the model rejected the request',
	description: 'The model does not accept this input or one of the options. Correct what the provider names, or choose another model.' };

// prettier-ignore
const NO_PROVIDER: Texts['status'] = {
	502: { message: 'The provider of this model is not working', description: OTHER_MODEL },
	503: { message: 'The provider of this model is not available at the moment', description: OTHER_MODEL },
};

// prettier-ignore
const UNKNOWN_MODEL: ErrorText = { message: 'The gateway does not know this model',
	description: 'Choose the model again from the list: IDs change. Media models are for Gateway Media Task.' };

// prettier-ignore
const INVALID_MESSAGE: ErrorText = { isVague: true, message: NOT_ACCEPTED.message,
	description: 'In the API format Messages, this status can mean invalid parameters, an input that is too long or an empty wallet. Check the parameters and the balance.' };

// prettier-ignore
const NO_TASK: ErrorText = { message: 'The gateway has no such media task',
	description: 'The task does not exist, was deleted, or belongs to another account. Check the task ID and the credential.' };

// prettier-ignore
const WRONG_TASK_ID: ErrorText = { message: 'The gateway does not accept this task ID',
	description: "Enter the ID exactly as 'Create' returned it, e.g. {{ $json.taskId }}." };

// prettier-ignore
const NO_LYRICS: ErrorText = { message: 'The gateway has no lyrics for this',
	description: "Lyrics exist for the tracks of music tasks only. Enter the ID of such a task, and as 'Audio ID' the 'id' of one of its 'tracks'." };

// prettier-ignore
const UNKNOWN_FILE: ErrorText = { message: 'The gateway has no such file',
	description: 'It was deleted, has expired (uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them) or belongs to another account. Check the ID or the link, and the credential.' };

const GONE: ErrorText = { ...UNKNOWN_FILE, message: 'The file at this link no longer exists' };

// prettier-ignore
const NO_ACCESS: ErrorText = { message: 'The server of the file does not accept the link',
	description: 'A link of the gateway stops working when its file expires or is deleted. A link elsewhere may need a sign-in: download the file with n8n’s HTTP Request node, and use its binary field.' };

/** The gateway's words come first: a model that has no JSON Schema answers 400. */
const withoutSchema = ({ message, description }: ErrorText): ErrorText => ({
	isVague: true,
	message,
	description: `${description} If the model does not support JSON Schema, set 'Output Format' to 'JSON Object', and describe the fields in the prompt.`,
});

/** §3.2: a flag that has the value already gives 404. */
const hasFlag = (flag: string): ErrorText => ({
	message: `The media task is ${flag}, or does not exist`,
	description:
		'The gateway responds to both in the same way, so there may be nothing to do. Otherwise check the task ID and the credential.',
});

/** All texts of errors by code, status and problem. {@link errorText} has the order in which they count. */
// prettier-ignore
const TEXTS: TextTable = {
	jsonSchema: {
		code: { provider_bad_request: withoutSchema(REJECTED_BY_PROVIDER) },
		status: { 400: withoutSchema(NOT_ACCEPTED) },
	},
	// §7.3 has the same code for a request that continues a response.
	previousResponse: { code: { model_not_found: { message: 'The gateway does not know this model or the previous response',
		description: `${UNKNOWN_MODEL.description} With 'Previous Response ID', that response may be unknown.` } } },

	// §7.5: its errors have no codes.
	messages: { status: { 400: INVALID_MESSAGE, 404: UNKNOWN_MODEL, 409: INVALID_MESSAGE, 410: INVALID_MESSAGE, 422: INVALID_MESSAGE } },

	// §7.4: about what it names, not about a task.
	createTask: { status: { 404: { message: 'The gateway does not know the model or the session of the task',
		description: "Choose the model again from the list: IDs change. With 'Session ID', check that the session belongs to the account of the credential." } } },
	// §3.2: one that was deleted can be brought back, and is not made again.
	fetchTask: { status: { 422: WRONG_TASK_ID, 404: { ...NO_TASK,
		description: `${NO_TASK.description} The operation 'Restore' (resource 'Task') brings a deleted task back.` } } },
	// §4.8: about the result; a task that has none may exist.
	downloadTask: { status: { 422: WRONG_TASK_ID, 404: { message: 'The gateway has no file of this media task',
		description: "It keeps the files of a task for 7 days. The task may also have ended without a file, or not have ended yet: see its state with the operation 'Get'." } } },
	archiveTask: { status: { 422: WRONG_TASK_ID, 404: hasFlag('archived already') } },
	unarchiveTask: { status: { 422: WRONG_TASK_ID, 404: hasFlag('not archived') } },
	deleteTask: { status: { 422: WRONG_TASK_ID } },
	restoreTask: { status: { 422: WRONG_TASK_ID } },
	fetchLyrics: { status: { 422: WRONG_TASK_ID, 400: NO_LYRICS, 404: NO_LYRICS } },

	text: { status: {
		...NO_PROVIDER,
		504: { message: STOPPED,
			description: "The model did not finish in time. The option 'Stream', or an agent that streams its response, allows 15 minutes. Or ask for a shorter response (option 'Max Tokens'), shorten the input, or choose a faster model." },
	} },
	media: { status: {
		...NO_PROVIDER,
		404: NO_TASK,
		409: { isVague: true, message: 'The gateway refused the request because of a conflict',
			description: "With 'Session ID', another request of the session may be running: use another session, or wait until its task has ended. A promo code may be used up: remove it." },
		410: { message: 'What this media request refers to has expired',
			description: 'The gateway says that it is no longer valid (a promo code, for example). Remove or replace it.' },
		422: { isVague: true, message: 'The gateway did not accept the model or its input',
			description: 'Correct the field that it names. Each media model has its own fields: choose the model from the list again if unsure.' },
	} },
	list: { status: { 404: { message: 'The gateway does not offer this list',
		description: "Its specification does not describe it, so a gateway may be without it. Keep the IDs that 'Create' and 'Upload' return." } } },
	storage: { status: {
		400: { message: 'The gateway did not accept the file',
			description: 'It stores images, videos and audio. Check what kind of file it is.' },
		404: UNKNOWN_FILE,
	} },
	// Another server is the problem.
	file: {
		status: { 401: NO_ACCESS, 403: NO_ACCESS, 404: GONE, 410: GONE },
		problem: {
			refused: { message: 'The server of the file could not be reached', description: CHECK_LINK },
			certificate: { message: 'The certificate of the file’s server is not trusted by this n8n server', description: CHECK_LINK },
			address: { message: 'The link to the file does not work', description: CHECK_LINK },
			lost: { message: 'The connection broke while the file was downloaded', description: 'Try again.' },
			timeout: { message: 'The server of the file did not respond in time',
				description: "Try again later. In a workflow, you can raise the option 'Timeout (Seconds)'." },
		},
	},

	any: {
		// Only those that say more than their status.
		code: {
			provider_bad_request: REJECTED_BY_PROVIDER,
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
		},
		status: {
			400: NOT_ACCEPTED,
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
			500: FAILED,
			502: { message: 'The gateway could not reach the service behind it',
				description: 'Try again later.' },
			503: { message: 'The gateway is not available at the moment',
				description: 'Try again later.' },
			504: { message: STOPPED,
				description: 'It took too long. Try again later; if it keeps happening, contact the gateway’s support.' },
		},
		problem: {
			refused: { message: 'The gateway could not be reached',
				description: `${CHECK_ADDRESS} and the network of this n8n server.` },
			certificate: { message: 'The gateway’s certificate is not trusted by this n8n server',
				description: `${CHECK_ADDRESS}. If the server has its own certificate authority, add that authority to n8n’s trusted certificates.` },
			address: { message: 'The gateway’s address does not work',
				description: `${CHECK_ADDRESS}: the port is wrong, or it says https:// for a server that speaks http:// (or the other way round).` },
			blocked: { message: 'This n8n server does not allow requests to that address',
				description: 'n8n’s protection against requests to internal addresses (SSRF) blocks it: ask the n8n administrator to add it to N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.' },
			credential: { message: 'n8n could not read the AI Gateway credential',
				description: 'Try again; if it keeps happening, open the credential and save it again.' },
			redirect: { message: 'The gateway’s address redirects elsewhere',
				description: 'The API key is never sent on to another address, so the redirect was not followed. Enter the final address in the AI Gateway credential.' },
			circle: { message: 'The link redirects in an endless loop',
				description: 'It may need a sign-in. Check the link; n8n’s HTTP Request node can get a file that needs one.' },
			lost: { message: 'The connection broke before the gateway responded',
				description: 'If it keeps happening, check the network between this n8n server and the gateway.' },
			timeout: { message: 'The gateway did not respond in time',
				description: "Try again later. In a workflow, raise the option 'Timeout (Seconds)'; for a text, the option 'Stream' allows 15 minutes." },
			notJson: { message: 'The gateway’s response could not be read',
				description: `It is not a JSON object, but perhaps a web page. ${CHECK_ADDRESS}: it ends in /api/v1.` },
			proxy: { message: 'A server between n8n and the gateway responded in its place',
				description: 'A proxy, a firewall or a load balancer probably sent the response. If it keeps happening, check the base URL in the AI Gateway credential and what is in front of the gateway: it has to let this n8n server through.' },
			tooLarge: { message: 'The gateway’s response is too large',
				description: 'It does not fit into memory beside others. Ask for less.' },
			webPage: { message: 'The server returned a web page instead of the file',
				description: 'The link leads to a page, such as a sign-in page, or a proxy of this network responded.' },
			empty: { message: 'The file is empty',
				description: 'The server responded with success, but without content. Try again later.' },
		},
	},
};

export interface ErrorInfo {
	endpoint: Endpoint;
	features?: readonly Feature[] | undefined;
	status: number;
	code?: string | undefined;
}

/**
 * The text of an error response. The first that there is counts:
 * 1. by its code (§7.3): of a feature of the request, of its endpoint, of any
 * 2. by its status (§7.4, §7.5): of a feature, of the endpoint, of its group, of any, unless it is a file's
 * 3. for a status that is not listed
 *
 * @returns also whether a feature or the endpoint has a text for the status
 */
export function errorText({ endpoint, features = [], status, code = '' }: ErrorInfo) {
	const { group } = ENDPOINTS[endpoint];
	const own = [...features, endpoint].map((place) => TEXTS[place] ?? {});
	const [byCode] = [...own, TEXTS.any].flatMap((texts) => fieldOf(texts.code, code) ?? []);
	const general = group === 'file' ? {} : TEXTS.any;
	const byStatus = (texts: Texts) => texts.status?.[status] ?? [];
	const [ownText] = own.flatMap(byStatus);
	const [text] = [TEXTS[group] ?? {}, general].flatMap(byStatus);
	const found: ErrorText = byCode ?? ownText ?? text ?? unlisted(group, status);
	return { ...found, isOwn: ownText !== undefined };
}

function unlisted(group: EndpointGroup, status: number): ErrorText {
	if (group === 'file')
		return { message: `The server of the file responded with status ${status}`, description: CHECK_LINK };
	if (status >= 500) return FAILED;
	return {
		message: `The gateway refused the request with status ${status}`,
		description:
			'Check the parameters of the node and the base URL in the AI Gateway credential (it ends in /api/v1).',
	};
}

/** The text of a request without a usable response: of a file, or of any. */
export function problemText(name: ProblemName, kind: RequestKind): ErrorText {
	return (kind === 'file' ? TEXTS.file?.problem?.[name] : undefined) ?? TEXTS.any.problem[name];
}
