import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { errorClassesOf } from '../n8nVersions/versions';

/** What an older n8n gives to a node. */
export interface OlderN8n {
	/** The version of n8n-workflow that makes its errors; `package.json` of test/n8nVersions lists it. */
	version: string;
	/** The functions that it does not have. */
	lacks: readonly string[];
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

interface AnyContext {
	getNode(): object;
	helpers: Record<string, AnyFunction>;
}

/** A context without the functions that an older n8n lacks, and with its errors. */
export function olderContext<C extends object>(context: C, { version, lacks }: OlderN8n): C {
	const { NodeApiError } = errorClassesOf(version);
	const { helpers } = context as AnyContext;
	const node = (context as AnyContext).getNode();
	const { httpRequestWithAuthentication: request } = helpers;
	const olderHelpers: AnyContext['helpers'] = {
		...helpers,
		async httpRequestWithAuthentication(...args) {
			try {
				return await request?.apply(this, args);
			} catch (error) {
				throw new NodeApiError(node, (error as Error).cause as object);
			}
		},
	};
	const older: C = Object.create(context, { helpers: { value: olderHelpers } }) as C;
	for (const name of lacks) Object.defineProperty(older, name, { value: undefined });
	return older;
}

/** A node that an older n8n executes. */
export function olderNode<N extends INodeType>(node: N, older: OlderN8n): N {
	async function execute(this: IExecuteFunctions) {
		return (await node.execute?.call(olderContext(this, older))) ?? null;
	}
	return Object.create(node, { execute: { value: execute } }) as N;
}
