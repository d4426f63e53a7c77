import { ApiError, asError, StoppedError } from '../gateway/errors/errors';
import { asText } from '../gateway/util/json';
import type { ItemRecord } from './charge/record';

/** When a call is answered at the latest, in milliseconds after its start: n8n's client and MCP's SDK wait for 60 s. */
const ANSWER_MS = 45_000;

/** How long a poll may take, in milliseconds: the last one begins so much earlier. */
const LAST_POLL_MS = 5_000;

/** How long any client waits, in milliseconds: it has received what is returned so soon. */
const RECEIVED_MS = 10_000;

/** How long a later result is kept, in milliseconds. */
const KEPT_MS = 120_000;

/** How long the gateway keeps the files of a task, in milliseconds. */
const FILES_MS = 7 * 24 * 3_600_000;

export interface McpClock {
	/** Milliseconds; is never set back. */
	now: () => number;
	sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What clients have asked for, until it is delivered. */
interface McpRequest {
	/** The key and the task, in place of the node's context: each call has a context of its own. */
	readonly store: Record<string, unknown>;
	newest?: McpCall;
	inFlight: number;
	/** Settles when the calls before have their task, or none. */
	created: Promise<unknown>;
	isReturned: boolean;
	/** When it is forgotten. */
	end: number;
}

/**
 * The calls of MCP clients in this process. n8n does not tell a node that a client has given up, and asks again: equal calls
 * are one task until the newest of them has returned its result.
 */
export class McpCalls {
	private readonly requests = new Map<string, McpRequest>();

	constructor(private readonly clock: McpClock) {}

	/** @param id the same for equal calls */
	begin(id: string): McpCall {
		const { clock, requests } = this;
		const now = clock.now();
		for (const [other, { inFlight, end }] of requests)
			if (inFlight === 0 && end <= now) requests.delete(other);
		const request = requests.get(id) ?? newRequest(now);
		requests.set(id, request);
		const forget = () => {
			if (requests.get(id) === request) requests.delete(id);
		};
		return new McpCall(request, forget, clock);
	}
}

const newRequest = (now: number): McpRequest => ({
	store: {},
	inFlight: 0,
	created: Promise.resolve(),
	isReturned: false,
	end: now + FILES_MS,
});

export class McpCall {
	/** Whether an earlier call has returned the result, perhaps to a client that had given up. */
	readonly isAgain: boolean;
	private readonly start: number;
	private readonly ended = new AbortController();
	private readonly over = new AbortController();

	constructor(
		private readonly request: McpRequest,
		private readonly forget: () => void,
		private readonly clock: McpClock,
	) {
		this.start = clock.now();
		this.isAgain = request.isReturned;
		request.inFlight += 1;
		request.newest = this;
		const timer = clock.sleep(ANSWER_MS, this.ended.signal);
		timer.then(
			() => this.over.abort(),
			() => undefined,
		);
	}

	/** Stands in place of the node's context. */
	get store(): Record<string, unknown> {
		return this.request.store;
	}

	/** Is aborted when the call must be answered. */
	get signal(): AbortSignal {
		return this.over.signal;
	}

	/** How long it may still wait for a task, in milliseconds. */
	get waitMs(): number {
		return Math.max(this.start + ANSWER_MS - LAST_POLL_MS - this.clock.now(), 0);
	}

	/** Creates one after the other: a later call finds the task of an earlier one. `create` does not reject. */
	async inTurn(create: () => Promise<void>): Promise<void> {
		const { request } = this;
		request.created = request.created.then(create);
		await request.created;
	}

	/**
	 * @param isSent whether there is, or may be, a task
	 * @param isFinal whether its result is returned
	 */
	end(isSent: boolean, isFinal: boolean): void {
		const { request } = this;
		this.ended.abort();
		request.inFlight -= 1;
		if (!isSent) {
			if (request.inFlight === 0) this.forget();
			return;
		}
		if (!isFinal || request.newest !== this) return;
		const now = this.clock.now();
		if (now - this.start <= RECEIVED_MS) return this.forget();
		request.isReturned = true;
		request.end = now + KEPT_MS;
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
