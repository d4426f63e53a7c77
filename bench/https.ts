import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

import { credentialType } from '../sandbox/n8n/workflows';
import { repositoryRoot } from '../sandbox/n8n/runtime';
import { OwnEnvironment } from '../test/e2e/support/environment';
import type { Row } from './measure';
import { n8nNodes, textNode, type Contender } from './text/contenders';
import { runItems } from './text/run';

const ITEMS = 400;
const LATENCY_MS = 200;
const ROUND_TRIP_MS = 40;

/** Texts through a gateway with https and a round trip of 40 ms, as a real one has, beside n8n's own nodes. */
export async function https(): Promise<Row[]> {
	const environment = await OwnEnvironment.start({
		gateway: { balance: '1000000.00', settings: { latency: { all: LATENCY_MS } } },
		// The certificate is that of the tests.
		n8n: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
	});
	const servers: Server[] = [];
	try {
		const { client, server } = environment;
		const port = await startTls(Number(new URL(environment.gateway.baseUrl).port), servers);
		const far = createServer((socket) => relay(socket, connect(port, '127.0.0.1'), ROUND_TRIP_MS / 2));
		const baseUrl = `https://127.0.0.1:${await listen(far, servers)}/api/v1`;
		const gateway = { ...environment.gateway, baseUrl };
		const { apiKey } = gateway;
		const credential = await client.saveCredential('Gateway with https', credentialType, { baseUrl, apiKey });
		const place = { client, server, gateway, credential };
		// The first run loads and warms up shared code.
		await runItems(place, textNode(8), 50);
		const run = async (contender: Contender) => await runItems(place, contender, ITEMS);
		const ours = await run(textNode(20));
		const perItemMs = (ours.cpuSeconds * 1_000) / ITEMS;
		const row: Row = {
			what: `${ITEMS} texts of ${LATENCY_MS} ms, 20 at a time, over https with a round trip of ${ROUND_TRIP_MS} ms`,
			ours: `${ours.seconds.toFixed(1)} s, ${perItemMs.toFixed(1)} ms of processor time each`,
			others: [],
		};
		for (const contender of await n8nNodes(client, gateway)) {
			const { seconds, cpuSeconds } = await run(contender);
			const ratios = [seconds / ours.seconds, cpuSeconds / ours.cpuSeconds].map((ratio) => ratio.toFixed(2));
			row.others.push(`${contender.name} ${ratios.join(' × and ')} ×`);
		}
		return [row];
	} finally {
		for (const server of servers) server.close();
		await environment.close();
	}
}

/** Starts a server that speaks TLS in front of a port, and returns its port. */
async function startTls(target: number, servers: Server[]): Promise<number> {
	const pem = async (name: string) => await readFile(join(repositoryRoot, 'test', 'fixtures', 'tls', name));
	const identity = { key: await pem('key.pem'), cert: await pem('cert.pem') };
	return await listen(
		createTlsServer(identity, (socket) => relay(socket, connect(target, '127.0.0.1'), 0)),
		servers,
	);
}

async function listen(server: Server, servers: Server[]): Promise<number> {
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

/** Passes bytes on after a time, in both directions. A connection that breaks ends both sides. */
function relay(one: Socket, other: Socket, delayMs: number): void {
	for (const [from, to] of [
		[one, other],
		[other, one],
	] as const) {
		from.on('data', (bytes: Buffer) => setTimeout(() => to.write(bytes), delayMs));
		from.on('end', () => setTimeout(() => to.end(), delayMs));
		from.on('error', () => to.destroy());
	}
}
