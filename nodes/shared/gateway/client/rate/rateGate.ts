import { StoppedError, type ApiError } from '../../errors/errors';
import { throwIfAborted } from '../abort';
import { Block } from './block';
import { Outcomes } from './outcomes';
import { OwnLimits } from './ownLimits';
import { Pace, type Measurement } from './pace';
import type { GateClock, Passage, Waiting, WaitSettings } from './passage';
import { RecentCount } from './recentCount';
import { WaitQueue } from './waitQueue';

/** §7.3: limits count requests, or tokens, per minute. */
const MINUTE_MS = 60_000;

/**
 * A request that has not been refused after this time has been taken, in milliseconds: its response may take minutes.
 * More than the last refusal took.
 */
const TAKEN_AFTER_MS = 2_000;
const MAX_TAKEN_AFTER_MS = 15_000;

/** How often all requests may be held back for one, in milliseconds, and for how long after its turn. */
const HOLD_INTERVAL_MS = 4 * MINUTE_MS;
const HOLD_MARGIN_MS = 1_000;

/** The longest sleep, in milliseconds: an older n8n does not end it early. */
const MAX_SLEEP_MS = 60_000;

/**
 * Lets the requests of an account pass as its rate limit allows (§7.3, §7.6). Without a limit, it only counts. After
 * a 429 all requests wait; then one at a time is sent, until the gateway takes one. From then on requests pass at the
 * pace that was measured. Those that wait pass in the order in which they came, polls first, and after them those that
 * were refused: the gateway may refuse only these.
 */
export class RateGate {
	private readonly waiting = new WaitQueue<Waiting>();
	/** Requests that were sent in the last minute, and not refused. */
	private sent = new RecentCount(MINUTE_MS);
	private readonly ownLimits = new OwnLimits();
	/** Unknown until the first refusal. */
	private pace: Pace | undefined;
	/** Since the gateway refuses requests. */
	private block: Block | undefined;
	/** Until then requests wait for one that needs the whole limit. */
	private heldUntil = -Infinity;
	/** What became of the last requests that use tokens, since the gateway has refused one. */
	private outcomes = new Outcomes();
	/** The request that is sent during a block. */
	private probe: Passage | undefined;
	/** The requests of the last block, and the pace before: it was not too high if each of them alone is refused. */
	private undo: { refused: Set<object>; pace: Pace | undefined } | undefined;
	/** The request that ended the last block because it was not refused soon. */
	private assumed: { probe: Passage; block: Block } | undefined;
	private takenAfterMs = TAKEN_AFTER_MS;
	/** When the last block ended, and the requests that were taken since. */
	private taken = { since: -Infinity, count: 0 };
	private lastUse = -Infinity;
	private isRunning = false;
	private wake: () => void = () => undefined;

	constructor(private readonly clock: GateClock) {}

	/** Whether nothing was sent for a minute, so that the account has its whole limit again. */
	get isIdle(): boolean {
		const lastUse = Math.max(this.lastUse, this.block?.opensAt ?? -Infinity);
		return this.waiting.length === 0 && this.clock.now() - lastUse > MINUTE_MS;
	}

	/** Whether the gateway has refused requests of the account. */
	get isLimited(): boolean {
		return this.block !== undefined || this.pace !== undefined;
	}

	/**
	 * Lets a request pass, if it may be sent at once.
	 *
	 * @param requestsPerMinute as in {@link WaitSettings}
	 */
	tryPass(requestsPerMinute = 0): Passage | undefined {
		const now = this.clock.now();
		if (this.isIdle || this.isSetBack(now)) this.forget();
		this.ownLimits.use(requestsPerMinute, now);
		this.checkProbe(now);
		return this.waiting.length === 0 && this.opensAt(now) <= now ? this.admit(now) : undefined;
	}

	/**
	 * Lets a request pass while the gateway refuses requests, besides the probe.
	 *
	 * @param requestsPerMinute as in {@link WaitSettings}
	 */
	passBlock(requestsPerMinute = 0): Passage | undefined {
		const now = this.clock.now();
		this.ownLimits.use(requestsPerMinute, now);
		if (!this.block || this.ownLimits.opensAt(this.sent, now) > now) return undefined;
		this.lastUse = now;
		this.sent.add(now);
		return { at: now, isOutside: true };
	}

	/**
	 * Holds back all requests, so that one has the whole limit: it then passes with {@link passHold}.
	 *
	 * @param longestMs the longest time that the one may wait
	 * @returns for how many milliseconds; `undefined` if it was done not long ago
	 */
	hold(longestMs: number): number | undefined {
		const now = this.clock.now();
		if (longestMs < MINUTE_MS || now < this.heldUntil + HOLD_INTERVAL_MS) return undefined;
		this.heldUntil = now + MINUTE_MS + HOLD_MARGIN_MS;
		this.wake();
		return MINUTE_MS;
	}

	/** Lets the request pass for which the others wait. */
	passHold(): Passage {
		return this.admit(this.clock.now());
	}

	/**
	 * Whether the gateway takes requests that use tokens and were sent since, and most of all.
	 *
	 * @param since Unix milliseconds
	 * @returns `undefined` if none was sent
	 */
	takesOthers(since: number): boolean | undefined {
		return this.outcomes.areTaken(since);
	}

	/**
	 * Waits until the request may be sent.
	 *
	 * @throws {ApiError} the last refusal, when the gateway has refused all requests for too long
	 * @throws {StoppedError} when the signal is aborted or the run ends
	 */
	async wait(settings: WaitSettings): Promise<Passage> {
		const { lane, afterOthers, longestMs, signal, onStop, requestsPerMinute = 0 } = settings;
		throwIfAborted(signal);
		const begin = this.clock.now();
		const { since = begin } = settings;
		let leave: () => void = () => undefined;
		try {
			return await new Promise<Passage>((pass, fail) => {
				const { count: others = 0, sentAfter } = afterOthers ?? {};
				const waiting = { lane, since, begin, others, sentAfter, longestMs, requestsPerMinute, pass, fail };
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
		if (this.isLimited) this.countTaken(passage);
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

	/**
	 * The gateway has refused a request with 429, and takes others.
	 *
	 * @param request as in {@link refused}
	 */
	refusedAlone(passage: Passage, request: object): void {
		this.countRefused(passage);
		const { undo } = this;
		if (undo?.refused.delete(request) && undo.refused.size === 0) this.pace = undo.pace;
		this.lost(passage);
	}

	/**
	 * The gateway has refused a request with 429.
	 *
	 * @param request identifies the request in all its attempts
	 */
	refused(passage: Passage, error: ApiError, request: object = passage): void {
		const now = this.clock.now();
		this.countRefused(passage);
		this.takenAfterMs = Math.min(Math.max(1.5 * (now - passage.at), TAKEN_AFTER_MS), MAX_TAKEN_AFTER_MS);
		if (passage.isOutside && this.block) {
			this.block.extend(error, now, this.clock.random());
			this.wake();
			return;
		}
		if (passage === this.assumed?.probe) {
			// It had not been taken.
			this.block ??= this.assumed.block;
			this.probe ??= passage;
		}
		if (passage === this.probe) {
			this.probe = undefined;
			this.block?.refused.add(request);
			this.block?.probeRefused(passage.at, error, now, this.clock.random());
		} else if (this.block) {
			// It was sent before.
			this.block.refused.add(request);
			this.block.alsoRefused(error, now, this.clock.random());
		} else if (passage.at >= this.taken.since) {
			const { sent } = this;
			const measured = { count: sent.total(now), first: sent.oldest(now) ?? passage.at };
			this.block = new Block(measured, passage.at, error, now, this.clock.random());
			this.block.refused.add(request);
		}
		this.wake();
	}

	private countRefused({ at, usesTokens, isOutside }: Passage): void {
		if (usesTokens) this.outcomes.add(at, false);
		this.sent.remove(at);
		if (!isOutside && at >= this.taken.since) this.taken.count -= 1;
	}

	/** Counts a request that was taken, also for those that let others pass first. */
	private countTaken({ at, usesTokens }: Passage): void {
		if (usesTokens) this.outcomes.add(at, true);
		for (const waiting of this.waiting.all()) if (at > (waiting.sentAfter ?? Infinity)) waiting.others -= 1;
	}

	/** Whether the clock was set back, so that no time that was kept means anything. */
	private isSetBack(now: number): boolean {
		return now < this.lastUse - MINUTE_MS;
	}

	private forget(): void {
		this.pace = this.block = this.probe = this.assumed = this.undo = undefined;
		this.takenAfterMs = TAKEN_AFTER_MS;
		this.sent = new RecentCount(MINUTE_MS);
		this.outcomes = new Outcomes();
		this.taken = { since: -Infinity, count: 0 };
		this.lastUse = this.heldUntil = -Infinity;
	}

	/** A probe that has not been refused soon has been taken. */
	private checkProbe(now: number): void {
		if (!this.probe || now < this.probe.at + this.takenAfterMs) return;
		const { probe, block } = this;
		this.open(probe);
		if (block) this.assumed = { probe, block };
	}

	/** When the next request may be sent, in Unix milliseconds. */
	private opensAt(now: number): number {
		if (this.probe) return this.probe.at + this.takenAfterMs;
		if (this.block) return this.block.opensAt;
		return Math.max(this.pace?.next ?? now, this.heldUntil, this.ownLimits.opensAt(this.sent, now));
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
		this.probe = this.block = this.assumed = undefined;
		if (!block) return;
		const measured = block.measured(probe.at);
		this.undo = { refused: block.refused, pace: this.pace?.copy() };
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
		const next = this.waiting.next(this.block !== undefined);
		if (!next) return;
		this.ownLimits.use(next.requestsPerMinute, now);
		next.pass(this.admit(now));
	}

	/** Fails the requests that have waited for too long. Returns when the next one will have. */
	private failExpired(now: number, opensAt: number): number {
		const { block } = this;
		let next = Infinity;
		if (!block) return next;
		const end = Math.max(opensAt, block.until);
		for (const waiting of this.waiting.all()) {
			const until = Math.max(block.since, waiting.begin) + waiting.longestMs;
			if (now < until && end <= until) next = Math.min(next, until);
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
