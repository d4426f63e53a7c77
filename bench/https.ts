import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';

import { credentialType } from '../sandbox/n8n/workflows';
import { repositoryRoot } from '../sandbox/n8n/runtime';
import { Environment } from '../test/e2e/support/environment';
import { table } from './measure';
import type { Report } from './report';
import {
	headerCredential,
	httpRequestNode,
	openAiCredential,
	openAiNode,
	textNode,
	type Contender,
} from './text/contenders';
import { runItems, type Run } from './text/run';

const ITEMS = 400;
const LATENCY_MS = 200;
const ROUND_TRIP_MS = 40;

/** Text items through a gateway with https and a round trip of 40 ms, as a real one has, compared with n8n's own nodes. */
export async function https(): Promise<Report> {
	const environment = await Environment.start({
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
		const contenders = [
			textNode('chat', 8),
			textNode('chat', 20),
			httpRequestNode(gateway, await headerCredential(client, gateway)),
			openAiNode(await openAiCredential(client, gateway)),
		];
		// The first run loads and warms up shared code.
		await runItems(place, textNode('chat', 8), 50);
		const results: Array<[Contender, Run]> = [];
		for (const contender of contenders) {
			results.push([contender, await runItems(place, contender, ITEMS)]);
		}
		return reportOf(results);
	} finally {
		for (const server of servers) server.close();
		await environment.close();
	}
}

function reportOf(results: Array<[Contender, Run]>): Report {
	const [[, ours] = [], ...others] = results;
	if (!ours) throw new Error('There is no result.');
	const rows = results.map(([{ name }, run]) => [
		name,
		run.seconds.toFixed(2),
		((run.cpuSeconds * 1000) / ITEMS).toFixed(2),
		run.mostAtOnce,
		run.charges,
	]);
	return {
		details: `${ITEMS} text items, ${LATENCY_MS} ms latency of the gateway, https, round trip of ${ROUND_TRIP_MS} ms\n\n${table(
			['node', 'ran (s)', 'processor time per item (ms)', 'most at once', 'charges'],
			rows,
		)}`,
		headlines: [
			{
				what: `${ITEMS} text items over https with a round trip of ${ROUND_TRIP_MS} ms`,
				ours: `${ours.seconds.toFixed(1)} s`,
				compared: others
					.map(([{ name }, { seconds }]) => `${name}: ${(seconds / ours.seconds).toFixed(2)} × the time`)
					.join('; '),
				aim: '',
			},
		],
	};
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
