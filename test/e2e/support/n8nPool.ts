import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { N8nClient } from '../../../sandbox/n8n/client';
import { installPackage, packPackage } from '../../../sandbox/n8n/package';
import { N8nServer } from '../../../sandbox/n8n/server';

/** The owner of each n8n under test. */
export const owner = { email: 'owner@sandbox.example', password: 'Sandbox-e2e-1' };

/** An n8n that runs for all test files of a worker of jest, one after the other. */
export interface LentN8n {
	url: string;
	logFile: string;
	/** The cookie of its owner. */
	session: string;
}

interface Lender {
	server: FastifyInstance;
	started: Map<string, Promise<{ n8n: N8nServer; lent: LentN8n }>>;
	folder: string;
}

let lender: Lender | undefined;

/** Lends each worker an n8n of its own, which starts when it is first asked for. Jest calls this before all files. */
export async function startPool(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'ai-gateway-e2e-pool-'));
	const tarball = await packPackage();
	const started: Lender['started'] = new Map();
	const server = Fastify({ forceCloseConnections: true });
	server.get<{ Params: { worker: string } }>('/:worker', async ({ params: { worker } }) => {
		const known = started.get(worker) ?? startN8n(tarball, join(folder, worker));
		started.set(worker, known);
		return (await known).lent;
	});
	process.env['E2E_N8N_POOL'] = await server.listen({ host: '127.0.0.1', port: 0 });
	lender = { server, started, folder };
}

/** Ends them. */
export async function stopPool(): Promise<void> {
	if (lender === undefined) return;
	await lender.server.close();
	const running = await Promise.allSettled(lender.started.values());
	for (const result of running) if (result.status === 'fulfilled') await result.value.n8n.stop();
	await rm(lender.folder, { recursive: true, force: true });
}

async function startN8n(tarball: string, userFolder: string): Promise<{ n8n: N8nServer; lent: LentN8n }> {
	await installPackage(tarball, userFolder);
	const n8n = await N8nServer.start({ userFolder });
	const client = new N8nClient(n8n.url);
	await client.signIn(owner);
	return { n8n, lent: { url: n8n.url, logFile: n8n.logFile, session: client.session } };
}

/** The n8n of this worker. */
export async function borrowN8n(): Promise<LentN8n> {
	const pool = process.env['E2E_N8N_POOL'];
	if (pool === undefined) throw new Error('There is no pool: run this with jest.e2e.config.js');
	const response = await fetch(`${pool}/${process.env['JEST_WORKER_ID'] ?? '1'}`);
	if (!response.ok) throw new Error(`n8n did not start: ${await response.text()}`);
	return (await response.json()) as LentN8n;
}
