import { fieldOf, setField, type Json } from '../../gateway/util/json';
import { digest, idempotencyKey } from './keys';

/** Key in the node's context, where it has tasks. */
const REQUESTS = 'aiGatewayRequests';
const DIGEST_LENGTH = 16;

/** How often each request, by a part of its digest, stands among the items of a run, and of all runs before it. */
interface Requests {
	run: string;
	now: Record<string, number>;
	before: Record<string, number>;
}

/** Makes the idempotency keys (§4.6) of the items of a run, of what they ask for. */
export class ItemKeys {
	private readonly keys = new Map<number, string>();
	private requests: Requests | undefined;

	/**
	 * @param store the node's context
	 * @param node the root of the execution, and the node
	 * @param run the node as it is written, and its run
	 * @param hasFailedBefore whether the task with a key failed before a person retried the execution
	 */
	constructor(
		private readonly store: Record<string, unknown>,
		private readonly node: readonly string[],
		private readonly run: readonly [written: string, run: string],
		private readonly hasFailedBefore: (key: string) => boolean,
	) {}

	/** Is called in the order of the items, before the first request: equal requests of the execution have a key each. */
	assign(index: number, request: Json): void {
		const content = digest(request);
		const short = content.slice(0, DIGEST_LENGTH);
		const { now, before } = (this.requests ??= this.countAnew());
		const count = fieldOf(now, short) ?? 0;
		setField(now, short, count + 1);
		const all = (fieldOf(before, short) ?? 0) + count;
		this.keys.set(index, this.unused(idempotencyKey([...this.node, content, all])));
	}

	/** The key of an item; for one that is not planned, such as the call of a tool, that of its place. */
	key(index: number): string {
		return this.keys.get(index) ?? this.unused(this.place(index));
	}

	/** A person has retried the execution after a task had failed: another key makes another one. */
	private unused(key: string): string {
		return this.hasFailedBefore(key) ? this.unused(idempotencyKey([key])) : key;
	}

	/** Identifies an item in the workflow, as that is written. */
	place(index: number): string {
		return idempotencyKey([...this.node, ...this.run, index]);
	}

	/** Begins to count the requests of the run, also if an attempt has counted them. */
	private countAnew(): Requests {
		const [, run] = this.run;
		const stored = (this.store[REQUESTS] ??= { run, now: {}, before: {} }) as Requests;
		if (stored.run !== run) {
			for (const [short, count] of Object.entries(stored.now))
				setField(stored.before, short, (fieldOf(stored.before, short) ?? 0) + count);
		}
		return Object.assign(stored, { run, now: {} });
	}
}
