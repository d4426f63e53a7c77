import type { TextByOrigin } from './origin';
import { BAD_REQUEST, BUSY, CLIENT_CLOSED, FORBIDDEN, INTERNAL, NO_MONEY, WRONG_KEY } from './common';

/** §7.3: texts by the machine-readable `code` of the OpenAI-style format. */
// prettier-ignore
export const BY_CODE: Readonly<Record<string, TextByOrigin>> = {
	invalid_request: BAD_REQUEST,
	provider_bad_request: { message: 'The provider of the model rejected the request',
		description: 'The model does not accept this input or one of the options. Correct what the provider names, or choose another model.' },
	context_length_exceeded: { message: 'The input is longer than the model can read',
		description: 'Shorten the input, or choose a model with a larger context window.' },
	unauthorized: { message: 'The gateway did not accept the sign-in',
		description: 'The request came without a key, or the key may not do this. Choose an AI Gateway credential in this node and check its key.' },
	invalid_api_key: WRONG_KEY,
	insufficient_quota: NO_MONEY,
	feature_not_available: { message: 'The plan of the gateway account does not include this',
		description: 'Choose another model or option, or change the plan of the account.' },
	sub_account_blocked: { message: 'This gateway account is blocked',
		description: 'It is a child account that its owner has blocked. Ask the owner of the main account to unblock it.' },
	ip_not_allowed: { message: 'The gateway does not accept requests from the address of this n8n server',
		description: 'The account has a list of allowed IP addresses. Ask its owner to add the public address of this n8n server.' },
	forbidden: FORBIDDEN,
	model_not_found: { message: 'The gateway does not know this model',
		description: 'Model IDs change over time. Choose the model again from the list.' },
	content_too_large: { message: 'The input and the space reserved for the response do not fit the model’s context window',
		description: "Lower the option 'Max Tokens', shorten the input, or choose a model with a larger context window. Nothing was charged." },
	limit_exceeded: { message: 'The limit of the gateway plan is used up',
		description: 'It is available again in the next period. Until then a retry does not help; change the plan if you need more.' },
	rate_limit_exceeded: BUSY,
	token_limit_exceeded: {
		message: 'The gateway account used too many tokens in a minute',
		description:
			"The limit of tokens per minute was reached. Raise the option 'Rate Limit Wait (Minutes)', shorten the input, or send fewer items at a time.",
		elsewhere: {
			chatModel:
				"The limit of tokens per minute was reached. Lower 'Batch Size' of the agent or chain, raise the option 'Rate Limit Wait (Minutes)', or shorten the input.",
			trigger:
				'The limit of tokens per minute was reached. It is available again a minute later; if it keeps happening, let other workflows of the account send less at a time.',
			editor: 'The limit of tokens per minute was reached. Try again in a minute.',
		},
	},
	client_closed_request: CLIENT_CLOSED,
	internal_error: INTERNAL,
	provider_error: { message: 'The provider of the model is not working',
		description: 'Choose another model, or run the workflow again later.' },
	no_providers: { message: 'No provider offers this model at the moment',
		description: 'Choose another model, or run the workflow again later.' },
	service_unavailable: { message: 'The provider of this model is switched off at the moment',
		description: 'Choose another model, or run the workflow again later.' },
};

/** §7.4: texts by the stable `error.type` of the messages format. */
// prettier-ignore
export const BY_MESSAGES_TYPE: Readonly<Record<string, TextByOrigin>> = {
	invalid_request_error: { message: 'The gateway did not accept the request',
		description: 'In the API format Messages, this status can mean invalid parameters, an input that is too long or an empty wallet. Read the gateway’s message below, and check the parameters and the balance.' },
	authentication_error: WRONG_KEY,
	permission_error: FORBIDDEN,
	not_found_error: { message: 'The gateway does not know this model',
		description: 'Model IDs change over time. Choose the model again from the list.' },
	rate_limit_error: BUSY,
	api_error: { message: 'The gateway or the provider of the model failed',
		description: 'Run the workflow again later, or choose another model.' },
};
