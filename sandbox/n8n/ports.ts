import { createServer, type Server } from 'node:net';

const host = '127.0.0.1';

/** A port of this machine that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
	const server = await listen();
	const port = portOf(server);
	await new Promise<void>((resolve) => server.close(() => resolve()));
	return port;
}

/** Two such ports, different ones. */
export async function twoFreePorts(): Promise<[number, number]> {
	const server = await listen();
	const second = await freePort();
	const first = portOf(server);
	await new Promise<void>((resolve) => server.close(() => resolve()));
	return [first, second];
}

async function listen(): Promise<Server> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(0, host, () => resolve(server));
	});
}

function portOf(server: Server): number {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The operating system gave no port.');
	return address.port;
}
