import { isDeepStrictEqual } from 'node:util';

import type { N8nClient } from '../n8n/client';
import type { Stored, WorkflowJson } from '../n8n/types';

interface PlacedWorkflow extends Stored {
	/** Whether another one has its name, which the user has changed. */
	isBesideChanged: boolean;
}

/** Stores the demo's workflow, unless it is there. One that the user has changed stays: the new one gets a number. */
export async function placeWorkflow(
	client: Pick<N8nClient, 'get' | 'createWorkflow'>,
	workflow: WorkflowJson,
): Promise<PlacedWorkflow> {
	const filter = encodeURIComponent(JSON.stringify({ name: workflow.name, isArchived: false }));
	const known = await client.get<Stored[]>(`/rest/workflows?filter=${filter}`);
	for (let count = 1; ; count += 1) {
		const name = count === 1 ? workflow.name : `${workflow.name} (${count})`;
		const placed = { name, isBesideChanged: count > 1 };
		const found = known.find((stored) => stored.name === name);
		if (!found) return { ...placed, id: (await client.createWorkflow({ ...workflow, name })).id };
		const stored = await client.get<WorkflowJson>(`/rest/workflows/${found.id}`);
		if (isDeepStrictEqual(contentOf(stored), contentOf(workflow))) return { ...placed, id: found.id };
	}
}

/** What a workflow does; not where its nodes stand. */
function contentOf({ nodes, connections }: WorkflowJson): unknown {
	const steps = nodes.map(({ name, type, parameters, credentials = {}, disabled = false }) => {
		return [name, { type, parameters, credentials, disabled }];
	});
	return { connections, steps: Object.fromEntries(steps) as object };
}
