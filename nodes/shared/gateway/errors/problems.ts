import { UNREADABLE, type Outcome } from './errors';
import type { ErrorText } from './texts';

interface Problem extends ErrorText {
	outcome: Outcome;
	retryable: boolean;
	code: string;
}

const CHECK_ADDRESS = 'Check the base URL in the AI Gateway credential';

// prettier-ignore
export const PROBLEMS = {
	refused: { outcome: 'notSent', retryable: true, code: 'connection_refused',
		message: 'The gateway could not be reached',
		description: `${CHECK_ADDRESS} and the network of this n8n server.` },
	certificate: { outcome: 'notSent', retryable: false, code: 'certificate',
		message: 'The gateway’s certificate is not trusted by this n8n server',
		description: `${CHECK_ADDRESS}. If the server has its own certificate authority, add that authority to n8n’s trusted certificates.` },
	address: { outcome: 'notSent', retryable: false, code: 'address',
		message: 'The gateway’s address does not work',
		description: `${CHECK_ADDRESS}: the port is wrong, or it says https:// for a server that speaks http:// (or the other way round).` },
	blocked: { outcome: 'notSent', retryable: false, code: 'blocked_by_n8n',
		message: 'This n8n server does not allow requests to that address',
		description: 'n8n’s protection against requests to internal addresses (SSRF) blocks it: ask the n8n administrator to add it to N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.' },
	credential: { outcome: 'notSent', retryable: true, code: 'credential_unreadable',
		message: 'n8n could not read the AI Gateway credential',
		description: 'Try again; if it keeps happening, open the credential and save it again.' },
	redirect: { outcome: 'rejected', retryable: false, code: 'redirected',
		message: 'The gateway’s address redirects elsewhere',
		description: 'The API key is never sent on to another address, so the redirect was not followed. Enter the final address in the AI Gateway credential.' },
	circle: { outcome: 'rejected', retryable: false, code: 'redirected',
		message: 'The link redirects in a circle',
		description: 'It may need a sign-in. Check the link; n8n’s HTTP Request node can get a file that needs one.' },
	lost: { outcome: 'unknown', retryable: true, code: 'connection_lost',
		message: 'The connection broke before the gateway responded',
		description: 'If it keeps happening, check the network between this n8n server and the gateway.' },
	timeout: { outcome: 'unknown', retryable: true, code: 'timeout',
		message: 'The gateway did not respond in time',
		description: "Try again later. In a workflow, raise the option 'Timeout (Seconds)'; for a text, the option 'Stream' allows 15 minutes." },
	notJson: { outcome: 'unknown', retryable: true, code: UNREADABLE,
		message: 'The gateway’s response could not be read',
		description: `It is not a JSON object, but perhaps a web page. ${CHECK_ADDRESS}: it ends in /api/v1.` },
	proxy: { outcome: 'unknown', retryable: true, code: UNREADABLE,
		message: 'A server between n8n and the gateway responded in its place',
		description: 'A proxy, a firewall or a load balancer probably sent the response. If it keeps happening, check the base URL in the AI Gateway credential and what is in front of the gateway: it has to let this n8n server through.' },
	tooLarge: { outcome: 'unknown', retryable: false, code: 'response_too_large',
		message: 'The gateway’s response is too large',
		description: 'It does not fit into memory beside others. Ask for less.' },
	webPage: { outcome: 'rejected', retryable: false, code: 'web_page',
		message: 'A web page came instead of the file',
		description: 'The link leads to a page, such as a sign-in page, or a proxy of this network responded.' },
	empty: { outcome: 'rejected', retryable: false, code: 'empty_file',
		message: 'The file is empty',
		description: 'The server responded with success, but without content. Try again later.' },
} satisfies Record<string, Problem>;

export type ProblemName = keyof typeof PROBLEMS;

const CHECK_LINK = 'Check the link, or try again later.';

/** Where the text for a file's own URL differs: another server is the problem. */
// prettier-ignore
export const FILE_PROBLEMS: Readonly<Partial<Record<ProblemName, ErrorText>>> = {
	refused: { message: 'The server of the file could not be reached', description: CHECK_LINK },
	certificate: { message: 'The certificate of the file’s server is not trusted by this n8n server', description: CHECK_LINK },
	address: { message: 'The link to the file does not work', description: CHECK_LINK },
	lost: { message: 'The connection broke while the file was downloaded', description: 'Try again.' },
	timeout: { message: 'The server of the file did not respond in time',
		description: "Try again later. In a workflow, you can raise the option 'Timeout (Seconds)'." },
};
