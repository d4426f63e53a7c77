import { OwnEnvironment } from '../test/e2e/support/environment';
import { table } from './measure';
import { httpRequestLoop, mediaTaskNode, type Medium } from './media/contenders';
import { guidance, guidedPolls, median, spread, whileWaiting, type Spread } from './media/figures';
import { runJob, warmUp, type Job, type Run } from './media/run';
import type { Headline, Report } from './report';

const TASKS = 500;
const FEW_TASKS = 50;
/** A range, so that the ends are not in step with the polls. */
const TASK_SECONDS = [18, 22] as const;
const LATENCY_MS = 100;
/** The node's default, and another value that a user may try. */
const CONCURRENCY = { usual: 8, high: 32 };

type Row = Array<string | number>;

/** 500 media tasks in one execution of the real n8n: delay of the end, number of polls, and memory. */
export async function media(): Promise<Report> {
	const duration = [TASK_SECONDS[0] * 1000, TASK_SECONDS[1] * 1000] as const;
	const environment = await OwnEnvironment.start({
		gateway: {
			balance: '1000000.00',
			settings: {
				latency: { all: LATENCY_MS },
				taskDuration: { image: duration, video: duration },
				render: 'placeholder',
			},
		},
	});
	try {
		const runs: Run[] = [];
		for (const job of jobs()) {
			await warmUp(environment, { ...job, tasks: FEW_TASKS });
			runs.push(await runJob(environment, job));
		}
		return {
			details: [await method(environment), waitingTable(runs), memoryTable(runs)].join('\n\n'),
			headlines: headlines(runs),
		};
	} finally {
		await environment.close();
	}
}

/** The runs with many tasks that have a counterpart in n8n's own nodes. */
function headlines(runs: Run[]): Headline[] {
	const many = runs.filter(({ tasks, medium }) => tasks === TASKS && medium === 'image');
	const loop = many.find(({ contender }) => contender.name.startsWith('HTTP'));
	if (!loop) return [];
	return many
		.filter((run) => run !== loop)
		.map((run) => ({
			what: `${titleOf(run)}, ${TASKS} tasks: from the last end to the execution’s end; peak memory`,
			ours: `${secondsAfterLastEnd(run).toFixed(1)} s; ${run.memory.growth.toFixed(0)} MB`,
			compared: `${loop.contender.name}: ${secondsAfterLastEnd(loop).toFixed(1)} s; ${loop.memory.growth.toFixed(0)} MB`,
			aim: '',
		}));
}

function secondsAfterLastEnd({ watched, executionEnd }: Run): number {
	return (executionEnd - Math.max(...watched.map(({ endTime }) => endTime))) / 1000;
}

/** The description of the runs and of the machine. */
async function method({ client }: OwnEnvironment): Promise<string> {
	const { versionCli, nodeJsVersion } = await client.get<{ versionCli: string; nodeJsVersion: string }>(
		'/rest/settings',
	);
	return `One execution in n8n ${versionCli} (Node ${nodeJsVersion}); tasks of ${TASK_SECONDS.join(' to ')} s, ${LATENCY_MS} ms latency of every request`;
}

/** All figures. */
function jobs(): Job[] {
	const polling = mediaTaskNode('poll', CONCURRENCY.usual);
	const suspending = mediaTaskNode('suspend', CONCURRENCY.usual);
	const ours: Job[] = [
		{ contender: polling, tasks: FEW_TASKS, medium: 'image' },
		{ contender: polling, tasks: TASKS, medium: 'image' },
		{ contender: mediaTaskNode('poll', CONCURRENCY.high), tasks: TASKS, medium: 'image' },
		{ contender: polling, tasks: TASKS, medium: 'video' },
		{ contender: suspending, tasks: FEW_TASKS, medium: 'image' },
		{ contender: suspending, tasks: TASKS, medium: 'image' },
	];
	const [shortest, longest] = guidance.image;
	const loop = httpRequestLoop((shortest + longest) / 2);
	return [
		...ours,
		{ contender: loop, tasks: FEW_TASKS, medium: 'image' },
		{ contender: loop, tasks: TASKS, medium: 'image' },
	];
}

function waitingTable(runs: Run[]): string {
	const header = [
		'what',
		'tasks',
		'last end → execution’s end (s)',
		'÷ ideal',
		'an end is seen after (s)',
		'polls per task',
		'by §3.1',
		'÷ §3.1',
		'most at once',
		'charges',
	];
	return table(header, runs.map(waitingRow));
}

function waitingRow(run: Run): Row {
	const { watched, medium } = run;
	const seconds = secondsAfterLastEnd(run);
	const seen = spread(watched.map(({ endTime, seenTime }) => (seenTime - endTime) / 1000));
	const polls = spread(watched.map((task) => task.polls));
	const guided = guidedPolls(watched, medium);
	return [
		titleOf(run),
		run.tasks,
		seconds.toFixed(1),
		(seconds / idealSeconds(medium)).toFixed(2),
		range(seen),
		range(polls),
		range(guided),
		(polls.mean / guided.mean).toFixed(2),
		run.mostAtOnce,
		run.charges,
	];
}

/** From the last end to its file at the longest recommended interval, without a queue: the pause, a poll, a download. */
function idealSeconds(medium: Medium): number {
	return guidance[medium][1] + (2 * LATENCY_MS) / 1000;
}

function memoryTable(runs: Run[]): string {
	const header = [
		'what',
		'tasks',
		'before (MB)',
		'growth while waiting (MB)',
		'peak growth (MB)',
		'per task (KB)',
		'held in memory',
	];
	return table(
		header,
		runs.map((run) => memoryRow(run, runs)),
	);
}

function memoryRow(run: Run, runs: Run[]): Row {
	const { watched, memory } = run;
	const waiting = whileWaiting(watched, memory.samples);
	return [
		titleOf(run),
		run.tasks,
		memory.before.toFixed(0),
		(median(waiting.map(({ megabytes }) => megabytes)) - memory.before).toFixed(0),
		memory.growth.toFixed(0),
		perTask(run, runs),
		`${(run.held * 100).toFixed(0)} %`,
	];
}

/** The memory of one more task at the peak, compared with the same contender's run with few tasks. */
function perTask(run: Run, runs: Run[]): string {
	const few = runs.find(({ contender, tasks }) => contender.name === run.contender.name && tasks < run.tasks);
	if (!few) return '';
	return (((run.memory.growth - few.memory.growth) * 1024) / (run.tasks - few.tasks)).toFixed(0);
}

function titleOf({ contender, medium }: Run): string {
	return `${contender.name}, ${medium}s`;
}

function range({ min, mean, max }: Spread): string {
	return [min, mean, max].map((value) => value.toFixed(1)).join(' / ');
}
