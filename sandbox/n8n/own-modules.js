// Loaded into n8n with --require: modules of the folders above n8n's installation, such as those of this repository, are
// not there for it, as on a machine without them.
const Module = require('node:module');
const { resolve } = require('node:path');

/** The start script is `node_modules/n8n/bin/n8n` of the installation. */
const installation = resolve(process.argv[1], '../../../..');
const nodeModulePaths = Module._nodeModulePaths;
const hidden = new Set(nodeModulePaths(resolve(installation, '..')));
Module._nodeModulePaths = (from) => nodeModulePaths(from).filter((path) => !hidden.has(path));
