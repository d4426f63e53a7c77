import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { InvalidInputError } from '../nodes/shared/gateway/errors/errors';
import { readAddress } from '../nodes/shared/n8n/credential';

/** §5: the address of the gateway and an API key of the account. */
export class AiGatewayApi implements ICredentialType {
	name = 'aiGatewayApi';

	displayName = 'AI Gateway API';

	icon: Icon = { light: 'file:../icons/gateway.svg', dark: 'file:../icons/gateway.dark.svg' };

	documentationUrl = 'https://github.com/n8n-nodes-ai-gateway/n8n-nodes-ai-gateway#credentials';

	// n8n's field says that the key goes to all domains.
	hideDomainRestrictionFields = true;

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://gateway.example.com/api/v1',
			hint: 'The address of the gateway’s API. It ends in /api/v1. The API key is sent only there.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. sk-…',
			hint: 'Created in the profile area of the gateway’s web application, where it is shown in full only once',
		},
		{
			displayName: 'Minimum Balance (₽)',
			name: 'minBalanceRub',
			type: 'string',
			default: '',
			placeholder: 'e.g. 100',
			hint: 'Optional: a call that could leave less than this on the account is not sent',
			description:
				'Calls in progress may pass it; the exact limit is Max Cost per Execution. Each combination of base URL and API key has its own limit.',
		},
	];

	/**
	 * Adds the key to a request to the gateway's origin, and makes its `url` absolute, so that n8n sends it to the address
	 * that was checked. No other server must receive the key, so no redirect is followed.
	 *
	 * @param request for `httpRequestWithAuthentication`, or for `requestWithAuthentication`, which n8n's HTTP Request
	 *   node calls and which has other names for some options
	 */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { baseUrl, secrets } = readAddress(credentials);
		const { url, uri, ...options }: AnyRequest = request;
		const target = targetOf(url ?? uri ?? '', new URL(baseUrl));
		checkRoute(options, target);
		const signed: AnyRequest & { url: string } = {
			...options,
			baseURL: '',
			url: target.href,
			// Bearer, not X-Api-Key: HTTP clients remove this header when a redirect leads to another origin.
			headers: { ...options.headers, Authorization: `Bearer ${secrets[0]}` },
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		};
		return signed;
	}
}

/** A request in the form of either of n8n's request functions. */
interface AnyRequest extends Partial<IHttpRequestOptions> {
	/** Stands for `url` in `requestWithAuthentication`, as the two below stand for `disableFollowRedirect`. */
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
}

/** @throws {InvalidInputError} unless it has the origin of the gateway */
function targetOf(url: string, { origin }: URL): URL {
	const target = URL.canParse(url) ? new URL(url) : undefined;
	if (target?.origin === origin && target.protocol !== 'blob:') return target;
	throw new InvalidInputError(
		'The AI Gateway credential is for another address than the URL of this request',
		`The request goes to ${target?.origin ?? `"${url}", which is no full URL`}; the API key is sent only to ${origin}, the origin of the base URL. Correct the URL of the request, or choose another credential.`,
	);
}

/** @throws {InvalidInputError} when the request would not reach its target directly, or without the key */
function checkRoute({ headers = {}, proxy }: AnyRequest, target: URL): void {
	const isOtherHost = ([name, host]: [string, unknown]) =>
		name.toLowerCase() === 'host' && String(host).toLowerCase() !== target.host;
	if (!proxy && !Object.entries(headers).some(isOtherHost)) return;
	throw new InvalidInputError(
		'The AI Gateway credential cannot be used with a proxy of the request, or with a header Host for another host',
		'Others could read the API key. Remove them; a proxy for all of n8n is set with HTTP_PROXY and HTTPS_PROXY.',
	);
}
