import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runNode, type RunOptions } from '../helpers/engine';

// A download that stalls, over real sockets.

let server: Server;
let requests = 0;
/** Whether the second request gets the whole file. */
let recovers = false;

beforeAll(async () => {
	server = createServer((request, response) => {
		if (request.url?.startsWith('/api/v1/storage/')) {
			const { port } = server.address() as AddressInfo;
			const asset = { id: 'f', filename: 'a.bin', url: `http://127.0.0.1:${port}/file`, status: 'active' };
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ asset }));
			return;
		}
		requests += 1;
		response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '10' });
		response.write('12345');
		if (recovers && requests > 1) response.end('67890');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
	requests = 0;
	recovers = false;
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

type From = Pick<RunOptions, 'node' | 'parameters'>;
const fileHost: From = {
	node: 'storage',
	parameters: { resource: 'file', operation: 'download', fileId: 'f' },
};
const gateway: From = {
	node: 'mediaTask',
	parameters: { resource: 'task', operation: 'download', taskId: 't' },
};

const download = async (from: From, options: { timeout: number; maxRetries: number }) => {
	const { port } = server.address() as AddressInfo;
	return await runNode({
		...from,
		parameters: { ...from.parameters, options },
		credential: { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'sk-test' },
	});
};

describe.each([
	['from the file host', fileHost],
	['from the gateway', gateway],
])('a stalled download %s', (_, from) => {
	it('ends at the timeout', async () => {
		const { error } = await download(from, { timeout: 1, maxRetries: 0 });
		expect(error?.message).toBe('The server of the file did not respond in time');
		expect(requests).toBe(1);
	});

	it('is fetched again', async () => {
		recovers = true;
		const { error, items } = await download(from, { timeout: 1, maxRetries: 2 });
		expect(error).toBeUndefined();
		expect(items[0]?.binary?.data?.fileSize).toBe('10 B');
		expect(requests).toBe(2);
	});
});
