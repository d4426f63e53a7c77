import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';

import { credentialType } from '../sandbox/n8n/workflows';
import { repositoryRoot } from '../sandbox/n8n/runtime';
import { OwnEnvironment } from '../test/e2e/support/environment';
import type { Row } from './measure';
import {
	headerCredential,
	httpRequestNode,
	openAiCredential,
	openAiNode,
	textNode,
	type Contender,
} from './text/contenders';
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
		const baseUrl = `https://127.0.0.1:${await startDelay(port, servers)}/api/v1`;
		const gateway = { ...environment.gateway, baseUrl };
		const { apiKey } = gateway;
		const credential = await client.saveCredential('Gateway with https', credentialType, { baseUrl, apiKey });
		const place = { client, server, gateway, credential };
		// The first run loads and warms up shared code.
		await runItems(place, textNode('chat', 8), 50);
		const run = async (contender: Contender) => await runItems(place, contender, ITEMS);
		const ours = await run(textNode('chat', 20));
		const perItemMs = (ours.cpuSeconds * 1_000) / ITEMS;
		const row: Row = {
			what: `${ITEMS} texts of ${LATENCY_MS} ms, 20 at a time, over https with a round trip of ${ROUND_TRIP_MS} ms`,
			ours: `${ours.seconds.toFixed(1)} s, ${perItemMs.toFixed(1)} ms of processor time each`,
			others: [],
		};
		for (const contender of [
			httpRequestNode(gateway, await headerCredential(client, gateway)),
			openAiNode(await openAiCredential(client, gateway)),
		]) {
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
	const server = createTlsServer(identity, (socket) => relay(socket, connect(target, '127.0.0.1')));
	return await listen(server, servers);
}

/** Starts a server that passes bytes on to a port half a round trip later, in both directions, and returns its port. */
async function startDelay(target: number, servers: Server[]): Promise<number> {
	return await listen(
		createServer((socket) => relay(socket, connect(target, '127.0.0.1'), ROUND_TRIP_MS / 2)),
		servers,
	);
}

async function listen(server: Server, servers: Server[]): Promise<number> {
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

function relay(one: Socket, other: Socket, delayMs = 0): void {
	one.pipe(delay(delayMs)).pipe(other);
	other.pipe(delay(delayMs)).pipe(one);
	// A connection that breaks ends both sides.
	for (const socket of [one, other]) socket.on('error', () => [one, other].forEach((side) => side.destroy()));
}

/** Passes each chunk on after a time, while others come in. */
function delay(milliseconds: number): Transform {
	let last = Promise.resolve();
	return new Transform({
		transform(chunk: Buffer, _, done) {
			const over = sleep(milliseconds);
			last = last.then(async () => await over).then(() => void this.push(chunk));
			done();
		},
		flush(done) {
			void last.then(() => done());
		},
	});
}
