import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../sandbox/n8n/executions';

const MEGABYTE = 1024 * 1024;

/** Resident memory of a process, in MB (Linux). */
export async function residentMegabytes(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) / 1024;
}

/** Differences below this are noise, in MB. */
export const STANDSTILL_MB = 5;

/**
 * Waits until a process's memory has settled: n8n holds some 300 MB extra for 10 to 25 s after its start.
 * Settled means that it has changed by less than 5 MB for 25 s.
 */
export async function settledMegabytes(pid: number): Promise<number> {
	let calmSince = Date.now();
	let reference = await residentMegabytes(pid);
	while (Date.now() - calmSince < 25_000) {
		await sleep(250);
		const now = await residentMegabytes(pid);
		if (Math.abs(now - reference) > STANDSTILL_MB) {
			reference = now;
			calmSince = Date.now();
		}
	}
	return reference;
}

export interface Growth {
	before: number;
	peak: number;
	/** Peak above the settled value before, in MB. */
	growth: number;
	/** The samples. */
	samples: Sample[];
}

/** Resident memory at a moment. */
export interface Sample {
	/** Unix milliseconds. */
	time: number;
	megabytes: number;
}

/** The growth of a process's memory while `work` runs, sampled every 20 ms. */
export async function memoryGrowth(pid: number, work: () => Promise<void>): Promise<Growth> {
	const before = await settledMegabytes(pid);
	const samples: Sample[] = [];
	const state = { running: true };
	const watching = (async () => {
		while (state.running) {
			samples.push({ time: Date.now(), megabytes: await residentMegabytes(pid) });
			await sleep(20);
		}
	})();
	try {
		await work();
	} finally {
		state.running = false;
		await watching;
	}
	const peak = samples.reduce((most, { megabytes }) => Math.max(most, megabytes), before);
	return { before, peak, growth: peak - before, samples };
}

/** The run time of a node in an execution, in milliseconds, as n8n measured it. */
export function nodeMilliseconds(execution: Execution, node: string): number {
	return execution.data.resultData.runData[node]?.[0]?.executionTime ?? NaN;
}

/** Megabytes in bytes. */
export function megabytes(count: number): number {
	return count * MEGABYTE;
}

/** Rows as a Markdown table. */
export function table(header: string[], rows: Array<Array<string | number>>): string {
	const line = (cells: Array<string | number>) => `| ${cells.join(' | ')} |`;
	return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
