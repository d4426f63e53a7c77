import type { INode } from 'n8n-workflow';

/** A node for errors to name. */
export const someNode: INode = {
	id: 'n1',
	name: 'Gateway',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
