import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeHelpers } from 'n8n-workflow';

/** The part of n8n-workflow that makes the errors of n8n's HTTP helpers. */
export interface ErrorClasses {
	NodeApiError: new (node: object, error: object) => Error;
	NodeOperationError: new (node: object, error: Error) => Error;
}

const { dependencies } = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8')) as {
	dependencies: Record<string, string>;
};

/** The versions of n8n-workflow that `package.json` lists, oldest first. */
export const versions: readonly string[] = Object.keys(dependencies).map((name) =>
	name.slice('n8n-workflow-'.length),
);

/** The error classes of a version. */
export function errorClassesOf(version: string): ErrorClasses {
	const { NodeApiError } = load<Partial<ErrorClasses>>(version, 'errors/node-api.error.js');
	const { NodeOperationError } = load<Partial<ErrorClasses>>(version, 'errors/node-operation.error.js');
	if (NodeApiError && NodeOperationError) return { NodeApiError, NodeOperationError };
	throw new Error(`n8n-workflow ${version} has its error classes elsewhere`);
}

/** The functions of a version that read the parameters of nodes. */
export function nodeHelpersOf(
	version: string,
): Pick<typeof NodeHelpers, 'getNodeParameters' | 'getToolDescriptionForNode'> {
	return load(version, 'node-helpers.js');
}

function load<T extends object>(version: string, file: string): T {
	const folder = join(__dirname, 'node_modules', `n8n-workflow-${version}`, 'dist', 'cjs');
	return jest.requireActual<T>(join(folder, file));
}
