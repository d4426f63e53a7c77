import { useGateway } from '../contract/support';

/** The smallest request of each format. */
const requests = {
	chat: ['/chat/completions', { messages: [{ role: 'user', content: 'Say hello' }] }],
	responses: ['/responses', { input: 'Say hello' }],
	messages: ['/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Say hello' }] }],
} as const;

export type FormatName = keyof typeof requests;

/** A gateway that is asked without a client, so that a request may be invalid. */
export function useRawGateway() {
	const gateway = useGateway();

	const send = async (path: string, body: object, method = 'POST'): Promise<Response> =>
		await fetch(gateway.baseUrl + path, {
			method,
			headers: {
				authorization: `Bearer ${gateway.apiKey}`,
				'content-type': 'application/json',
				'vendor-version': '2023-06-01',
			},
			body: JSON.stringify(body),
		});

	/** Asks for a text; the fields replace those of the smallest request. */
	const ask = async (format: FormatName, fields: object = {}): Promise<Response> => {
		const [path, smallest] = requests[format];
		return await send(path, { model: 'sandbox/swift-1', ...smallest, ...fields });
	};

	return { gateway, send, ask };
}
