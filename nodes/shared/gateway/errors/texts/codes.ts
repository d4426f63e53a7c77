import { SLOWER, type ErrorText } from './statuses';

/** For a text model that the gateway does not know; §7.3 has the same code for an unknown response. */
export const UNKNOWN_MODEL: ErrorText = {
	message: 'The gateway does not know this model',
	description:
		"Choose the model again from the list: IDs change. With 'Previous Response ID', that response may be unknown.",
};

/** §7.3: texts by the machine-readable `code` of the OpenAI-style format, where it says more than the status. */
// prettier-ignore
export const BY_CODE: Readonly<Record<string, ErrorText>> = {
	provider_bad_request: { message: 'The provider of the model rejected the request',
		description: 'The model does not accept this input or one of the options. Correct what the provider names, or choose another model.' },
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
		description: "Lower the option 'Max Tokens', shorten the input, or choose a model with a larger context window." },
	limit_exceeded: { message: 'The limit of the gateway plan is used up',
		description: 'It is available again in the next period. Until then a retry does not help; change the plan if you need more.' },
	token_limit_exceeded: { message: 'The gateway account used too many tokens in a minute',
		description: `The limit of tokens per minute was reached. Shorten the input. ${SLOWER}` },
};
