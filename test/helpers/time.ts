import { ClientRequest } from 'node:http';
import { performance } from 'node:perf_hooks';

import { Traffic } from './traffic';

// Virtual time: a test waits for nothing, and a busy machine changes nothing.

const { setTimeout: startTimer, setImmediate: startImmediate } = globalThis;

/** How often in a row the process is found idle before time passes. */
const IDLE_CHECKS = 2;
/** How often it is looked at when something stays on its way for ever: one end may be of another process. */
const MOST_CHECKS = 200;
/** How often in a row it is found idle, without a timer, before a condition fails that can no longer come true. */
const STUCK_CHECKS = 40;
/** Pending work of the operating system that ends by itself. */
const PASSING = /^(FSReq|Write|Shutdown|ConnectWrap|GetAddrInfo|Zlib)/;

/** Of the test file. */
const traffic = new Traffic();

/** Makes time virtual in each test of a file. */
export function makeTimeVirtual(): void {
	traffic.start();
	beforeEach(() => void new Clock());
	afterEach(() => Clock.current.stop());
	afterAll(() => traffic.stop());
}

interface Wait {
	condition: () => boolean;
	resolve: () => void;
	reject: (error: Error) => void;
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

	/** The clock of the test that runs. */
	static get current(): Clock {
		if (!Clock.running) throw new Error('No test runs');
		return Clock.running;
	}

	/** Starts it, a second before midnight (UTC). */
	constructor() {
		const now = Math.max(lastSecondOf(Date.now()), Clock.last);
		jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'hrtime'] });
		Object.assign(globalThis.performance, { now: () => Date.now() });
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

	/** Waits until a condition holds while nothing else happens. */
	async until(condition: () => boolean): Promise<void> {
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
		for (let stuck = 0; this.isRunning; ) {
			await idle(this);
			if (!this.isRunning || this.resolveOne()) continue;
			if (jest.getTimerCount() > 0) {
				jest.advanceTimersToNextTimer();
				stuck = 0;
			} else stuck += 1;
			if (stuck === STUCK_CHECKS) this.fail('Nothing happens any more, and the condition does not hold');
		}
	}

	/** Resolves the first wait whose condition holds. */
	private resolveOne(): boolean {
		for (const wait of this.waits) {
			if (!wait.condition()) continue;
			this.waits.delete(wait);
			wait.resolve();
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
	return Math.ceil(time / DAY_MS) * DAY_MS - 1_000;
}

/** Waits until the process has had nothing to do for a moment. Timers that are due have ended then. */
async function idle(clock: Clock): Promise<void> {
	for (let checks = 0, since = 0; checks < IDLE_CHECKS; since += 1) {
		const timers = jest.getTimerCount();
		jest.advanceTimersByTime(0);
		const { events } = performance.nodeTiming.uvMetricsInfo;
		await new Promise((resolve) => startTimer(resolve, 1));
		// The timer comes before what the sockets have received meanwhile.
		for (let count = 0; count < 2; count += 1) await new Promise((resolve) => startImmediate(resolve));
		if (!clock.isRunning) return;
		const hasMoved =
			events !== performance.nodeTiming.uvMetricsInfo.events || timers !== jest.getTimerCount();
		if (hasMoved) since = 0;
		const isPending =
			traffic.isOnItsWay || process.getActiveResourcesInfo().some((kind) => PASSING.test(kind));
		checks = hasMoved || (isPending && since < MOST_CHECKS) ? 0 : checks + 1;
	}
}

/** The timeouts of HTTP requests, which Node.js counts with timers of its own, on those of `globalThis`. */
class VirtualTimeouts {
	private readonly original = Reflect.get(ClientRequest.prototype, 'setTimeout');

	start(): void {
		Object.assign(ClientRequest.prototype, {
			setTimeout(this: ClientRequest, ms: number, callback?: () => void) {
				if (callback) this.once('timeout', callback);
				if (ms > 0) watchIdle(this, ms);
				return this;
			},
		});
	}

	stop(): void {
		Object.assign(ClientRequest.prototype, { setTimeout: this.original });
	}
}

/** Emits `timeout` when no byte has moved for a time. */
function watchIdle(request: ClientRequest, ms: number): void {
	const bytes = (): number => {
		const { bytesRead = 0, bytesWritten = 0 } = request.socket ?? {};
		return bytesRead + bytesWritten;
	};
	let moved = bytes();
	const check = (): void => {
		const now = bytes();
		if (moved === now) request.emit('timeout');
		moved = now;
		timer = setTimeout(check, ms);
	};
	let timer = setTimeout(check, ms);
	request.once('close', () => clearTimeout(timer));
}

/** Lets virtual time pass, in milliseconds. */
export async function passTime(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits until a condition holds while nothing else happens. */
export async function eventually(condition: () => boolean): Promise<void> {
	await Clock.current.until(condition);
}
