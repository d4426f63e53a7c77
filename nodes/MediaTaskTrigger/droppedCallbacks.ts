/** How often they are logged at most, in milliseconds. */
const REPORT_MS = 60_000;

/** How many IDs a line of the log has at most. */
const MAX_IDS = 20;

/** Logs callbacks that are not checked: many at a time in one line, because anybody can send them. */
export class DroppedCallbacks {
	private count = 0;
	private ids: string[] = [];
	private reportedAt = -Infinity;

	/**
	 * @param now returns Unix milliseconds
	 * @param warn writes a line to the log
	 */
	constructor(
		private readonly now: () => number,
		private readonly warn: (line: string) => void,
	) {}

	add(ids: readonly string[]): void {
		this.count += 1;
		if (this.ids.length < MAX_IDS) this.ids.push(ids.map((id) => JSON.stringify(id)).join(' or '));
		if (this.now() - this.reportedAt >= REPORT_MS) this.report();
	}

	/** Logs what is not logged yet. */
	report(): void {
		if (this.count === 0) return;
		const more = this.count > this.ids.length ? ' …' : '';
		this.warn(
			`Too many callbacks for unknown media tasks: ${this.count} were not checked. If one of these tasks is yours, get its result with Gateway Media Task: ${this.ids.join(', ')}${more}`,
		);
		this.count = 0;
		this.ids = [];
		this.reportedAt = this.now();
	}
}
