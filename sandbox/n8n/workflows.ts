import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageName } from './package';
import { repositoryRoot } from './runtime';
import type { Stored, WorkflowJson } from './types';

export const credentialType = 'aiGatewayApi';

/** Reads one of the workflows in `examples/`. */
export async function loadExample(name: string): Promise<WorkflowJson> {
	const text = await readFile(join(repositoryRoot, 'examples', `${name}.json`), 'utf8');
	return JSON.parse(text) as WorkflowJson;
}

/** Reads all of them, with the names of their files. */
export async function loadExamples(): Promise<Array<{ file: string; workflow: WorkflowJson }>> {
	const files = await readdir(join(repositoryRoot, 'examples'));
	const names = files.filter((file) => file.endsWith('.json')).sort();
	return await Promise.all(
		names.map(async (file) => ({ file, workflow: await loadExample(file.replace(/\.json$/, '')) })),
	);
}

/** The workflow with the credential chosen in each node of the package, as a user does after importing it. */
export function withCredential(workflow: WorkflowJson, { id, name }: Stored): WorkflowJson {
	const nodes = workflow.nodes.map((node) =>
		node.type.startsWith(`${packageName}.`)
			? { ...node, credentials: { [credentialType]: { id, name } } }
			: node,
	);
	return { ...workflow, nodes };
}

export function manualTrigger(workflow: WorkflowJson): string {
	const trigger = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	if (trigger === undefined) throw new Error(`"${workflow.name}" has no manual trigger.`);
	return trigger.name;
}
