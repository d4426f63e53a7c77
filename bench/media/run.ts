import { basename } from 'node:path';

import type { OwnEnvironment } from '../../test/e2e/support/environment';
import { execute } from '../execute';
import { memoryGrowth } from '../measure';
import type { Contender } from './contenders';

/** A task. Times in Unix milliseconds. */
export interface WatchedTask {
	createTime: number;
	endTime: number;
	polls: number;
}

export interface Run {
	watched: WatchedTask[];
	charges: number;
	/** Unix milliseconds. */
	executionEnd: number;
	/** How much n8n's memory grew at most. */
	memoryMegabytes: number;
}

/** Starts a new n8n and runs the contender once with tasks that take no time, to warm up its code. */
export async function warmUp(
	environment: OwnEnvironment,
	contender: Contender,
	tasks: number,
): Promise<void> {
	const { control } = environment.gateway;
	await environment.restart();
	await control.reset();
	control.configure({ taskDuration: { image: 0 } });
	await execute(environment, contender.workflow(tasks, environment.gateway));
}

/**
 * Runs a contender on a new gateway, as soon as n8n's memory has settled.
 *
 * @throws when a task has no file
 */
export async function runJob(environment: OwnEnvironment, contender: Contender, tasks: number): Promise<Run> {
	const { client, gateway, server } = environment;
	await gateway.control.reset();
	let id = '';
	const memoryMegabytes = await memoryGrowth(server.pid, async () => {
		id = await execute(environment, contender.workflow(tasks, environment.gateway));
	});
	// Read only now, because it costs n8n memory, too.
	const { data, status, stoppedAt } = await client.readExecution(id);
	const items = (data.resultData.runData[contender.lastNode] ?? []).flatMap(
		(run) => run.data?.['main']?.[0] ?? [],
	);
	const files = items.filter(({ binary }) => binary !== undefined).length;
	if (status !== 'success' || files !== tasks)
		throw new Error(`${contender.name}: ${status}, ${files} files`);
	return {
		watched: watchedTasks(gateway.control),
		charges: gateway.control.ledger().length,
		executionEnd: Date.parse(stoppedAt ?? ''),
		memoryMegabytes,
	};
}

function watchedTasks(control: OwnEnvironment['gateway']['control']): WatchedTask[] {
	const polls = new Map<string, number>();
	for (const { group, path } of control.requests()) {
		if (group === 'mediaStatus') polls.set(basename(path), (polls.get(basename(path)) ?? 0) + 1);
	}
	return control.tasks().map(({ taskId, createTime, endTime }) => {
		if (endTime === null) throw new Error(`Task ${taskId} has not ended`);
		return { createTime, endTime, polls: polls.get(taskId) ?? 0 };
	});
}
