import { addToTotal } from '../../gateway/util/money';

/** What the calls in progress under a limit may cost, and the calls that wait for them, first come first served. */
export class InProgress {
	/** The sum of what is known, as decimal text in rubles. */
	rub = '0';
	/** The number of calls that may cost any amount. */
	unlimited = 0;
	private readonly queue: object[] = [];
	private readonly wake = new Set<() => void>();

	/** Whether no call waits that came before. */
	isFirst(call: object): boolean {
		return (this.queue[0] ?? call) === call;
	}

	/** Adds a call to those that wait. */
	join(call: object): void {
		if (!this.queue.includes(call)) this.queue.push(call);
	}

	/** A call waits no more. */
	leave(call: object): void {
		const at = this.queue.indexOf(call);
		if (at === -1) return;
		this.queue.splice(at, 1);
		this.changed();
	}

	/** Adds a call; the function that it returns takes it out. */
	begin(mostRub: string | undefined): () => void {
		this.add(mostRub, 1);
		return () => {
			this.add(mostRub, -1);
			this.changed();
		};
	}

	/** Resolves when a call has ended, or waits no more. */
	async change(): Promise<void> {
		await new Promise<void>((resolve) => this.wake.add(resolve));
	}

	private add(mostRub: string | undefined, factor: 1 | -1): void {
		if (mostRub === undefined) this.unlimited += factor;
		else this.rub = addToTotal(this.rub, mostRub, factor);
	}

	private changed(): void {
		for (const resolve of this.wake) resolve();
		this.wake.clear();
	}
}

/** A limit that a call must fit. */
export interface CostLimit {
	/** The calls in progress that count for it. */
	readonly inProgress: InProgress;
	/**
	 * Whether a call fits beside those in progress.
	 *
	 * @param mostRub the most that it may cost
	 * @throws {InvalidInputError} if it can never fit
	 */
	fits(mostRub: string | undefined): boolean;
	/** Reads what {@link fits} needs. */
	prepare?(mostRub: string | undefined): Promise<void>;
	/** A call has ended that may have cost so much. */
	ended?(rub: string): void;
}
