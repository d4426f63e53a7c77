import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const host = '127.0.0.1';

/**
 * The hint for a port that is in use.
 * @param {{ port: number, gatewayPort: number, filesPort: number }} options
 * @param {number} timeoutMs milliseconds to wait for it to become free
 * @returns {Promise<string | undefined>} undefined when all are free
 */
export async function portInUseHint(options, timeoutMs) {
	const deadline = Date.now() + timeoutMs;
	let hint = await currentHint(options);
	while (hint !== undefined && Date.now() < deadline) {
		await sleep(200);
		hint = await currentHint(options);
	}
	return hint;
}

async function currentHint({ port, gatewayPort, filesPort }) {
	if (!(await isFree(port))) {
		const other = await nextFree(port + 2, async (candidate) => isFree(candidate));
		return `Port ${port}, for n8n's editor, is taken by another program: stop that, or run \`npm run demo -- --port ${other}\`.`;
	}
	const taken = (await isFree(gatewayPort)) ? filesPort : gatewayPort;
	if (await isFree(taken)) return undefined;
	const other = await nextFree(
		gatewayPort + 10,
		async (candidate) => (await isFree(candidate)) && (await isFree(candidate + 1)),
	);
	return `Port ${taken}, for the sandbox gateway, is taken by another program: stop that, or run \`npm run demo -- --gateway-port ${other}\`.`;
}

async function nextFree(from, fits) {
	let candidate = from;
	while (!(await fits(candidate))) candidate += 1;
	return candidate;
}

function isFree(port) {
	return new Promise((settle, reject) => {
		const server = createServer();
		server.once('error', (error) => {
			if (error.code === 'EADDRINUSE' || error.code === 'EACCES') settle(false);
			else reject(error);
		});
		server.listen(port, host, () => server.close(() => settle(true)));
	});
}
