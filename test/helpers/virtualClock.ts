/** A clock that moves to the next timer when nothing else is to be done: quicker than that of a test. */
export class VirtualClock {
	private time = 1_000_000_000;
	private readonly timers = new Set<{ at: number; end: () => void }>();

	now = (): number => this.time;

	sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve) => {
			const end = () => {
				signal?.removeEventListener('abort', forget);
				resolve();
			};
			const timer = { at: this.time + Math.max(milliseconds, 0), end };
			const forget = () => this.timers.delete(timer);
			this.timers.add(timer);
			signal?.addEventListener('abort', forget, { once: true });
		});

	/** Lets time pass until the work is done. */
	async run<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => void (isDone = true);
		work.then(done, done);
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isDone) return await work;
			let next: { at: number; end: () => void } | undefined;
			for (const timer of this.timers) if (!next || timer.at < next.at) next = timer;
			if (!next) throw new Error('Everything waits, and no timer is set');
			this.timers.delete(next);
			this.time = Math.max(this.time, next.at);
			next.end();
		}
	}
}
