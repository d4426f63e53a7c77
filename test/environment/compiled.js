const vm = require('node:vm');

const { compileFunction } = vm;

/** By file name. */
const compiled = new Map();

/** jest compiles each module again in each test file. Here each is compiled once in a process. */
vm.compileFunction = (source, parameters, options) => {
	const { filename, parsingContext } = options;
	if (!parsingContext) return compileFunction(source, parameters, options);
	const known = compiled.get(filename);
	if (known?.source === source) return known.script.runInContext(parsingContext);
	const head = `(function (${parameters.join(', ')}) {`;
	// A comment may end the last line. The columns of errors stay.
	const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
	compiled.set(filename, { source, script });
	return script.runInContext(parsingContext);
};
