/** So many polls pass before another request does, when both wait. */
const MAX_POLLS_IN_A_ROW = 3;

/** `poll`: for requests that ask for the state of a task; they are short, and pass first. */
export type Lane = 'poll' | 'other';

/** Requests that wait, in the order in which they came; polls are first. */
export class WaitQueue<
	Request extends { since: number; lane: Lane; others: number; sentAfter?: number | undefined },
> {
	private readonly lanes: Record<Lane, Request[]> = { poll: [], other: [] };
	private pollsInARow = 0;

	get length(): number {
		return this.lanes.poll.length + this.lanes.other.length;
	}

	/** All requests. */
	all(): Request[] {
		return [...this.lanes.poll, ...this.lanes.other];
	}

	add(request: Request): void {
		const lane = this.lanes[request.lane];
		const after = lane.findIndex(({ since }) => since > request.since);
		lane.splice(after === -1 ? lane.length : after, 0, request);
	}

	remove(request: Request): void {
		const lane = this.lanes[request.lane];
		const index = lane.indexOf(request);
		if (index !== -1) lane.splice(index, 1);
	}

	/**
	 * Takes the first request, from the lane whose turn it is. One that lets others pass first is taken if none else waits.
	 *
	 * @param isProbe prefers a request that has not been refused
	 */
	next(isProbe: boolean): Request | undefined {
		const { poll, other } = this.lanes;
		const isPoll = poll.length > 0 && (other.length === 0 || this.pollsInARow < MAX_POLLS_IN_A_ROW);
		const lanes = isPoll ? [poll, other] : [other, poll];
		const isFresh = ({ sentAfter }: Request) => sentAfter === undefined;
		const isDue = ({ others }: Request) => others <= 0;
		const request =
			(isProbe ? firstOf(lanes, isFresh) : undefined) ?? firstOf(lanes, isDue) ?? firstOf(lanes, () => true);
		if (!request) return undefined;
		this.remove(request);
		this.pollsInARow = request.lane === 'poll' ? this.pollsInARow + 1 : 0;
		return request;
	}
}

function firstOf<T>(lanes: T[][], isWanted: (request: T) => boolean): T | undefined {
	for (const lane of lanes) {
		const found = lane.find(isWanted);
		if (found) return found;
	}
	return undefined;
}
