import { ApiError, asError } from '../../nodes/shared/gateway/errors/errors';
import { RateGate } from '../../nodes/shared/gateway/client/rate/rateGate';
import { RateLimitWait, type RateLimitSettings } from '../../nodes/shared/gateway/client/rate/rateLimitWait';

/** A clock that moves to the next timer when nothing else is to be done. */
export class VirtualClock {
	private time = 1_000_000_000;
	private readonly timers = new Set<{ at: number; end: () => void }>();

	now = (): number => this.time;

	sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve) => {
			const timer = { at: this.time + Math.max(milliseconds, 0), end: resolve };
			this.timers.add(timer);
			signal?.addEventListener('abort', () => this.timers.delete(timer), { once: true });
		});

	/** Lets time pass until the work is done. */
	async run<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => void (isDone = true);
		work.then(done, done);
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isDone) return await work;
			const [next] = [...this.timers].sort((one, other) => one.at - other.at);
			if (!next) throw new Error('Everything waits, and no timer is set');
			this.timers.delete(next);
			this.time = Math.max(this.time, next.at);
			next.end();
		}
	}
}

/** The rate limit of an account. */
export interface AccountLimit {
	requests: number;
	windowMs: number;
	/** `sliding`: in any window; `fixed`: in each window of the clock; `bucket`: the limit is refilled evenly. */
	kind: 'sliding' | 'fixed' | 'bucket';
	/** Whether a 429 says when to come again, in whole seconds. */
	retryAfter: boolean;
}

/** An account whose requests are limited. Counts what it takes and refuses. */
export class LimitedAccount {
	/** When requests were taken, in Unix milliseconds. */
	readonly taken: number[] = [];
	readonly refused: number[] = [];
	private tokens: number;
	private refilled: number;

	constructor(
		private readonly limit: AccountLimit,
		private readonly clock: VirtualClock,
	) {
		this.tokens = limit.requests;
		this.refilled = clock.now();
	}

	/** @throws {ApiError} with status 429 when the limit is reached */
	take(): void {
		const now = this.clock.now();
		const freeAt = this.freeAt(now);
		if (freeAt <= now) {
			this.tokens -= 1;
			this.taken.push(now);
			return;
		}
		this.refused.push(now);
		throw refusal(this.limit.retryAfter ? Math.max(1, Math.ceil((freeAt - now) / 1000)) * 1000 : undefined);
	}

	private freeAt(now: number): number {
		const { kind, requests, windowMs } = this.limit;
		if (kind === 'sliding') {
			const first = this.taken.at(-requests);
			return first === undefined ? now : first + windowMs;
		}
		if (kind === 'fixed') {
			const start = now - (now % windowMs);
			const first = this.taken.at(-requests);
			return first === undefined || first < start ? now : start + windowMs;
		}
		this.tokens = Math.min(requests, this.tokens + ((now - this.refilled) * requests) / windowMs);
		this.refilled = now;
		return this.tokens >= 1 ? now : now + ((1 - this.tokens) * windowMs) / requests;
	}
}

/** The error for a 429. */
export function refusal(retryAfterMs?: number): ApiError {
	return new ApiError({
		message: 'Too many requests',
		description: '',
		delivery: 'responded',
		status: 429,
		retryable: true,
		isRateLimit: true,
		retryAfterMs,
	});
}

/** Requests of one process, `concurrency` at a time. */
export interface Load {
	requests: number;
	concurrency: number;
	/** Milliseconds until the account decides, and from then until its response. */
	latencyMs: readonly [request: number, response: number];
	settings?: RateLimitSettings;
}

/** Sends all requests of a process through its gate. Returns the errors of those that failed. */
export async function sendAll(
	{ requests, concurrency, latencyMs, settings = {} }: Load,
	account: LimitedAccount,
	clock: VirtualClock,
	random: () => number = Math.random,
): Promise<Error[]> {
	const gate = new RateGate({ now: clock.now, sleep: clock.sleep, random });
	const errors: Error[] = [];
	let left = requests;
	const attempt = async () => {
		await clock.sleep(latencyMs[0] * (0.5 + random()));
		account.take();
		await clock.sleep(latencyMs[1] * (0.5 + random()));
	};
	const sender = async () => {
		while (left > 0) {
			left -= 1;
			const wait = new RateLimitWait(gate, settings, { now: clock.now, pause: clock.sleep, random });
			for (;;) {
				try {
					await wait.attempt(attempt);
					break;
				} catch (error) {
					if (error instanceof ApiError && wait.mayWait(error)) continue;
					errors.push(asError(error));
					break;
				}
			}
		}
	};
	await Promise.all(Array.from({ length: concurrency }, sender));
	return errors;
}
