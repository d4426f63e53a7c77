import { McpCalls, type McpCall } from '../../nodes/shared/run/mcpCalls';

// When equal calls of MCP clients are one request, and when a result counts as delivered. Times are in seconds.

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

/** How a call ends: it returns its result, ends while the task goes on, or has sent nothing. */
type End = 'result' | 'goes on' | 'nothing';
type Event = [seconds: number, call: string, end?: End | undefined];

/** What happened to calls of one request: each call's number of the task, with `again` where the result is returned once more. */
async function seen(events: Event[]): Promise<Record<string, string>> {
	const time = new Time();
	const calls = new McpCalls(time.clock);
	const open = new Map<string, McpCall>();
	const stores: object[] = [];
	const shown: Record<string, string> = {};
	for (const [seconds, name, end] of events) {
		await time.goTo(seconds);
		const begun = open.get(name);
		if (begun) begun.end(end !== 'nothing', end === 'result');
		else {
			const call = calls.begin('cat');
			open.set(name, call);
			if (!stores.includes(call.store)) stores.push(call.store);
			shown[name] = `${stores.indexOf(call.store) + 1}${call.isAgain ? ' again' : ''}`;
		}
	}
	return shown;
}

const A = (seconds: number, end?: End): Event => [seconds, 'A', end];
const B = (seconds: number, end?: End): Event => [seconds, 'B', end];
const C = (seconds: number, end?: End): Event => [seconds, 'C', end];

test.each<[string, Event[], Record<string, string>]>([
	['a result within 10 seconds is delivered', [A(0), A(10, 'result'), B(11)], { A: '1', B: '2' }],
	['a later one is returned once more', [A(0), A(10.1, 'result'), B(130)], { A: '1', B: '1 again' }],
	['but once only', [A(0), A(11, 'result'), B(50), B(51, 'result'), C(52)], { A: '1', B: '1 again', C: '2' }],
	['and for two minutes', [A(0), A(11, 'result'), B(131)], { A: '1', B: '2' }],
	['an overtaken call delivers nothing', [A(0), B(5), A(6, 'result'), C(7)], { A: '1', B: '1', C: '1' }],
	['the newest one does', [A(0), B(5), B(12, 'result'), A(12, 'result'), C(13)], { A: '1', B: '1', C: '2' }],
	['a task that goes on is kept', [A(0), A(45, 'goes on'), B(6 * DAY)], { A: '1', B: '1' }],
	['as long as its files', [A(0), A(45, 'goes on'), B(7 * DAY)], { A: '1', B: '2' }],
	['or as long as a call is in flight', [A(0), B(8 * DAY)], { A: '1', B: '1' }],
	['what was not sent is forgotten', [A(0), A(1, 'nothing'), B(2)], { A: '1', B: '2' }],
	['unless another call may send it', [A(0), B(1), B(2, 'nothing'), C(3)], { A: '1', B: '1', C: '1' }],
	[
		'a call that ends without a result after another has delivered it changes nothing',
		[A(0), B(1), B(2, 'result'), C(3), A(4, 'nothing'), [5, 'D']],
		{ A: '1', B: '1', C: '2', D: '2' },
	],
])('%s', async (_, events, expected) => {
	expect(await seen(events)).toStrictEqual(expected);
});

test('other calls are requests of their own', () => {
	const calls = new McpCalls(new Time().clock);
	expect(calls.begin('cat').store).not.toBe(calls.begin('dog').store);
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

test('calls create one after the other', async () => {
	const calls = new McpCalls(new Time().clock);
	const done: string[] = [];
	const step = (name: string) => async () => {
		done.push(`${name} begins`);
		await new Promise((resolve) => setImmediate(resolve));
		done.push(`${name} ends`);
	};
	await Promise.all(['A', 'B'].map(async (name) => await calls.begin('cat').inTurn(step(name))));
	expect(done).toStrictEqual(['A begins', 'A ends', 'B begins', 'B ends']);
});
