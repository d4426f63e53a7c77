const { src, dest, parallel } = require('gulp');

// tsc emits code only. n8n also needs each node's icon (found relative to the compiled file)
// its codex file (the .node.json next to it: search aliases, categories, documentation links),
// and the schemas of its output, from which the editor shows fields before the first run.
const icons = () => src('icons/**/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
const schemas = () => src('nodes/**/__schema__/**/*.json').pipe(dest('dist/nodes'));

exports.default = parallel(icons, codex, schemas);
