const { cpSync } = require('node:fs');

/**
 * The compiler emits code only. n8n also needs each node's icon (found relative to the compiled file), its codex file
 * (the .node.json next to it: search aliases, categories, documentation links), and the schemas of its output, from
 * which the editor shows fields before the first run. `npm run build` runs it, also where gulp is not installed.
 */
exports.default = async function copy() {
	cpSync('icons', 'dist/icons', { recursive: true });
	cpSync('nodes', 'dist/nodes', { recursive: true, filter: (path) => !path.endsWith('.ts') });
};
