import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a real socket for the tests of a file or group. */
export function useServer(listener: RequestListener) {
	let server: Server;
	beforeAll(async () => {
		server = createServer(listener);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	/** Where it is, such as `http://127.0.0.1:1234`. */
	return { origin: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
