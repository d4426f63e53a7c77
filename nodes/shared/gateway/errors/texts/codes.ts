import { BY_STATUS, SLOWER, type ErrorText } from './statuses';

/** §7.3: texts by the machine-readable `code` of the OpenAI-style format. */
// prettier-ignore
export const BY_CODE: Readonly<Record<string, ErrorText>> = {
	invalid_request: BY_STATUS[400],
	provider_bad_request: { message: 'The provider of the model rejected the request',
		description: 'The model does not accept this input or one of the options. Correct what the provider names, or choose another model.' },
	context_length_exceeded: { message: 'The input is longer than the model can read',
		description: 'Shorten the input, or choose a model with a larger context window.' },
	unauthorized: { message: 'The gateway did not accept the sign-in',
		description: 'The request came without a key, or the key may not do this. Choose an AI Gateway credential in this node and check its key.' },
	invalid_api_key: BY_STATUS[401],
	insufficient_quota: BY_STATUS[402],
	feature_not_available: { message: 'The plan of the gateway account does not include this',
		description: 'Choose another model or option, or change the plan of the account.' },
	sub_account_blocked: { message: 'This gateway account is blocked',
		description: 'It is a child account that its owner has blocked. Ask the owner of the main account to unblock it.' },
	ip_not_allowed: { message: 'The gateway does not accept requests from the address of this n8n server',
		description: 'The account has a list of allowed IP addresses. Ask its owner to add the public address of this n8n server.' },
	forbidden: BY_STATUS[403],
	model_not_found: { message: 'The gateway does not know this model',
		description: 'Model IDs change over time. Choose the model again from the list.' },
	content_too_large: { message: 'The input and the space reserved for the response do not fit the model’s context window',
		description: "Lower the option 'Max Tokens', shorten the input, or choose a model with a larger context window." },
	limit_exceeded: { message: 'The limit of the gateway plan is used up',
		description: 'It is available again in the next period. Until then a retry does not help; change the plan if you need more.' },
	rate_limit_exceeded: BY_STATUS[429],
	token_limit_exceeded: { message: 'The gateway account used too many tokens in a minute',
		description: `The limit of tokens per minute was reached. Shorten the input. ${SLOWER}` },
	client_closed_request: BY_STATUS[499],
	internal_error: BY_STATUS[500],
	provider_error: { message: 'The provider of the model is not working',
		description: 'Choose another model, or run the workflow again later.' },
	no_providers: { message: 'No provider offers this model at the moment',
		description: 'Choose another model, or run the workflow again later.' },
	service_unavailable: { message: 'The provider of this model is switched off at the moment',
		description: 'Choose another model, or run the workflow again later.' },
};

/** §7.4: texts by the stable `error.type` of the messages format. */
// prettier-ignore
export const BY_MESSAGES_TYPE: Readonly<Record<string, ErrorText>> = {
	invalid_request_error: { message: 'The gateway did not accept the request',
		description: 'In the API format Messages, this status can mean invalid parameters, an input that is too long or an empty wallet. Read the gateway’s message below, and check the parameters and the balance.' },
	authentication_error: BY_STATUS[401],
	permission_error: BY_STATUS[403],
	not_found_error: { message: 'The gateway does not know this model',
		description: 'Model IDs change over time. Choose the model again from the list.' },
	rate_limit_error: BY_STATUS[429],
	api_error: { message: 'The gateway or the provider of the model failed',
		description: 'Run the workflow again later, or choose another model.' },
};
