import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Row {
	what: string;
	/** This package's figure, with its unit. */
	ours: string;
	/** The others' figures in the same run, as ratios to this package's or with their unit. */
	others: string[];
}

/** Resident memory of a process, in MB (Linux). */
async function residentMegabytes(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) / 1024;
}

/** Differences below this are noise, in MB. */
const STANDSTILL_MB = 5;

/**
 * Waits until a process's memory has settled: n8n holds some 300 MB extra for 10 to 25 s after its start.
 * Settled means that it has changed by less than 5 MB for 25 s.
 */
async function settledMegabytes(pid: number): Promise<number> {
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

/** How much a process's memory grows at most while `work` runs, in MB; sampled every 20 ms. */
export async function memoryGrowth(pid: number, work: () => Promise<void>): Promise<number> {
	const before = await settledMegabytes(pid);
	const state = { isRunning: true, peak: before };
	const watching = (async () => {
		while (state.isRunning) {
			state.peak = Math.max(state.peak, await residentMegabytes(pid));
			await sleep(20);
		}
	})();
	try {
		await work();
	} finally {
		state.isRunning = false;
		await watching;
	}
	return state.peak - before;
}

/** The kernel counts in hundredths of a second, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** The processor time of a process since its start, in seconds, in all its threads (Linux). */
export async function processSeconds(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The second field is the name in brackets, which may hold blanks.
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

export function table(header: string[], rows: Array<Array<string | number>>): string {
	const line = (cells: Array<string | number>) => `| ${cells.join(' | ')} |`;
	return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
