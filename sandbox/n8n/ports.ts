import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** So many ports of this machine that nothing listens on at the moment. */
export async function freePorts(count: number): Promise<number[]> {
	// All at once, so that they differ.
	const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
	for (const server of servers) if (!server.listening) await once(server, 'listening');
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	for (const server of servers) await once(server.close(), 'close');
	return ports;
}

export async function freePort(): Promise<number> {
	const [port = 0] = await freePorts(1);
	return port;
}
