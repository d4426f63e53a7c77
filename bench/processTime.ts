import { readFile } from 'node:fs/promises';

/** The kernel counts in hundredths of a second, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** The processor time of a process since its start, in seconds, in all its threads (Linux). */
export async function processSeconds(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The second field is the name in brackets, which may hold blanks.
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
