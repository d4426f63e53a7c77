/** The sandbox gateway on the command line: `npm run sandbox -- --port 4010 --files-port 4011`. */
import { parseArgs } from 'node:util';
import { startGateway, type GatewayOptions } from './gateway';

const usage = 'Usage: npm run sandbox -- [--port N] [--files-port N] [--balance R]';

/** Throws on unknown options and invalid ports. */
function readCommandLine(): GatewayOptions {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'files-port': { type: 'string', default: '0' },
			balance: { type: 'string' },
		},
	});
	const { balance } = values;
	return {
		port: readPort(values.port),
		filesPort: readPort(values['files-port']),
		...(balance !== undefined && { balance }),
	};
}

function readPort(text: string): number {
	const port = Number(text);
	if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`${text} is not a port.`);
	return port;
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
	console.log(`Sandbox gateway  ${gateway.baseUrl}
File host        ${gateway.filesUrl}
API key          ${gateway.apiKey}
Stop with Ctrl+C.`);
}

main().catch((error: unknown) => {
	console.error(explain(error));
	process.exitCode = 1;
});
