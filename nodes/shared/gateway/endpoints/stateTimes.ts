import { duration } from '../util/duration';

/** A shorter wait is not worth a sentence, in milliseconds. */
const SHOWN_MS = 1_000;

/** How long polled tasks were in which state (§3.1). */
export class StateTimes {
	private readonly tasks = new Set<string>();
	/** The longest time of a task, in milliseconds, by state in the order of their appearance. */
	private readonly longest = new Map<string, number>();

	/** Adds the times of one task, in milliseconds by state. */
	add(taskId: string, times: ReadonlyMap<string, number>): void {
		this.tasks.add(taskId);
		for (const [state, time] of times) this.longest.set(state, Math.max(this.longest.get(state) ?? 0, time));
	}

	/**
	 * The times in words, e.g. "3 media tasks: waiting up to 20 seconds, processing up to 40 seconds".
	 *
	 * @returns `undefined` when nothing took long
	 */
	get summary(): string | undefined {
		const upTo = this.tasks.size > 1 ? 'up to ' : '';
		const times = [...this.longest]
			.filter(([, time]) => time >= SHOWN_MS)
			.map(([state, time]) => `${state} ${upTo}${duration(time)}`);
		if (times.length === 0) return undefined;
		return `${this.tasks.size} media task${this.tasks.size > 1 ? 's' : ''}: ${times.join(', ')}`;
	}
}

/** Measures how long a task is in which state, from the beginning of its wait on. */
export class StateClock {
	readonly times = new Map<string, number>();
	private state: string | undefined;
	private since: number;

	/** @param now returns Unix milliseconds */
	constructor(private readonly now: () => number) {
		this.since = now();
	}

	/** A poll has found the task in a state. Until the next poll, it counts as being in it. */
	found(state: string, hasEnded: boolean): void {
		const now = this.now();
		// Nobody has seen a task that ended before the first poll at work.
		const before = this.state ?? (hasEnded ? 'processing' : state);
		this.times.set(before, (this.times.get(before) ?? 0) + now - this.since);
		[this.state, this.since] = [state, now];
	}
}
