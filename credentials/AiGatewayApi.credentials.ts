import type {
	ICredentialDataDecryptedObject,
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
			// A hint, because descriptions show only when the mouse is over the label.
			hint: 'The address of the gateway’s API. It ends in /api/v1.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. sk-…',
			hint: 'Created in the profile area of the web application, where it is shown in full only once',
		},
	];

	/** Signs requests to the gateway's origin only: no other server must receive the key. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const own = originOf(String(credentials.baseUrl ?? '').trim());
		if (own === undefined) {
			throw new Error('The base URL in the AI Gateway credential is not a web address');
		}
		if (own !== originOf(requestOptions.url, requestOptions.baseURL)) {
			throw new Error(
				'This AI Gateway credential is for another address: its key is sent to the origin of its base URL only',
			);
		}
		return {
			...requestOptions,
			// Bearer, not X-Api-Key: HTTP clients remove this header when a redirect leads to another origin.
			headers: { ...requestOptions.headers, Authorization: `Bearer ${String(credentials.apiKey).trim()}` },
		};
	}
}

function originOf(url: string, base?: string): string | undefined {
	try {
		return new URL(base ? `${base}${url}` : url).origin;
	} catch {
		return undefined;
	}
}
