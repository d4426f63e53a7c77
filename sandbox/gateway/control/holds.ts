/** Responses that wait until a test lets them go. */
import { matches } from './faults';
import type { RequestMatch, RequestRecord } from './types';

export interface Hold {
	/** The requests whose responses wait, or have waited, in the order in which they arrived. */
	readonly requests: readonly RequestRecord[];
	/** Lets them go, and later ones pass. */
	release: () => void;
}

export class Holds {
	private readonly holds = new Map<Hold, (record: RequestRecord, deltas: number) => Promise<void>>();

	/** @param afterDeltas of a stream, this much is sent before */
	add(match: RequestMatch, afterDeltas: number): Hold {
		const requests: RequestRecord[] = [];
		let open: () => void = () => undefined;
		const released = new Promise<void>((resolve) => (open = resolve));
		const hold: Hold = {
			requests,
			release: () => {
				this.holds.delete(hold);
				open();
			},
		};
		this.holds.set(hold, async (record, deltas) => {
			if (deltas !== afterDeltas || !matches(match, record)) return;
			requests.push(record);
			await released;
		});
		return hold;
	}

	/** Waits while the response to this request is held. */
	async pass(record: RequestRecord, deltas = 0): Promise<void> {
		for (const wait of [...this.holds.values()]) await wait(record, deltas);
	}

	/** Releases all. */
	clear(): void {
		for (const hold of [...this.holds.keys()]) hold.release();
	}
}
