import { OwnEnvironment } from '../test/e2e/support/environment';
import type { Row } from './measure';
import { httpRequestLoop, mediaTaskNode } from './media/contenders';
import { runJob, warmUp, type Run } from './media/run';

const TASKS = 500;
/** A range, so that the ends are not in step with the polls. */
const TASK_SECONDS = [18, 22] as const;
const LATENCY_MS = 100;
/** §3.1: seconds between two polls of an image. */
const POLL_SECONDS = [3, 5] as const;

/** 500 images in one execution of the real n8n: delay of the end, memory, and number of polls. */
export async function media(): Promise<Row[]> {
	const duration = [TASK_SECONDS[0] * 1000, TASK_SECONDS[1] * 1000] as const;
	const environment = await OwnEnvironment.start({
		gateway: {
			balance: '1000000.00',
			settings: { latency: { all: LATENCY_MS }, taskDuration: { image: duration }, render: 'placeholder' },
		},
	});
	try {
		const rows: Row[] = [];
		for (const contender of [
			mediaTaskNode('poll', 8),
			mediaTaskNode('poll', 32),
			mediaTaskNode('suspend', 8),
			httpRequestLoop((POLL_SECONDS[0] + POLL_SECONDS[1]) / 2),
		]) {
			await warmUp(environment, contender, TASKS / 10);
			const run = figuresOf(await runJob(environment, contender, TASKS));
			rows.push({ what: `${TASKS} images, ${contender.name}`, ours: '', others: run });
		}
		return rows;
	} finally {
		await environment.close();
	}
}

function figuresOf({ watched, executionEnd, memoryMegabytes, charges }: Run): string[] {
	const lastEnd = Math.max(...watched.map(({ endTime }) => endTime));
	const polls = watched.reduce((sum, task) => sum + task.polls, 0);
	const pace = (POLL_SECONDS[0] + POLL_SECONDS[1]) / 2;
	const recommended = watched.reduce(
		(sum, { createTime, endTime }) => sum + Math.ceil((endTime - createTime) / 1000 / pace),
		0,
	);
	return [
		`${((executionEnd - lastEnd) / 1000).toFixed(1)} s from the last end to the execution’s end`,
		`${memoryMegabytes.toFixed(0)} MB at most`,
		`${(polls / recommended).toFixed(2)} × the polls of §3.1`,
		`${charges} charges`,
	];
}
