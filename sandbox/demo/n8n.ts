import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { N8nClient } from '../n8n/client';
import { installPackage } from '../n8n/package';
import { sandboxFolder } from '../n8n/runtime';
import { N8nServer } from '../n8n/server';
import type { Owner } from '../n8n/types';

/** The demo's login. It is not a secret: this n8n listens on this machine only and has play money. */
export const owner: Owner = { email: 'demo@sandbox.example', password: 'Sandbox-demo-1' };

const logFile = join(sandboxFolder, 'logs', 'demo-n8n.log');

export interface DemoN8n {
	server: N8nServer;
	client: N8nClient;
}

interface DemoN8nOptions {
	tarball: string;
	port: number;
	fresh: boolean;
	signal: AbortSignal;
}

/** Starts the demo's n8n. Its data is kept after the demo, for each port. */
export async function startDemoN8n({ tarball, port, fresh, signal }: DemoN8nOptions): Promise<DemoN8n> {
	const userFolder = join(sandboxFolder, 'demo', `n8n-${port}`);
	if (fresh) await rm(userFolder, { recursive: true, force: true });
	await installPackage(tarball, userFolder);
	const server = await N8nServer.start({ userFolder, port, logFile, signal });
	try {
		const client = new N8nClient(server.url);
		await client.signIn(owner);
		return { server, client };
	} catch (error) {
		await server.stop();
		throw error;
	}
}
