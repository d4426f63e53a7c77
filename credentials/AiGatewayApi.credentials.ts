import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

/** §5: the address of the gateway and an API key of the account. */
export class AiGatewayApi implements ICredentialType {
	name = 'aiGatewayApi';

	displayName = 'AI Gateway API';

	icon: Icon = { light: 'file:../icons/gateway.svg', dark: 'file:../icons/gateway.dark.svg' };

	documentationUrl = 'https://github.com/n8n-nodes-ai-gateway/n8n-nodes-ai-gateway#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://gateway.example.com/api/v1',
			description: 'The address of the gateway’s API. It ends in /api/v1.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. sk-…',
			description: 'Created in the profile area of the web application, where it is shown in full only once',
		},
	];

	/** Signs requests to the gateway's own origin, and nothing else: the key must not reach another server. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const target = originOf(requestOptions.url, requestOptions.baseURL);
		if (target === undefined || target !== originOf(String(credentials.baseUrl ?? '').trim())) {
			throw new Error(
				'This AI Gateway credential is for another address: its key is sent to the origin of its base URL only',
			);
		}
		return {
			...requestOptions,
			// Bearer, not X-Api-Key: HTTP clients drop this header when a redirect leads to another origin.
			headers: { ...requestOptions.headers, Authorization: `Bearer ${String(credentials.apiKey).trim()}` },
		};
	}

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl.trim().replace(/\\/+$/, "")}}',
			url: '/balance',
			method: 'GET',
			disableFollowRedirect: true,
			timeout: 30_000,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message: 'The API key was refused: it is wrong, revoked or expired. The base URL is right.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 403,
					message:
						'The gateway refuses this account or the address of this n8n server. Check the IP allow-list and the account in the web application.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'No gateway answers at this base URL. It is the address that ends in /api/v1.',
				},
			},
		],
	};
}

function originOf(url: string, base?: string): string | undefined {
	try {
		return new URL(base ? `${base}${url}` : url).origin;
	} catch {
		return undefined;
	}
}
