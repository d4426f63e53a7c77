/** So many polls pass before another request does, when both wait. */
const MAX_POLLS_IN_A_ROW = 3;

/** `poll`: for requests that ask for the state of a task; they are short, and pass first. */
export type Lane = 'poll' | 'other';

/** Requests that wait, in the order in which they came; polls are first. */
export class WaitQueue<Request extends { since: number; lane: Lane }> {
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

	/** Takes the first request, from the lane whose turn it is. */
	next(): Request | undefined {
		const { poll, other } = this.lanes;
		const isPoll = poll.length > 0 && (other.length === 0 || this.pollsInARow < MAX_POLLS_IN_A_ROW);
		this.pollsInARow = isPoll ? this.pollsInARow + 1 : 0;
		return (isPoll ? poll : other).shift();
	}
}
