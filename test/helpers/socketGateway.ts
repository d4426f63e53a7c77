import type { IncomingMessage, RequestListener } from 'node:http';

import { credentialReader } from '../../nodes/shared/n8n/credential';
import { n8nTransport } from '../../nodes/shared/n8n/transport';
import type { ClientSettings, GatewayClient } from '../../nodes/shared/gateway/client/client';
import { editorContext } from './contexts';
import { testClient } from './client';
import { useServer } from './server';

/** A request that the server received. */
interface ReceivedRequest {
	method: string | undefined;
	url: string | undefined;
	headers: IncomingMessage['headers'];
	rawHeaders: string[];
	body: string;
}

export const API_KEY = 'sk-0a1b2c3d-1111-2222-3333-444455556666';

/** A server on a real socket in place of the gateway, and clients that reach it through n8n's own HTTP client. */
export function useSocketGateway() {
	let respond: RequestListener;
	const received: ReceivedRequest[] = [];
	const { origin } = useServer((request, response) => {
		const { method, url, headers, rawHeaders } = request;
		const entry = { method, url, headers, rawHeaders, body: '' };
		received.push(entry);
		request.on('data', (chunk: Buffer) => (entry.body += chunk.toString()));
		request.on('end', () => respond(request, response));
	});
	beforeEach(() => {
		received.length = 0;
		respond = (_, response) => response.end('{}');
	});
	return {
		received,
		origin,
		onRequest(listener: RequestListener): void {
			respond = listener;
		},
		/** A client that pauses for no time. */
		client(settings: Partial<ClientSettings>): GatewayClient {
			const baseUrl = `${origin()}/api/v1`;
			const context = editorContext({
				node: 'textGeneration',
				parameters: {},
				credential: { baseUrl, apiKey: API_KEY },
			});
			return testClient(
				{ baseUrl, secrets: [API_KEY], ...settings },
				{ transport: n8nTransport(context, credentialReader(context)) },
			);
		},
	};
}
