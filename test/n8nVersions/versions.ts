import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
	const dist = join(__dirname, 'node_modules', `n8n-workflow-${version}`, 'dist');
	const errors = join(dist, readdirSync(dist).includes('cjs') ? 'cjs' : '', 'errors');
	const load = (file: string) => jest.requireActual<Partial<ErrorClasses>>(join(errors, file));
	const { NodeApiError } = load('node-api.error.js');
	const { NodeOperationError } = load('node-operation.error.js');
	if (NodeApiError && NodeOperationError) return { NodeApiError, NodeOperationError };
	throw new Error(`n8n-workflow ${version} has its error classes elsewhere`);
}
