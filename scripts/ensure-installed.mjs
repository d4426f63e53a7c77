// Installs what a command needs and is not there yet, with visible progress: `node scripts/ensure-installed.mjs root n8n queue`.
// Uses nothing but Node and npm, because it runs before anything is installed.
import { ensureInstalled } from './install.mjs';

for (const target of process.argv.slice(2)) {
	if (!(await ensureInstalled(target))) process.exit(1);
}
