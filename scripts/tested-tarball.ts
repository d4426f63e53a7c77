// Prints the path of the tarball that this state of the sources was scanned and tested with; publish.yml publishes it.
import { existsSync } from 'node:fs';

import { tarballOf } from '../sandbox/n8n/package';

async function main(): Promise<void> {
	const tarball = await tarballOf();
	if (!existsSync(tarball)) throw new Error('The sources have changed since the tests, or none have run');
	console.log(tarball);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
