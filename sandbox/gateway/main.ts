/** The sandbox gateway on the command line: `npm run sandbox -- --port 4010 --files-port 4011`. */
import { parseArgs } from 'node:util';
import { startGateway, type Gateway, type GatewayOptions } from './gateway';

const usage = 'Usage: npm run sandbox -- [--port N] [--files-port N] [--api-key sk-<uuid>] [--balance R]';

/** Throws on unknown options and invalid ports. */
function readCommandLine(): GatewayOptions {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'files-port': { type: 'string', default: '0' },
			'api-key': { type: 'string' },
			balance: { type: 'string' },
		},
	});
	const { 'api-key': apiKey, balance } = values;
	return {
		port: readPort(values.port),
		filesPort: readPort(values['files-port']),
		...(apiKey !== undefined && { apiKey }),
		...(balance !== undefined && { balance }),
	};
}

function readPort(text: string): number {
	const port = Number(text);
	if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`${text} is not a port.`);
	return port;
}

function announce({ baseUrl, filesUrl, apiKey }: Gateway): void {
	process.stdout.write(
		[
			`Sandbox gateway  ${baseUrl}`,
			`File host        ${filesUrl}`,
			`API key          ${apiKey}`,
			'Stop with Ctrl+C.\n',
		].join('\n'),
	);
}

function explain(error: unknown): string {
	const { message, code, port } = error as NodeJS.ErrnoException & { port?: number };
	if (code === 'EADDRINUSE') return `Port ${port} is already taken; choose another one, or 0 for a free one.`;
	return code?.startsWith('ERR_PARSE_ARGS') ? `${message} ${usage}` : message;
}

async function main(): Promise<void> {
	const gateway = await startGateway(readCommandLine());
	let stopping: Promise<void> | undefined;
	for (const signal of ['SIGINT', 'SIGTERM'])
		process.on(signal, () => void (stopping ??= gateway.close().then(() => process.exit(0))));
	announce(gateway);
}

main().catch((error: unknown) => {
	process.stderr.write(`${explain(error)}\n`);
	process.exitCode = 1;
});
