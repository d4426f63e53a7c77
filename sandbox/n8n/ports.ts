import { createServer, type AddressInfo } from 'node:net';

/** So many ports of this machine that nothing listens on at the moment. */
export async function freePorts(count: number): Promise<number[]> {
	// All at once, so that they differ.
	const servers = Array.from({ length: count }, () => createServer());
	await Promise.all(
		servers.map(
			async (server) =>
				await new Promise<void>((resolve, reject) => {
					server.once('error', reject);
					server.listen(0, '127.0.0.1', resolve);
				}),
		),
	);
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	await Promise.all(servers.map(async (server) => await new Promise((resolve) => server.close(resolve))));
	return ports;
}

/** One of them. */
export async function freePort(): Promise<number> {
	const [port = 0] = await freePorts(1);
	return port;
}
