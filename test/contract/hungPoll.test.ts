import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { continueOnFail, run } from '../helpers/media';

// A gateway that does not respond to a poll, over real sockets.

let server: Server;
beforeAll(async () => {
	server = createServer(() => undefined);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

it('ends the wait at the longest wait with any timeout', async () => {
	const { port } = server.address() as AddressInfo;
	const start = Date.now();
	const { items } = await run(
		'wait',
		{ taskId: 't1', options: { maxWait: 0.01, timeout: 300 } },
		{ ...continueOnFail, credential: { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'sk-test' } },
	);
	expect(items[0]?.json.error).toMatchObject({ code: 'wait_timeout', taskId: 't1', state: null });
	// A poll may take a minute.
	expect(Date.now() - start).toBeLessThan(30_000);
}, 90_000);
