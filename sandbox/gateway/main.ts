/** The sandbox gateway on the command line: `npm run sandbox -- --port 4010 --files-port 4011`. */
import { parseArgs } from 'node:util';
import { startGateway, type Gateway, type GatewayOptions } from './gateway';

const usage =
	'Usage: npm run sandbox -- [--port N] [--files-port N] [--api-key sk-<uuid>] [--balance R] [--log]';

/** Throws on unknown options and invalid ports. */
function readCommandLine(): GatewayOptions {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'files-port': { type: 'string', default: '0' },
			'api-key': { type: 'string' },
			balance: { type: 'string' },
			log: { type: 'boolean', default: false },
		},
	});
	const { 'api-key': apiKey, balance } = values;
	return {
		port: readPort(values.port),
		filesPort: readPort(values['files-port']),
		...(apiKey !== undefined && { apiKey }),
		...(balance !== undefined && { balance }),
		logger: values.log,
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

function stopOnSignals(gateway: Gateway): void {
	let stopping = false;
	const stop = (): void => {
		if (stopping) return;
		stopping = true;
		void gateway.close().then(() => process.exit(0));
	};
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	if ('code' in error && error.code === 'EADDRINUSE') {
		const port = 'port' in error ? String(error.port) : '';
		return `Port ${port} is already taken; choose another one, or 0 for a free one.`;
	}
	if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return `${error.message} ${usage}`;
	return error.message;
}

async function main(): Promise<void> {
	const gateway = await startGateway(readCommandLine());
	stopOnSignals(gateway);
	announce(gateway);
}

main().catch((error: unknown) => {
	process.stderr.write(`${explain(error)}\n`);
	process.exitCode = 1;
});
