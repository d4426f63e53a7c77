import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Below those that Linux gives to connections and to servers without a port: nothing takes one before it is used. */
const FIRST_PORT = 20_000;
const END = 32_000;

/** So many ports of this machine that nothing listens on at the moment. */
export async function freePorts(count: number): Promise<number[]> {
	// All at once, so that they differ.
	const servers: Server[] = [];
	while (servers.length < count) {
		const server = createServer().listen(randomInt(FIRST_PORT, END), '127.0.0.1');
		const isFree = await once(server, 'listening').then(
			() => true,
			() => false,
		);
		if (isFree) servers.push(server);
	}
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	for (const server of servers) await once(server.close(), 'close');
	return ports;
}

export async function freePort(): Promise<number> {
	const [port = 0] = await freePorts(1);
	return port;
}
