// Mutation tests: `npm run mutation [folder…] [-- --files=<glob>[,<glob>…]]`. Without folders, all of them.
// A folder's result lies in .sandbox/mutation/<folder>.json; `npm run mutation:report` sums all up in docs/mutation.md.
import { spawnSync } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areas } from '../test/mutation/areas.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const filesFlag = '--files=';
const words = process.argv.slice(2);
const files = words.find((word) => word.startsWith(filesFlag))?.slice(filesFlag.length);
const named = words.filter((word) => !word.startsWith('--'));
const unknown = named.filter((name) => !(name in areas));

if (unknown.length > 0) {
	console.error(`Unknown: ${unknown.join(', ')}. Choose from: ${Object.keys(areas).join(', ')}.`);
	process.exit(2);
}

let failed = false;
for (const name of named.length > 0 ? named : Object.keys(areas)) {
	const stryker = resolve(repository, 'node_modules/.bin/stryker');
	const { status } = spawnSync(stryker, ['run', ...(files ? ['--mutate', files] : [])], {
		cwd: repository,
		stdio: 'inherit',
		env: { ...process.env, MUTATION_AREA: name },
	});
	failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
