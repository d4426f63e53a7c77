/** What a user reads about an error: what happened, and what to do about it. */
export interface ErrorText {
	message: string;
	description: string;
}

/** What to do about a rate limit; lists in the editor have no options. */
export const SLOWER =
	"Try again in a minute. In a workflow, raise the option 'Rate Limit Wait (Minutes)', or send less at a time.";

/** Texts by status, where neither the code nor the group of endpoints has one. */
// prettier-ignore
export const BY_STATUS = {
	400: { message: 'The gateway did not accept the request',
		description: 'A parameter is missing or has a value that is not allowed. Correct it.' },
	401: { message: 'The gateway refused the API key',
		description: 'The key is wrong, revoked or expired. Open the AI Gateway credential of this node and enter a valid key (it looks like sk-… and is shown only once, when it is created in the profile area of the web application).' },
	402: { message: 'There is not enough money in the gateway wallet',
		description: 'Top up the wallet and run the workflow again. A Gateway Balance Trigger can warn you in time.' },
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
		description: 'The cause is within the gateway. Run the workflow again later; if it keeps happening, contact the gateway’s support.' },
	502: { message: 'The gateway could not reach the service behind it',
		description: 'Run the workflow again later.' },
	503: { message: 'The gateway is not available at the moment',
		description: 'Run the workflow again later.' },
	504: { message: 'The gateway stopped the request after its limit of 300 seconds',
		description: 'It took too long. Try again later; if it keeps happening, contact the gateway’s support.' },
} satisfies Record<number, ErrorText>;
