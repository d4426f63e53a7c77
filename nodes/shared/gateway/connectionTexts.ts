import type { ErrorText } from './errorTexts';

/** What a user reads when there was no answer, or none that can be read. */
export const CONNECTION_TEXTS = {
	refused: {
		message: 'The gateway could not be reached',
		description:
			'Nothing was sent and nothing was charged. Check the base URL in the AI Gateway credential and the network of this n8n server.',
	},
	certificate: {
		message: 'The gateway’s certificate is not trusted by this n8n server',
		description:
			'Nothing was sent. Check the base URL in the AI Gateway credential; for a gateway with its own certificate authority, add that authority to n8n’s trusted certificates.',
	},
	lost: {
		message: 'The connection broke before the gateway had answered',
		description: 'Run the workflow again.',
	},
	lostCharge: {
		message: 'The connection broke before the gateway had answered',
		description:
			'The call was not repeated, because the gateway may have processed and charged it already. Compare the balance, then run this item again if you need its answer.',
	},
	timeout: {
		message: 'The gateway did not answer in time',
		description: 'Raise the option "Timeout", or run the workflow again later.',
	},
	timeoutCharge: {
		message: 'The gateway did not answer in time',
		description:
			'The call was not repeated, because the gateway may still process and charge it. Compare the balance, raise the option "Timeout", and run this item again if you need its answer.',
	},
	notJson: {
		message: 'The gateway’s answer could not be read',
		description:
			'It was not valid JSON. Run the workflow again; if it lasts, check the base URL in the AI Gateway credential.',
	},
	notJsonCharge: {
		message: 'The gateway’s answer could not be read',
		description:
			'It was not valid JSON, so the text is lost. The call was not repeated, because it may have been charged. Compare the balance, then run this item again if you need its answer.',
	},
	webPage: {
		message: 'A web page came back instead of the gateway’s answer',
		description:
			'The base URL in the AI Gateway credential does not lead to the gateway’s API. It is the address that ends in /api/v1.',
	},
	redirect: {
		message: 'The gateway’s address redirects elsewhere',
		description:
			'The API key is never sent on to another address, so the redirect was not followed. Enter the final address in the AI Gateway credential.',
	},
} satisfies Record<string, ErrorText>;
