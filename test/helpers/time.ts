import { ClientRequest } from 'node:http';
import { performance } from 'node:perf_hooks';

import { Traffic } from './traffic';

// Virtual time: a test waits for nothing, and a busy machine changes nothing.

const { setTimeout: startTimer, setImmediate: startImmediate } = globalThis;

/** How often in a row the process is found idle before time passes. */
const IDLE_CHECKS = 2;
/** How often it is checked when something stays on its way: one end of a connection may be of another process. */
const MAX_CHECKS_ON_ITS_WAY = 200;
/** How often in a row it is found idle, without a timer, before a condition fails that can no longer come true. */
const STUCK_CHECKS = 40;
/** Pending work that ends by itself. */
const ENDS_BY_ITSELF = /^(FSReq|Simple(Write|Shutdown)|ConnectWrap|GetAddrInfo|Immediate)/;

/** Of the test file. */
const traffic = new Traffic();

/** Makes time virtual in each test of a file. A file's own `afterEach` and `afterAll` run in real time. */
export function makeTimeVirtual(): void {
	beforeAll(async () => await traffic.start());
	beforeEach(() => void new Clock());
	afterEach(() => Clock.current.stop());
	afterAll(() => traffic.stop());
}

interface Wait {
	condition: () => boolean;
	resolve: () => void;
	reject: (error: unknown) => void;
}

/**
 * A clock that stands still while the process works or its sockets move, and goes on to the next timer as soon as
 * nothing else happens. Timeouts of hours take milliseconds, and none expires early.
 */
export class Clock {
	private static running: Clock | undefined;
	/** When the last clock of the file stopped: time is never set back. */
	private static last = 0;
	private readonly waits = new Set<Wait>();
	private readonly timeouts = new VirtualTimeouts();
	private stuck = 0;

	/** The clock of the test that runs. */
	static get current(): Clock {
		if (!Clock.running) throw new Error('No test runs');
		return Clock.running;
	}

	/** Starts it, a second before midnight (UTC). */
	constructor() {
		const now = Math.max(lastSecondOf(Date.now()), Clock.last);
		jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'hrtime'] });
		// The fake one begins at 0 in each test.
		Object.assign(globalThis.performance, { now: () => Date.now() });
		traffic.forgetUnlisted();
		this.timeouts.start();
		Clock.running = this;
		void this.run();
	}

	get isRunning(): boolean {
		return Clock.running === this;
	}

	stop(): void {
		Clock.running = undefined;
		Clock.last = Date.now();
		this.timeouts.stop();
		jest.clearAllTimers();
		jest.useRealTimers();
		this.fail('The test has ended');
	}

	/** Forgets all timers. jest would set the time back to the start. */
	clearTimers(): void {
		const now = Date.now();
		jest.clearAllTimers();
		jest.setSystemTime(now);
	}

	/** Waits until a condition holds while nothing else happens. */
	async until(condition: () => boolean): Promise<void> {
		this.stuck = 0;
		await new Promise<void>((resolve, reject) => this.waits.add({ condition, resolve, reject }));
	}

	/**
	 * Lets time pass until a promise has settled.
	 *
	 * @param limitMs the longest time, in milliseconds of this clock
	 * @returns whether it has settled
	 */
	async settled(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
		let timer: NodeJS.Timeout | undefined;
		const limit = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), limitMs)));
		const settled = promise.then(
			() => true,
			() => true,
		);
		return await Promise.race([settled, limit]).finally(() => clearTimeout(timer));
	}

	/** Lets time pass until nothing is left to wait for, at most `limitMs`. */
	async drained(limitMs: number): Promise<void> {
		const end = Date.now() + limitMs;
		await this.until(() => jest.getTimerCount() === 0 || Date.now() >= end);
	}

	private async run(): Promise<void> {
		while (this.isRunning) {
			const hasMoved = await idle(this);
			if (!this.isRunning) return;
			if (hasMoved || this.resolveOne() || this.advance()) {
				this.stuck = 0;
				continue;
			}
			this.stuck += 1;
			await rest();
			if (this.stuck >= STUCK_CHECKS) this.fail('Nothing happens any more, and the condition does not hold');
		}
	}

	/** Goes on to the next timer, if there is one. */
	private advance(): boolean {
		if (jest.getTimerCount() === 0) return false;
		try {
			jest.advanceTimersToNextTimer();
		} catch (error) {
			// As an error in a real timer, it ends the test and not the clock.
			startImmediate(() => {
				throw error;
			});
		}
		return true;
	}

	/** Resolves the first wait whose condition holds. */
	private resolveOne(): boolean {
		for (const wait of this.waits) {
			try {
				if (!wait.condition()) continue;
				wait.resolve();
			} catch (error) {
				wait.reject(error);
			}
			this.waits.delete(wait);
			return true;
		}
		return false;
	}

	private fail(message: string): void {
		for (const { condition, reject } of this.waits) reject(new Error(`${message}: ${condition.toString()}`));
		this.waits.clear();
	}
}

const DAY_MS = 86_400_000;

/** The last second of the day of a time, in Unix milliseconds. */
function lastSecondOf(time: number): number {
	return Math.ceil((time + 1_000) / DAY_MS) * DAY_MS - 1_000;
}

/** Leaves the processor to others for a moment. */
async function rest(): Promise<void> {
	await new Promise((resolve) => startTimer(resolve, 1));
}

/** Whether something goes on outside, `since` so many checks. */
function isPending(since: number): boolean {
	return (
		traffic.hasUnlistedWork ||
		(traffic.isOnItsWay && since < MAX_CHECKS_ON_ITS_WAY) ||
		process.getActiveResourcesInfo().some((kind) => ENDS_BY_ITSELF.test(kind))
	);
}

/**
 * Waits until the process has had nothing to do for a moment. Timers that are due have ended then.
 *
 * @returns whether something has happened meanwhile
 */
async function idle(clock: Clock): Promise<boolean> {
	let hasEverMoved = false;
	for (let checks = 0, since = 0; checks < IDLE_CHECKS; since += 1) {
		const timers = jest.getTimerCount();
		jest.advanceTimersByTime(0);
		const { events } = performance.nodeTiming.uvMetricsInfo;
		// What another thread or the kernel does may need the processor.
		if (since > IDLE_CHECKS) await rest();
		// The second one comes after what the sockets have received meanwhile.
		for (let count = 0; count < 2; count += 1) await new Promise((resolve) => startImmediate(resolve));
		if (!clock.isRunning) break;
		const hasMoved =
			events !== performance.nodeTiming.uvMetricsInfo.events || timers !== jest.getTimerCount();
		if (hasMoved) since = 0;
		hasEverMoved ||= hasMoved;
		checks = hasMoved || isPending(since) ? 0 : checks + 1;
	}
	return hasEverMoved;
}

/** The timeouts of HTTP requests, which Node.js counts with timers of its own, on those of `globalThis`. */
class VirtualTimeouts {
	private readonly original = Reflect.get(ClientRequest.prototype, 'setTimeout');

	start(): void {
		Object.assign(ClientRequest.prototype, {
			setTimeout(this: ClientRequest, ms: number, callback?: () => void) {
				if (callback) this.once('timeout', callback);
				watchIdle(this, ms);
				return this;
			},
		});
	}

	stop(): void {
		Object.assign(ClientRequest.prototype, { setTimeout: this.original });
	}
}

/** By request, as it has one timeout at a time. */
const timers = new WeakMap<ClientRequest, NodeJS.Timeout>();

/** Emits `timeout` when no byte has moved for a time, in milliseconds; 0 ends that. */
function watchIdle(request: ClientRequest, ms: number): void {
	const bytes = (): number => {
		const { bytesRead = 0, bytesWritten = 0 } = request.socket ?? {};
		return bytesRead + bytesWritten;
	};
	const stop = (): void => clearTimeout(timers.get(request));
	let moved = bytes();
	const check = (): void => {
		const now = bytes();
		if (moved === now) request.emit('timeout');
		moved = now;
		timers.set(request, setTimeout(check, ms));
	};
	stop();
	if (ms === 0) return;
	timers.set(request, setTimeout(check, ms));
	request.once('close', stop);
}

/** Lets virtual time pass, in milliseconds. */
export async function passTime(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits until a condition holds while nothing else happens. */
export async function eventually(condition: () => boolean): Promise<void> {
	await Clock.current.until(condition);
}
