import { ApiError, asError, StoppedError } from '../gateway/errors/errors';
import { asText, at } from '../gateway/util/json';
import type { ItemRecord } from './charge/record';

/** When a call is answered at the latest, in milliseconds after its start: n8n's client and MCP's SDK wait for 60 s. */
const ANSWER_MS = 45_000;

/** How long a poll may take, in milliseconds: the last one begins so much earlier. */
const LAST_POLL_MS = 5_000;

/** How long equal calls get a result that a call has returned, in milliseconds. */
const RETURNED_MS = 10 * 60_000;

/** How long the gateway keeps the files of a task, in milliseconds. */
const FILES_MS = 7 * 24 * 3_600_000;

export interface McpClock {
	/** Milliseconds; is never set back. */
	now: () => number;
	sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What equal calls share. */
interface SharedTask {
	/** The key and the task, in place of the node's context: each call has a context of its own, or none. */
	readonly store: Record<string, unknown>;
	inFlight: number;
	/** When it is forgotten, by the clock. */
	end: number;
}

/**
 * The calls of tools, in this process, that share no execution. n8n does not tell a node that a client has given up, and asks
 * again: equal calls are one task until ten minutes after a call has returned its result.
 */
export class McpCalls {
	private readonly all = new Map<string, SharedTask>();

	constructor(private readonly clock: McpClock) {}

	/** @param id the same for equal calls */
	begin(id: string): McpCall {
		const { clock, all } = this;
		const now = clock.now();
		for (const [other, { inFlight, end }] of all) if (inFlight === 0 && end <= now) all.delete(other);
		const shared = at(all, id, () => ({
			store: {},
			inFlight: 0,
			end: now + FILES_MS,
		}));
		const forget = () => {
			if (all.get(id) === shared) all.delete(id);
		};
		return new McpCall(shared, forget, clock);
	}
}

export class McpCall {
	private readonly start: number;
	private readonly ended = new AbortController();
	private readonly over = new AbortController();

	/** @param forget lets the next equal call create another task */
	constructor(
		readonly shared: SharedTask,
		readonly forget: () => void,
		private readonly clock: McpClock,
	) {
		this.start = clock.now();
		shared.inFlight += 1;
		const timer = clock.sleep(ANSWER_MS, this.ended.signal);
		timer.then(
			() => this.over.abort(),
			() => undefined,
		);
	}

	/** Is aborted when the call must be answered. */
	get signal(): AbortSignal {
		return this.over.signal;
	}

	/** How long it may still wait for a task, in milliseconds. */
	get waitMs(): number {
		return Math.max(this.start + ANSWER_MS - LAST_POLL_MS - this.clock.now(), 0);
	}

	/** It returns the result. Later calls do not prolong its time: a client that asks often would never get another one. */
	returned(): void {
		this.shared.end = Math.min(this.shared.end, this.clock.now() + RETURNED_MS);
	}

	/** @param isSent whether there is, or may be, a task */
	end(isSent: boolean): void {
		this.ended.abort();
		this.shared.inFlight -= 1;
		if (!isSent && this.shared.inFlight === 0) this.forget();
	}
}

/**
 * What a client reads of a call without a result, which an equal one continues; `undefined` for other errors.
 *
 * @param record what the call has sent
 */
export function unfinished(error: unknown, record: ItemRecord | undefined) {
	const isStopped = error instanceof StoppedError;
	const { code, extra, taskId = record?.taskId } = error instanceof ApiError ? error.details : {};
	if (taskId !== undefined) {
		if (!isStopped && code !== 'wait_timeout') return undefined;
		const note = 'The task continues. To get its result, call again with the same input: that costs nothing.';
		return { taskId, state: asText(extra?.state) ?? 'unknown', note };
	}
	if (record) {
		const reason = isStopped ? 'The gateway has not responded yet' : asError(error).message;
		const advice = 'Call again with the same input: it is the same task.';
		return { error: `${reason}. The task may have been created and charged. ${advice}` };
	}
	if (!isStopped) return undefined;
	return { error: 'Nothing has been created or charged yet. Call again with the same input.' };
}
