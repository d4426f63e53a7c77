import { StoppedError, type ApiError } from '../../errors/errors';
import { throwIfAborted } from '../abort';
import { Block } from './block';
import { Pace, type Measurement } from './pace';
import { RecentCount } from './recentCount';
import { WaitQueue, type Lane } from './waitQueue';

/** §7.3: limits count requests, or tokens, per minute. */
const MINUTE_MS = 60_000;

/** A request that has not been refused after this time has been taken, in milliseconds: its response may take minutes. */
const TAKEN_AFTER_MS = 2_000;

/** The longest sleep, in milliseconds: an older n8n does not end it early. */
const MAX_SLEEP_MS = 60_000;

/** What a gate depends on. */
export interface GateClock {
	/** Unix milliseconds. */
	now(): number;
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** A number in [0, 1). */
	random(): number;
}

/** Calls a listener when the run ends, and returns a function that removes it. */
export type OnStop = (listener: (stopped: StoppedError) => void) => () => void;

/** A request that has passed the gate. */
export interface Passage {
	/** Unix milliseconds. */
	at: number;
}

/** How a request waits. */
export interface WaitSettings {
	lane: Lane;
	/** When it came, in Unix milliseconds: a request that was refused keeps its place. Default: now. */
	since?: number | undefined;
	/** How long it waits, in milliseconds, while the gateway refuses all requests. */
	longestMs: number;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Ends the wait with the run. */
	onStop?: OnStop | undefined;
	/** The most requests in a minute. Default: as many as the gateway takes. */
	requestsPerMinute?: number | undefined;
}

interface Waiting {
	lane: Lane;
	/** When it came. */
	since: number;
	/** The begin of this wait. */
	begin: number;
	longestMs: number;
	requestsPerMinute: number;
	pass: (passage: Passage) => void;
	fail: (error: Error) => void;
}

/**
 * Lets the requests of an account pass as its rate limit allows (§7.3, §7.6). Without a limit, it only counts. After
 * a 429 all requests wait; then one at a time is sent, until the gateway takes one. From then on requests pass at the
 * pace that was measured. Those that wait pass in the order in which they came, polls first.
 */
export class RateGate {
	private readonly waiting = new WaitQueue<Waiting>();
	/** Requests that were sent in the last minute, and not refused. */
	private sent = new RecentCount(MINUTE_MS);
	/** The limits that nodes have set, with the time of their last request. */
	private readonly ownLimits = new Map<number, number>();
	/** Unknown until the first refusal. */
	private pace: Pace | undefined;
	/** Since the gateway refuses requests. */
	private block: Block | undefined;
	/** The request that is sent during a block. */
	private probe: Passage | undefined;
	/** When the last block ended, and the requests that were taken since. */
	private taken = { since: -Infinity, count: 0 };
	private lastUse = -Infinity;
	private isRunning = false;
	private wake: () => void = () => undefined;

	constructor(private readonly clock: GateClock) {}

	/** Whether nothing was sent for a minute, so that the account has its whole limit again. */
	get isIdle(): boolean {
		const lastUse = Math.max(this.lastUse, this.block?.until ?? -Infinity);
		return this.waiting.length === 0 && this.clock.now() - lastUse > MINUTE_MS;
	}

	/**
	 * Lets a request pass, if it may be sent at once.
	 *
	 * @param requestsPerMinute as in {@link WaitSettings}
	 */
	tryPass(requestsPerMinute = 0): Passage | undefined {
		const now = this.clock.now();
		if (this.isIdle || this.isSetBack(now)) this.forget();
		this.keepOwnLimit(requestsPerMinute, now);
		this.checkProbe(now);
		return this.waiting.length === 0 && this.opensAt(now) <= now ? this.admit(now) : undefined;
	}

	/**
	 * Waits until the request may be sent.
	 *
	 * @throws {ApiError} the last refusal, when the gateway has refused all requests for too long
	 * @throws {StoppedError} when the signal is aborted or the run ends
	 */
	async wait(settings: WaitSettings): Promise<Passage> {
		const { lane, longestMs, signal, onStop, requestsPerMinute = 0 } = settings;
		throwIfAborted(signal);
		const begin = this.clock.now();
		const { since = begin } = settings;
		let leave: () => void = () => undefined;
		try {
			return await new Promise<Passage>((pass, fail) => {
				const waiting = { lane, since, begin, longestMs, requestsPerMinute, pass, fail };
				const onAbort = () => fail(new StoppedError('not waited for'));
				this.waiting.add(waiting);
				signal?.addEventListener('abort', onAbort);
				const removeListener = onStop?.(fail);
				leave = () => {
					this.waiting.remove(waiting);
					signal?.removeEventListener('abort', onAbort);
					removeListener?.();
				};
				this.pace?.holdBack();
				// While others wait, the loop may sleep for longer than this one waits.
				if (this.isRunning) this.failExpired(begin, this.opensAt(begin));
				else void this.run();
			});
		} finally {
			leave();
			if (this.waiting.length === 0) this.wake();
		}
	}

	/** The gateway has responded to a request, other than with 429. */
	accepted(passage: Passage): void {
		if (passage !== this.probe) return;
		this.open(passage);
		this.wake();
	}

	/** The outcome of a request is not known: its connection was lost, or the execution ended. */
	lost(passage: Passage): void {
		if (passage !== this.probe) return;
		this.probe = undefined;
		this.wake();
	}

	/** The gateway has refused a request with 429. */
	refused(passage: Passage, error: ApiError): void {
		const now = this.clock.now();
		this.sent.remove(passage.at);
		if (passage.at >= this.taken.since) this.taken.count -= 1;
		if (passage === this.probe) {
			this.probe = undefined;
			this.block?.probeRefused(passage.at, error, now, this.clock.random());
		} else if (this.block) {
			// It was sent before.
			this.block.alsoRefused(error, now, this.clock.random());
		} else if (passage.at >= this.taken.since) {
			const { sent } = this;
			const measured = { count: sent.total(now), first: sent.oldest(now) ?? passage.at };
			this.block = new Block(measured, passage.at, error, now, this.clock.random());
		}
		this.wake();
	}

	/** Whether the clock was set back, so that no time that was kept means anything. */
	private isSetBack(now: number): boolean {
		return now < this.lastUse - MINUTE_MS;
	}

	private forget(): void {
		this.pace = this.block = this.probe = undefined;
		this.sent = new RecentCount(MINUTE_MS);
		this.taken = { since: -Infinity, count: 0 };
		this.lastUse = -Infinity;
	}

	/** A probe that has not been refused soon has been taken. */
	private checkProbe(now: number): void {
		if (this.probe && now >= this.probe.at + TAKEN_AFTER_MS) this.open(this.probe);
	}

	/** When the next request may be sent, in Unix milliseconds. */
	private opensAt(now: number): number {
		if (this.probe) return this.probe.at + TAKEN_AFTER_MS;
		if (this.block) return this.block.until;
		return Math.max(this.pace?.next ?? now, this.ownLimitOpensAt(now));
	}

	private keepOwnLimit(requestsPerMinute: number, now: number): void {
		if (requestsPerMinute > 0) this.ownLimits.set(requestsPerMinute, now);
	}

	private ownLimitOpensAt(now: number): number {
		if (this.ownLimits.size === 0) return now;
		for (const [limit, lastUse] of this.ownLimits)
			if (now - lastUse > MINUTE_MS) this.ownLimits.delete(limit);
		const lowest = Math.min(...this.ownLimits.keys());
		return this.sent.total(now) < lowest ? now : this.sent.nextExpiry(now);
	}

	private admit(now: number): Passage {
		const passage = { at: now };
		this.lastUse = now;
		this.sent.add(now);
		this.taken.count += 1;
		if (this.block) this.probe = passage;
		else this.pace?.take(now);
		return passage;
	}

	/** The gateway has taken the probe. */
	private open(probe: Passage): void {
		const { block } = this;
		this.probe = undefined;
		this.block = undefined;
		if (!block) return;
		const measured = block.measured(probe.at);
		if (this.pace) this.pace.reduce(this.recentlyTaken(probe.at), probe.at);
		else if (measured.count > 0) this.pace = new Pace(measured, probe.at);
		this.taken = { since: probe.at, count: 1 };
	}

	/** What the gateway has taken since the last block, or in the last minute, without the probe of this time. */
	private recentlyTaken(now: number): Measurement {
		const { since, count } = this.taken;
		if (now - since <= MINUTE_MS) return { count: count - 1, spanMs: now - since };
		return { count: this.sent.total(now) - 1, spanMs: MINUTE_MS };
	}

	/** Lets requests pass while some wait. */
	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.waiting.length > 0) {
			const now = this.clock.now();
			if (this.isSetBack(now)) this.forget();
			this.checkProbe(now);
			const opensAt = this.opensAt(now);
			const givesUpAt = this.failExpired(now, opensAt);
			if (opensAt <= now) this.passNext(now);
			else if (this.waiting.length > 0) await this.sleep(Math.min(opensAt, givesUpAt) - now);
		}
		this.isRunning = false;
	}

	private passNext(now: number): void {
		const next = this.waiting.next();
		if (!next) return;
		this.keepOwnLimit(next.requestsPerMinute, now);
		next.pass(this.admit(now));
	}

	/** Fails the requests that have waited for too long. Returns when the next one will have. */
	private failExpired(now: number, opensAt: number): number {
		const { block } = this;
		let next = Infinity;
		if (!block) return next;
		for (const waiting of this.waiting.all()) {
			const until = Math.max(block.since, waiting.begin) + waiting.longestMs;
			if (now < until && opensAt <= until) next = Math.min(next, until);
			else if (opensAt > now) {
				this.waiting.remove(waiting);
				waiting.fail(block.error);
			}
		}
		return next;
	}

	private async sleep(milliseconds: number): Promise<void> {
		const over = new AbortController();
		const woken = new Promise<void>((resolve) => (this.wake = resolve));
		const sleeping = this.clock.sleep(Math.ceil(Math.min(milliseconds, MAX_SLEEP_MS)), over.signal);
		await Promise.race([sleeping.catch(() => undefined), woken]);
		over.abort();
	}
}
