// Installs what a command needs besides `npm ci`, when it is missing: `node scripts/ensure-installed.mjs n8n queue`.
import { ensureBrowser } from './browser.mjs';
import { ensureN8n } from './install.mjs';
import { ensureServers } from './servers.mjs';

const targets = { n8n: ensureN8n, queue: ensureServers, browser: ensureBrowser };

for (const name of process.argv.slice(2)) {
	if (!targets[name]()) process.exit(1);
}
