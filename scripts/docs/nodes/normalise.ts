import type { ExampleRun } from './examples';

/** Replacements of the sandbox's URLs. */
const GATEWAY = 'https://gateway.example.com';
const FILES = 'https://files.example.com';

/** The date of the examples. */
const NOON = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
/** A UUID, or a long run of hexadecimal digits as in the IDs of text responses. */
const ID = new RegExp(`${UUID.source}|(?<![0-9a-f])[0-9a-f]{24,}(?![0-9a-f])`, 'g');
/** The end of a task's ID in the name of a file. */
const SUFFIX = /(?<=_)[0-9a-f]{8}(?=[_.])/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g;

/**
 * Replaces data that differs between runs: IDs by numbered ones (equal ones by equal ones), times by times at the same
 * distance from noon of a fixed day as from the start of the run, in hours, and the sandbox's URLs.
 */
export class Normaliser {
	private readonly ids = new Map<string, string>();

	constructor(private readonly run: Pick<ExampleRun, 'gatewayUrl' | 'filesUrl' | 'startedAt'>) {}

	/** The value with these replacements; objects and lists are copied. */
	apply(value: unknown): unknown {
		if (typeof value === 'string') return this.text(value);
		if (typeof value === 'number') return this.number(value);
		if (Array.isArray(value)) return value.map((one) => this.apply(one));
		if (value === null || typeof value !== 'object') return value;
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.apply(one)]));
	}

	text(text: string): string {
		return text
			.replaceAll(this.run.gatewayUrl, GATEWAY)
			.replaceAll(this.run.filesUrl, FILES)
			.replace(ID, (id) => this.numbered(id))
			.replace(SUFFIX, (end) => {
				const [, made = end] = [...this.ids].find(([id]) => id.endsWith(end)) ?? [];
				return made.slice(-end.length);
			})
			.replace(TIME, (time, fraction: string | undefined) => {
				const iso = new Date(this.moved(Date.parse(time))).toISOString();
				return fraction === undefined ? iso.replace(/\.\d{3}Z$/, 'Z') : iso;
			});
	}

	/** Numbers near now are times, in Unix milliseconds or seconds. */
	private number(value: number): number {
		const { startedAt } = this.run;
		if (Math.abs(value - startedAt) < DAY) return this.moved(value);
		return Math.abs(value * 1000 - startedAt) < DAY ? this.moved(value * 1000) / 1000 : value;
	}

	private moved(time: number): number {
		return NOON + Math.round((time - this.run.startedAt) / HOUR) * HOUR;
	}

	private numbered(id: string): string {
		const known = this.ids.get(id);
		if (known !== undefined) return known;
		const count = String(this.ids.size + 1).padStart(3, '0');
		const sample = UUID.test(id)
			? '7c9e6679-7425-40de-944b-e07fc1f90ae7'
			: '7c9e6679742540de944be07fc1f90ae7'.slice(0, id.length);
		const made = `${sample.slice(0, -count.length)}${count}`;
		this.ids.set(id, made);
		return made;
	}
}
