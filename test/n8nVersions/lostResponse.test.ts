import { runNode } from '../helpers/engine';
import { API_KEY, useSocketGateway } from '../helpers/socketGateway';
import { CONTINUE, locator } from '../helpers/values';
import { versions } from './versions';

// Text calls over real sockets, with the errors that each version of n8n-workflow makes of lost connections.

const gateway = useSocketGateway();

/** The `json.error` of a text call with *Retry On Fail*. */
async function errorOf(version: string, origin = gateway.origin()): Promise<unknown> {
	const { items } = await runNode({
		node: 'textGeneration',
		older: { version, lacks: [] },
		credential: { baseUrl: `${origin}/api/v1`, apiKey: API_KEY },
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1, ...CONTINUE },
		parameters: {
			resource: 'text',
			operation: 'generate',
			model: locator('acme/writer'),
			prompt: 'Hi',
			options: { maxRetries: 0 },
		},
	});
	return items[0]?.json.error;
}

describe.each(versions)('with n8n-workflow %s', (version) => {
	it('a text call whose response is lost is sent once, and its outcome is unknown', async () => {
		gateway.onRequest((request) => request.socket.destroy());
		expect(await errorOf(version)).toMatchObject({
			message: 'The connection broke before the gateway responded',
			code: 'econnreset',
			mayBeCharged: true,
			retryable: false,
		});
		expect(gateway.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});

	it('a text call that cannot connect costs nothing, and may be repeated', async () => {
		// No server listens there.
		const error = await errorOf(version, 'http://127.0.0.1:1');
		expect(error).toMatchObject({ message: 'The gateway could not be reached', retryable: true });
		expect(error).not.toHaveProperty('mayBeCharged');
	});
});
