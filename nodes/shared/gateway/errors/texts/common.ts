import type { ErrorText, TextByOrigin } from './origin';

// Texts that several endpoint groups share.

export const BAD_REQUEST: ErrorText = {
	message: 'The gateway did not accept the request',
	description:
		'A parameter is missing or has a value that is not allowed. Correct it and run the node again.',
};

export const WRONG_KEY: ErrorText = {
	message: 'The gateway refused the API key',
	description:
		'The key is wrong, revoked or expired. Open the AI Gateway credential of this node and enter a valid key (it looks like sk-… and is shown only once, when it is created in the profile area of the web application).',
};

export const NO_MONEY: ErrorText = {
	message: 'There is not enough money in the gateway wallet',
	description:
		'Nothing was charged for this call. Top up the wallet and run the workflow again. A Gateway Balance node in a scheduled workflow can warn you in time.',
};

export const FORBIDDEN: ErrorText = {
	message: 'The gateway denied access',
	description: 'The account may not do this. Check the plan and the restrictions of the account.',
};

export const BUSY: TextByOrigin = {
	message: 'The gateway receives too many requests from this account',
	description:
		"The limit of requests per minute was reached. Raise the option 'Rate Limit Wait (Minutes)', or send fewer items at a time.",
	elsewhere: {
		chatModel:
			"The limit of requests per minute was reached. Lower 'Batch Size' of the agent or chain, raise the option 'Rate Limit Wait (Minutes)', or send fewer items at a time.",
		trigger:
			'The limit of requests per minute was reached. It is available again a minute later; if it keeps happening, let other workflows of the account send less at a time.',
		editor: 'The limit of requests per minute was reached. Try again in a minute.',
	},
};

export const INTERNAL: ErrorText = {
	message: 'The gateway could not handle the request',
	description:
		'The cause is within the gateway. Run the workflow again later; if it keeps happening, contact the gateway’s support.',
};

const STOPPED_BY_GATEWAY = 'The gateway stopped the request after its limit of 300 seconds';

export const GATEWAY_TIMEOUT: ErrorText = {
	message: STOPPED_BY_GATEWAY,
	description: 'It took too long. Try again later; if it keeps happening, contact the gateway’s support.',
};

const NOT_FINISHED =
	'The model did not finish in time. The call was not repeated, because it may have been charged: check the balance before you send it again.';
const SHORTER_RESPONSE =
	"Or ask for a shorter response (option 'Max Tokens'), shorten the input, or choose a faster model.";

export const MODEL_TIMEOUT: TextByOrigin = {
	message: STOPPED_BY_GATEWAY,
	description: `${NOT_FINISHED} The option 'Stream' allows 15 minutes. ${SHORTER_RESPONSE}`,
	elsewhere: {
		chatModel: `${NOT_FINISHED} An agent that streams its response gives the model 15 minutes. ${SHORTER_RESPONSE}`,
	},
};

export const CLIENT_CLOSED: ErrorText = {
	message: 'The request was cancelled before the gateway responded',
	description: 'The connection was closed on this side. Run the workflow again if that was not intended.',
};
