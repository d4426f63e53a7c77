// Installs what a command needs, when it is missing: `node scripts/ensure-installed.mjs n8n queue`.
import { ensureN8n, ensureN8nVersions, ensureTools } from './install.mjs';
import { ensureBrowser, ensureServers } from './programs.mjs';

const targets = {
	tools: ensureTools,
	'n8n-versions': ensureN8nVersions,
	n8n: ensureN8n,
	queue: ensureServers,
	browser: ensureBrowser,
};

for (const name of process.argv.slice(2)) {
	if (!(await targets[name]())) process.exit(1);
}
