// Generates docs/nodes and the output schemas of the nodes: `npm run docs`. `npm test` fails when a file is not current.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repository } from '../../test/helpers/markdown';
import { changesOfDocs } from './generated';

async function main(): Promise<void> {
	for (const [path, text] of await changesOfDocs()) {
		const file = join(repository, path);
		if (text === undefined) {
			rmSync(file);
			continue;
		}
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
