import { McpCalls, type McpCall } from '../../nodes/shared/run/mcpCalls';

// When equal calls of MCP clients, and of n8n's Agents, are one task. Times are in seconds.

const DAY = 86_400;

class Time {
	now = 0;
	private readonly timers: Array<{ at: number; wake: () => void }> = [];
	readonly clock = {
		now: () => this.now,
		sleep: async (ms: number, signal: AbortSignal) =>
			await new Promise<void>((wake, reject) => {
				this.timers.push({ at: this.now + ms, wake });
				signal.addEventListener('abort', reject);
			}),
	};

	async goTo(seconds: number): Promise<void> {
		this.now = seconds * 1_000;
		for (const { at, wake } of this.timers) if (at <= this.now) wake();
		await new Promise((resolve) => setImmediate(resolve));
	}
}

/** How a call ends: it returns its result, its task has failed, the task goes on, or it has sent nothing. */
type End = 'result' | 'failed' | 'goes on' | 'nothing';
type Event = [seconds: number, call: string, end?: End | undefined];

/** The number of the task that each of several equal calls has. */
async function seen(events: Event[]): Promise<Record<string, number>> {
	const time = new Time();
	const calls = new McpCalls(time.clock);
	const open = new Map<string, McpCall>();
	const stores: object[] = [];
	const shown: Record<string, number> = {};
	for (const [seconds, name, end] of events) {
		await time.goTo(seconds);
		const begun = open.get(name);
		if (begun) {
			if (end === 'result') begun.returned();
			if (end === 'failed') begun.forget();
			begun.end(end !== 'nothing');
		} else {
			const call = calls.begin('cat');
			const { store } = call.shared;
			open.set(name, call);
			if (!stores.includes(store)) stores.push(store);
			shown[name] = stores.indexOf(store) + 1;
		}
	}
	return shown;
}

const A = (seconds: number, end?: End): Event => [seconds, 'A', end];
const B = (seconds: number, end?: End): Event => [seconds, 'B', end];
const C = (seconds: number, end?: End): Event => [seconds, 'C', end];

const D = (seconds: number, end?: End): Event => [seconds, 'D', end];

test.each<[string, Event[], Record<string, number>]>([
	['a result stays', [A(0), A(10, 'result'), B(609)], { A: 1, B: 1 }],
	['for ten minutes', [A(0), A(10, 'result'), B(610)], { A: 1, B: 2 }],
	[
		'which an equal call does not prolong',
		[A(0), A(9, 'result'), B(60), B(61, 'result'), C(609)],
		{ A: 1, B: 1, C: 2 },
	],
	['nor one that began before', [A(0), B(5), A(9, 'result'), B(50, 'goes on'), C(609)], { A: 1, B: 1, C: 2 }],
	['a task that has failed is made again', [A(0), A(1, 'failed'), B(2)], { A: 1, B: 2 }],
	[
		'once, also when two calls had it',
		[A(0), B(1), A(2, 'failed'), C(3), B(4, 'failed'), D(5)],
		{ A: 1, B: 1, C: 2, D: 2 },
	],
	['also within the ten minutes', [A(0), A(1, 'result'), B(2), B(3, 'failed'), C(4)], { A: 1, B: 1, C: 2 }],
	['a task that goes on is kept', [A(0), A(45, 'goes on'), B(6 * DAY)], { A: 1, B: 1 }],
	['as long as its files', [A(0), A(45, 'goes on'), B(7 * DAY)], { A: 1, B: 2 }],
	['or as long as a call is in flight', [A(0), B(8 * DAY)], { A: 1, B: 1 }],
	['what was not sent is forgotten', [A(0), A(1, 'nothing'), B(2)], { A: 1, B: 2 }],
	['unless another call may send it', [A(0), B(1), B(2, 'nothing'), C(3)], { A: 1, B: 1, C: 1 }],
])('%s', async (_, events, expected) => {
	expect(await seen(events)).toStrictEqual(expected);
});

test('other calls are tasks of their own', () => {
	const calls = new McpCalls(new Time().clock);
	expect(calls.begin('cat').shared).not.toBe(calls.begin('dog').shared);
});

test('a call is over after 45 seconds, and begins its last poll 5 seconds before', async () => {
	const time = new Time();
	await time.goTo(100);
	const call = new McpCalls(time.clock).begin('cat');
	expect(call.waitMs).toBe(40_000);
	await time.goTo(144);
	expect([call.waitMs, call.signal.aborted]).toStrictEqual([0, false]);
	await time.goTo(145);
	expect(call.signal.aborted).toBe(true);
});
