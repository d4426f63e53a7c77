const vm = require('node:vm');

const { compileFunction } = vm;

/** By file name. */
const compiled = new Map();

/** jest compiles each module anew in each test file: libraries are parsed once in a process instead. */
vm.compileFunction = (source, parameters, options) => {
	const { filename } = options;
	if (!filename.includes('node_modules')) return compileFunction(source, parameters, options);
	const cachedData = compiled.get(filename);
	if (cachedData) return compileFunction(source, parameters, { ...options, cachedData });
	const result = compileFunction(source, parameters, { ...options, produceCachedData: true });
	compiled.set(filename, result.cachedData);
	return result;
};
