import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { N8nClient } from '../n8n/client';
import { installPackage } from '../n8n/package';
import { sandboxFolder } from '../n8n/runtime';
import { N8nServer } from '../n8n/server';
import type { Owner } from '../n8n/types';

/** The demo's login. It is not a secret: this n8n listens on this machine only and has play money. */
export const owner: Owner = { email: 'demo@sandbox.example', password: 'Sandbox-demo-1' };

const userFolder = join(sandboxFolder, 'demo', 'n8n');
const logFile = join(sandboxFolder, 'logs', 'demo-n8n.log');

/** A running n8n and a signed-in client of it. */
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

/**
 * Starts the demo's n8n, whose data is kept after the demo. When n8n does not start with that data, or its login has been
 * changed, the data is moved away and n8n starts without it.
 */
export async function startDemoN8n(options: DemoN8nOptions): Promise<DemoN8n> {
	if (options.fresh) await rm(userFolder, { recursive: true, force: true });
	const known = existsSync(userFolder);
	try {
		return await startOnce(options);
	} catch (error) {
		if (!known || options.signal.aborted) throw error;
		const aside = `${userFolder}-set-aside`;
		await rm(aside, { recursive: true, force: true });
		await rename(userFolder, aside);
		console.log(
			`n8n               could not use what an earlier demo left (now in ${aside}); starting with nothing`,
		);
		return await startOnce(options);
	}
}

async function startOnce({ tarball, port, signal }: DemoN8nOptions): Promise<DemoN8n> {
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
