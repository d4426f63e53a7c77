import type { RunResult } from '../../sandbox/n8n/executions';
import { isN8nAtLeast } from '../../sandbox/n8n/olderVersions';
import type { StoredWorkflow, WorkflowJson } from '../../sandbox/n8n/types';
import { OwnEnvironment } from '../e2e/support/environment';

/** The n8n under test, and its gateway. */
export let environment: OwnEnvironment;

/** Starts n8n; media tasks end when a test says so. */
export async function startN8n(): Promise<void> {
	environment = await OwnEnvironment.start({ gateway: { settings: { taskDuration: { image: 600_000 } } } });
}

export async function closeN8n(): Promise<void> {
	await environment?.close();
}

/** Declares a suite, which is a column of the table of versions. */
export function suite(name: string, tests: () => void): void {
	describe(name, () => {
		beforeEach(async () => {
			await environment.gateway.control.reset();
			environment.gateway.control.configure({ taskDuration: { image: 600_000 } });
		});
		tests();
	});
}

/**
 * Declares a suite for what only newer versions of n8n have.
 * @param since the first n8n that has it: `2.16`
 * @param tests what holds there
 * @param otherwise what the user sees on older versions
 */
export function suiteSince(since: string, name: string, tests: () => void, otherwise: () => void): void {
	if (isN8nAtLeast(since)) suite(name, tests);
	// scripts/versions/table.mjs reads this.
	else suite(`${name} (needs n8n ${since})`, otherwise);
}

/** Stores a workflow with the credential and runs it from its manual trigger to its end. */
export const run = async (workflow: WorkflowJson) => await environment.runWorkflow(workflow);

/**
 * The executions of a published workflow, when all have ended.
 * @throws when they are not so many
 */
export async function executionsOf({ id }: StoredWorkflow, count: number): Promise<RunResult[]> {
	const list = await environment.client.listExecutions(id);
	expect(list).toHaveLength(count);
	return await Promise.all(list.map(async (execution) => await environment.end(execution.id)));
}

/** The JSON of the items that a node returned. */
export function itemsOf(result: RunResult | undefined, name: string): Array<Record<string, unknown>> {
	return (result?.nodes[name]?.items ?? []).map(({ json }) => json);
}

/** What n8n has sent in this test. Polls of earlier tests' tasks, which the gateway no longer knows, do not count. */
export function sent() {
	const requests = environment.gateway.control.requests();
	return requests.filter(({ group, status }) => group !== 'mediaStatus' || status !== 404);
}
