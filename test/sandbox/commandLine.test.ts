/** The gateway on the command line. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startGateway } from '../../sandbox/gateway/gateway';

const main = join(__dirname, '../../sandbox/gateway/main.ts');
const running: ChildProcessWithoutNullStreams[] = [];

function start(...options: string[]): ChildProcessWithoutNullStreams {
	const child = spawn(process.execPath, ['--import', 'tsx', main, ...options]);
	running.push(child);
	return child;
}

async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
	let text = '';
	for await (const chunk of child.stdout) {
		text += String(chunk);
		if (text.includes('\n')) break;
	}
	return text;
}

afterEach(() => {
	for (const child of running.splice(0)) child.kill('SIGKILL');
});

it.each(['SIGINT', 'SIGTERM'] as const)('prints its URL, responds, and stops on %s', async (signal) => {
	const child = start();
	const [, baseUrl = ''] = /^Sandbox gateway +(\S+)$/m.exec(await firstLine(child)) ?? [];
	expect((await fetch(`${baseUrl}/models`)).status).toBe(200);
	child.kill(signal);
	expect(await once(child, 'exit')).toStrictEqual([0, null]);
});

it('explains a port in use in one sentence', async () => {
	const gateway = await startGateway();
	const child = start('--port', new URL(gateway.baseUrl).port);
	let text = '';
	child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
	const [code] = (await once(child, 'close')) as [number];
	await gateway.close();
	expect(code).toBe(1);
	expect(text).toMatch(/^Port \d+ is already taken; .*\n$/);
});
