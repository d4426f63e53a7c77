/** Requests within this time of each other are counted together, in milliseconds. */
const BUCKET_MS = 500;

/** Counts the events of the last `spanMs`, with memory for a bounded number of counters. */
export class RecentCount {
	/** In the order of their start. */
	private readonly buckets: Array<{ start: number; count: number }> = [];
	private sum = 0;

	/** @param spanMs how long an event is counted, in milliseconds */
	constructor(private readonly spanMs: number) {}

	/** Counts an event. Times do not decrease. */
	add(time: number): void {
		this.expire(time);
		const last = this.buckets.at(-1);
		if (last && time - last.start < BUCKET_MS) last.count += 1;
		else this.buckets.push({ start: time, count: 1 });
		this.sum += 1;
	}

	/** Takes back an event of this time. */
	remove(time: number): void {
		const bucket = this.buckets.filter(({ start }) => start <= time).at(-1);
		if (!bucket || bucket.count === 0) return;
		bucket.count -= 1;
		this.sum -= 1;
	}

	total(now: number): number {
		this.expire(now);
		return this.sum;
	}

	/** The time of the oldest event that is counted. */
	oldest(now: number): number | undefined {
		this.expire(now);
		return this.buckets.find(({ count }) => count > 0)?.start;
	}

	/** When the oldest event is no longer counted; `now` when there is none. */
	nextExpiry(now: number): number {
		const oldest = this.oldest(now);
		return oldest === undefined ? now : oldest + BUCKET_MS + this.spanMs;
	}

	private expire(now: number): void {
		for (let first = this.buckets[0]; first && this.isOver(first.start, now); first = this.buckets[0]) {
			this.sum -= first.count;
			this.buckets.shift();
		}
	}

	private isOver(start: number, now: number): boolean {
		return start + BUCKET_MS + this.spanMs <= now;
	}
}
