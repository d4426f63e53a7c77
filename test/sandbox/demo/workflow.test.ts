import { placeWorkflow } from '../../../sandbox/demo/workflow';
import type { StoredWorkflow, WorkflowJson } from '../../../sandbox/n8n/types';

// What a demo leaves of the workflow of an earlier one.

const example: WorkflowJson = {
	name: 'Example',
	nodes: [{ name: 'Topic', type: 'n8n-nodes-base.set', parameters: { value: 'sea' }, position: [0, 0] }],
	connections: {},
};

/** An n8n with workflows, as far as the demo uses it. */
function n8nWith(...workflows: WorkflowJson[]) {
	const stored = workflows.map((workflow, index) => ({ ...workflow, id: String(index) }));
	return {
		stored,
		get: async <T>(path: string) => {
			const id = /workflows\/(\d+)/.exec(path)?.[1];
			return await Promise.resolve((id === undefined ? stored : stored[Number(id)]) as T);
		},
		createWorkflow: async (workflow: WorkflowJson): Promise<StoredWorkflow> => {
			const created = { ...workflow, id: String(stored.length), versionId: '1' };
			stored.push(created);
			return await Promise.resolve(created);
		},
	};
}

const changed: WorkflowJson = {
	...example,
	nodes: example.nodes.map((node) => ({ ...node, parameters: { value: 'mine' } })),
};

it('the first demo stores the workflow', async () => {
	const n8n = n8nWith();
	expect(await placeWorkflow(n8n, example)).toMatchObject({ name: 'Example', isBesideChanged: false });
	expect(n8n.stored).toHaveLength(1);
});

it('a second demo uses the same workflow, also if its nodes have been moved', async () => {
	const nodes = example.nodes.map((node) => ({ ...node, position: [9, 9] }));
	const n8n = n8nWith({ ...example, nodes });
	expect(await placeWorkflow(n8n, example)).toStrictEqual({
		id: '0',
		name: 'Example',
		isBesideChanged: false,
	});
	expect(n8n.stored).toHaveLength(1);
});

it('a workflow that the user has changed stays, and the next demos use another one', async () => {
	const n8n = n8nWith(changed);
	const placed = await placeWorkflow(n8n, example);
	expect(placed).toStrictEqual({ id: '1', name: 'Example (2)', isBesideChanged: true });
	expect(n8n.stored[0]).toMatchObject(changed);
	expect(await placeWorkflow(n8n, example)).toStrictEqual(placed);
	expect(n8n.stored).toHaveLength(2);
});
