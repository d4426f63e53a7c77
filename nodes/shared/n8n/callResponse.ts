import { sleepUnlessAborted } from './features';

/** When a call gets its response although its work has not ended, in milliseconds. */
const RESPONSE_MS = 8_000;

/** Whether the work of a call takes longer than the call waits for its response. */
export async function takesLong(work: Promise<unknown>): Promise<boolean> {
	const over = new AbortController();
	try {
		const late = sleepUnlessAborted(RESPONSE_MS, over.signal).then(() => true);
		return await Promise.race([work.then(() => false), late]);
	} finally {
		over.abort();
	}
}
