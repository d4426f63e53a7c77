// `npm run demo`: installs what is missing, then hands over to sandbox/demo.ts in this same process.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { ensureLibraries, ensureN8n } from './install.mjs';

const help = `npm run demo -- [options]

Starts everything there is to try, on this machine only: a sandbox gateway with play money and a real n8n with this
package installed. Runs the example workflow "From a topic to a picture in storage", shows what each step gave and cost,
and leaves the editor open. The first start installs what is missing, n8n among it (3 GB, two to eight minutes);
later ones take seconds.

  --once               end after the run: exit code 0 only when every step worked and the picture is a valid PNG
  --port N             port of n8n's editor (default 5678)
  --gateway-port N     port of the sandbox gateway (default 4010); its files are served on the port after it
  --fresh              forget what earlier demos left in n8n (workflows, executions, the login)
  --help               show this`;

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
	console.error(`${error.message} (npm run demo -- --help)`);
	return 1;
});

async function main(args) {
	const { values } = parseArgs({
		args,
		options: {
			once: { type: 'boolean', default: false },
			fresh: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
			port: { type: 'string', default: '5678' },
			'gateway-port': { type: 'string', default: '4010' },
		},
	});
	if (values.help) {
		console.log(help);
		return 0;
	}
	const [port, gatewayPort] = ['port', 'gateway-port'].map((name) => readPort(`--${name}`, values[name]));
	const options = { ...values, port, gatewayPort, filesPort: gatewayPort + 1 };
	await checkFree('--port', port);
	await checkFree('--gateway-port', gatewayPort);
	await checkFree('--gateway-port', options.filesPort);
	const installed = await Promise.all([ensureLibraries(), ensureN8n()]);
	if (installed.includes(false)) return 1;

	const { require: load } = createRequire(new URL('../sandbox/', import.meta.url))('tsx/cjs/api');
	const { runDemo } = load('../sandbox/demo.ts', import.meta.url);
	return await runDemo(options);
}

function readPort(name, text) {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 1024 && port <= 65534) return port;
	throw new Error(`${name} takes a number from 1024 to 65534, not "${text}"`);
}

async function checkFree(name, port) {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch {
		throw new Error(
			`Port ${port} is taken, perhaps by another demo: end that, or choose another with ${name}`,
		);
	}
	await once(server.close(), 'close');
}
