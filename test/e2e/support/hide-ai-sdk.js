// Loaded into n8n before anything else: this package does not find n8n's SDK for AI nodes, as on an n8n without it.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
	// The package looks for it from its own folder, and from n8n's start script.
	const asker = parent?.filename ?? '';
	if (
		request === '@n8n/ai-node-sdk' &&
		(asker.includes('n8n-nodes-ai-gateway') || asker === process.argv[1])
	) {
		const error = new Error("Cannot find module '@n8n/ai-node-sdk'");
		error.code = 'MODULE_NOT_FOUND';
		throw error;
	}
	return resolve.call(this, request, parent, ...rest);
};
