import { textFor, type ErrorText, type Origin, type TextByOrigin } from './origin';

// For triggers and the editor, which have no option for the timeout.
const NO_TIMEOUT_OPTION =
	'This can be temporary. If it keeps happening, check the network between this n8n server and the gateway.';
const NOT_REPEATED =
	'The call was not repeated, because the gateway may still process and charge it. Check the balance, then run this item again if you need its response.';
const RAISE_LOW_TIMEOUT = "If the option 'Timeout (Seconds)' allows less than that, raise it.";
const FILE_LATER = 'Try again later; the file stays at the gateway.';

/** Texts for requests without a response, or with an unreadable one. */
// prettier-ignore
export const CONNECTION_TEXTS = {
	refused: { message: 'The gateway could not be reached',
		description: 'Nothing was sent or charged. Check the base URL in the AI Gateway credential and the network of this n8n server.' },
	certificate: { message: 'The gateway’s certificate is not trusted by this n8n server',
		description: 'Nothing was sent. Check the base URL in the AI Gateway credential; for a gateway with its own certificate authority, add that authority to n8n’s trusted certificates.' },
	address: { message: 'The gateway’s address does not work',
		description: 'Nothing was sent. Check the base URL in the AI Gateway credential: the port is wrong, or it says https:// for a server that speaks http:// (or the other way round).' },
	blocked: { message: 'This n8n server does not allow requests to that address',
		description: 'Nothing was sent. n8n’s protection against requests to internal addresses (SSRF) blocks it: ask the n8n administrator to add it to N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.' },
	lost: { message: 'The connection broke before the gateway responded',
		description: 'Run the workflow again.' },
	lostCharge: { message: 'The connection broke before the gateway responded',
		description: 'The call was not repeated, because the gateway may have processed and charged it already. Check the balance, then run this item again if you need its response.' },
	timeout: {
		message: 'The gateway did not respond in time',
		description: "Raise the option 'Timeout (Seconds)', or run the workflow again later.",
		elsewhere: {
			chatModel: "Raise the option 'Timeout (Seconds)', or run the workflow again later.",
			trigger: NO_TIMEOUT_OPTION,
			editor: NO_TIMEOUT_OPTION,
		},
	},
	timeoutCharge: {
		message: 'The gateway did not respond in time',
		description: `${NOT_REPEATED} With the option 'Stream' a response may take 15 minutes instead of 5. ${RAISE_LOW_TIMEOUT}`,
		elsewhere: {
			chatModel: `${NOT_REPEATED} An agent that streams its response gives the model 15 minutes instead of 5. ${RAISE_LOW_TIMEOUT}`,
		},
	},
	notJson: { message: 'The gateway’s response could not be read',
		description: 'It is not a JSON object. Run the workflow again; if it keeps happening, check the base URL in the AI Gateway credential.' },
	notJsonCharge: { message: 'The gateway’s response could not be read',
		description: 'It is not a JSON object, so the text is lost. The call was not repeated, because it may have been charged. Check the balance, then run this item again if you need its response.' },
	tooLarge: { message: 'The gateway’s response is too large',
		description: 'It is longer than 128 MB. Ask for less.' },
	tooLargeCharge: { message: 'The gateway’s response is too large',
		description: 'It is longer than 128 MB, and was not read to its end. The call may have been charged: check the balance, and ask for a shorter response.' },
	credential: { message: 'n8n could not read the AI Gateway credential',
		description: 'Nothing was sent. Run the workflow again; if it keeps happening, open the credential and save it again.' },
	webPage: { message: 'The gateway’s URL returned a web page',
		description: 'The base URL in the AI Gateway credential does not lead to the gateway’s API. It is the address that ends in /api/v1.' },
	proxy: { message: 'A server between n8n and the gateway responded in its place',
		description: 'The response is not the gateway’s: a proxy or load balancer probably sent it. Run the workflow again later; if it keeps happening, check the base URL in the AI Gateway credential and what is in front of the gateway.' },
	proxyCharge: { message: 'A server between n8n and the gateway responded in its place',
		description: 'The response is not the gateway’s: a proxy or load balancer probably sent it. The call was not repeated, because the gateway may have processed and charged it. Check the balance, then run this item again if you need its response.' },
	fileRefused: { message: 'The server of the file could not be reached',
		description: 'The gateway returned a link to the file, but that server did not accept the connection. Try again later; the file stays at the gateway.' },
	fileAddress: { message: 'The link to the file does not work',
		description: 'The gateway returned a link that is not a working web address. Contact the gateway’s support.' },
	fileCertificate: { message: 'The certificate of the file’s server is not trusted by this n8n server',
		description: 'Nothing was downloaded. If the server has its own certificate authority, add that authority to n8n’s trusted certificates.' },
	fileLost: { message: 'The connection broke while the file was downloaded',
		description: 'Try again; the file stays at the gateway.' },
	fileTimeout: {
		message: 'The server of the file did not respond in time',
		description: "Raise the option 'Timeout (Seconds)', or try again later; the file stays at the gateway.",
		elsewhere: { chatModel: FILE_LATER, trigger: FILE_LATER, editor: FILE_LATER },
	},
	fileEmpty: { message: 'The file is empty',
		description: 'The server responded with success, but without content. Try again later; the file stays at the gateway.' },
	fileWebPage: { message: 'A web page came instead of the file',
		description: 'The link leads to a page, such as a sign-in page, or a proxy of this network responded. Check the network of this n8n server, then try again.' },
	redirect: { message: 'The gateway’s address redirects elsewhere',
		description: 'The API key is never sent on to another address, so the redirect was not followed. Enter the final address in the AI Gateway credential.' },
} satisfies Record<string, TextByOrigin>;

/** What is wrong with a connection. */
export type ConnectionProblem = 'refused' | 'certificate' | 'address' | 'blocked' | 'lost' | 'timeout';

/** What the text of a connection error depends on. */
export interface RequestInfo {
	/** Whether the request costs money and cannot be repeated safely. */
	charged: boolean;
	/** Whether it goes to a file's own URL: another server, without the key. */
	file?: boolean;
	/** Where it comes from; default: an action node. */
	origin?: Origin | undefined;
}

const FILE_TEXTS: Readonly<Record<ConnectionProblem, TextByOrigin>> = {
	refused: CONNECTION_TEXTS.fileRefused,
	certificate: CONNECTION_TEXTS.fileCertificate,
	address: CONNECTION_TEXTS.fileAddress,
	blocked: CONNECTION_TEXTS.blocked,
	lost: CONNECTION_TEXTS.fileLost,
	timeout: CONNECTION_TEXTS.fileTimeout,
};

/** The text for a request without a response. */
export function connectionText(problem: ConnectionProblem, request: RequestInfo): ErrorText {
	return textFor(fittingText(problem, request), request.origin);
}

function fittingText(problem: ConnectionProblem, { charged, file = false }: RequestInfo): TextByOrigin {
	if (file) return FILE_TEXTS[problem];
	if (charged && problem === 'lost') return CONNECTION_TEXTS.lostCharge;
	if (charged && problem === 'timeout') return CONNECTION_TEXTS.timeoutCharge;
	return CONNECTION_TEXTS[problem];
}
