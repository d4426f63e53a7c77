import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../../sandbox/n8n/executions';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import type { OwnEnvironment } from '../../test/e2e/support/environment';
import { memoryGrowth, type Growth } from '../measure';
import type { Contender, Medium } from './contenders';
import { watchedTasks, whileWaiting, type WatchedTask } from './figures';

const POLL_INTERVAL_MS = 250;
const LONGEST_RUN_MS = 5 * 60_000;

/** The job of a contender. */
export interface Job {
	contender: Contender;
	tasks: number;
	medium: Medium;
}

/** The result of a contender. */
export interface Run extends Job {
	watched: WatchedTask[];
	/** The most requests that the gateway had at once. */
	mostAtOnce: number;
	charges: number;
	/** Unix milliseconds. */
	executionEnd: number;
	memory: Growth;
	/** Part of the time between the last creation and the last end in which n8n held the execution in memory: 0 to 1. */
	held: number;
}

/** Starts a new n8n and runs the contender once with tasks that take no time, to warm up its code. */
export async function warmUp(environment: OwnEnvironment, job: Job): Promise<void> {
	const { control } = environment.gateway;
	await environment.restart();
	await control.reset();
	control.configure({ taskDuration: { image: 0, video: 0 } });
	await execute(environment, await storeWorkflow(environment, job));
}

/**
 * Runs a contender on a new gateway, as soon as n8n's memory has settled.
 *
 * @throws when a task has no file
 */
export async function runJob(environment: OwnEnvironment, job: Job): Promise<Run> {
	const { client, gateway, server } = environment;
	await gateway.control.reset();
	const workflow = await storeWorkflow(environment, job);
	let execution: WatchedExecution = { id: '', statuses: [] };
	const memory = await memoryGrowth(server.pid, async () => {
		execution = await execute(environment, workflow);
	});
	// Read only now, because it costs n8n memory, too.
	const { stoppedAt } = checkedFor(job, await client.readExecution(execution.id));
	const watched = watchedTasks(gateway.control.tasks(), gateway.control.requests());
	const waiting = whileWaiting(watched, execution.statuses);
	return {
		...job,
		watched,
		mostAtOnce: gateway.control.concurrency().max,
		charges: gateway.control.ledger().length,
		executionEnd: Date.parse(stoppedAt ?? ''),
		memory,
		held: waiting.filter(({ running }) => running).length / waiting.length,
	};
}

/** A workflow in n8n, and the node that starts it. */
interface ReadyWorkflow {
	id: string;
	trigger: string;
}

async function storeWorkflow(
	{ client, credential, gateway }: OwnEnvironment,
	{ contender, tasks, medium }: Job,
): Promise<ReadyWorkflow> {
	const workflow = contender.workflow(tasks, medium, gateway);
	const { id } = await client.createWorkflow(withCredential(workflow, credential));
	return { id, trigger: manualTrigger(workflow) };
}

interface WatchedExecution {
	id: string;
	/** Whether it was running at a time (Unix milliseconds), and not suspended. */
	statuses: Array<{ time: number; running: boolean }>;
}

/** Runs a workflow once and records the execution's status until it has ended. Its data is not read, because that costs n8n memory. */
async function execute({ client }: OwnEnvironment, workflow: ReadyWorkflow): Promise<WatchedExecution> {
	const id = await client.runManually(workflow.id, workflow.trigger);
	const statuses: WatchedExecution['statuses'] = [];
	const deadline = Date.now() + LONGEST_RUN_MS;
	for (;;) {
		const status = (await client.listExecutions(workflow.id))[0]?.status ?? 'new';
		if (!['new', 'running', 'waiting'].includes(status)) return { id, statuses };
		statuses.push({ time: Date.now(), running: status === 'running' });
		if (Date.now() > deadline) throw new Error(`The execution is still "${status}".`);
		await sleep(POLL_INTERVAL_MS);
	}
}

/** @throws when the execution does not have a file for each task */
function checkedFor({ contender, tasks }: Job, execution: Execution): Execution {
	const { runData, error } = execution.data.resultData;
	const items = (runData[contender.lastNode] ?? []).flatMap((run) => run.data?.['main']?.[0] ?? []);
	const files = items.filter(({ binary }) => binary !== undefined).length;
	if (execution.status === 'success' && files === tasks) return execution;
	throw new Error(
		`${contender.name}: ${execution.status} with ${files} files of ${tasks} tasks. ${error?.message ?? ''}`,
	);
}
