import type { HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { STREAM_TEXTS } from '../../../nodes/shared/gateway/text/streamText';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { apiErrorOf, testGate } from '../../helpers/client';
import { events } from '../../helpers/streams';

// Streams whose chunks arrive at certain times, on a clock that only the client's own pauses move.

const hello = events({ choices: [{ index: 0, delta: { content: 'Hello' } }] });
const end = events({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: {} });
const done = events('[DONE]');
const ping = ': ping\n\n';

/** What arrives, undefined for the end of the connection, and how many milliseconds after the headers. */
interface Arrival {
	timeMs: number;
	content: string | undefined | Error;
}

const at = (timeMs: number, content: Arrival['content']): Arrival => ({ timeMs, content });

interface Options {
	timeoutMs?: number;
	contentType?: string;
	signal?: AbortSignal;
	onText?: (text: string) => Promise<void>;
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

function streamOnClock(arrivals: Arrival[], options: Options = {}) {
	const waiting = [...arrivals];
	const sent: HttpRequest[] = [];
	const shown: string[] = [];
	const clock = { time: 0, naps: 0 };
	const arrived: Arrival[] = [];
	let notify: () => void = () => undefined;
	/** Advances the clock. */
	const pass = async (milliseconds: number) => {
		const until = clock.time + milliseconds;
		for (let [next] = waiting; next && next.timeMs <= until; [next] = waiting) {
			clock.time = next.timeMs;
			arrived.push(next);
			waiting.shift();
			notify();
			await settled();
		}
		clock.time = until;
		await settled();
	};
	const body = {
		destroyed: false,
		destroy() {
			this.destroyed = true;
		},
		async *[Symbol.asyncIterator]() {
			for (;;) {
				const next = arrived.shift();
				if (!next) {
					await new Promise<void>((resolve) => (notify = resolve));
					continue;
				}
				const { content } = next;
				if (content === undefined) return;
				if (content instanceof Error) throw content;
				yield Buffer.from(content);
			}
		},
	};
	const unused = () => Promise.reject(new Error('not used'));
	const client = new GatewayClient(
		{ baseUrl: 'https://gateway.test/api/v1', secrets: [], maxRetries: 3, timeoutMs: options.timeoutMs },
		{
			transport: {
				text: unused,
				stream: async (exchange) => {
					sent.push(exchange);
					const headers = { 'content-type': options.contentType ?? 'text/event-stream' };
					return await Promise.resolve({ status: 200, headers, body });
				},
			},
			gate: testGate(),
			withSlot: async (work) => await work(),
			pause: unused,
			until: unused,
			sleep: async (milliseconds) => {
				clock.naps += 1;
				await pass(milliseconds);
			},
			now: () => clock.time,
			random: () => 0.5,
		},
	);
	const format = textFormat('chat');
	const completion = streamText(client, {
		format,
		output: { kind: 'text' },
		request: {
			group: 'text',
			kind: 'charge',
			method: 'POST',
			path: format.path,
			json: {},
			headers: { 'X-Own': '1' },
			signal: options.signal,
		},
		onText: async (text) => {
			shown.push(text);
			await options.onText?.(text);
		},
	});
	/** Waits until every pause is over; returns how many began meanwhile. */
	const napsAfterwards = async () => {
		const before = clock.naps;
		for (let tick = 0; tick < 10; tick += 1) await settled();
		return clock.naps - before;
	};
	return { completion, sent, shown, clock, body, pass, napsAfterwards };
}

const textOf = async (completion: ReturnType<typeof streamOnClock>['completion']) =>
	textFormat('chat').readCompletion(await completion, { kind: 'text' }).choices[0]?.text;

it.each([
	[undefined, 315_000],
	[100_000, 100_000],
	[300_000, 300_000],
	[400_000, 400_000],
])('with a timeout of %j, the headers may take %i ms', async (timeoutMs, expected) => {
	const { completion, sent } = streamOnClock([at(0, hello + end + done)], timeoutMs ? { timeoutMs } : {});
	await completion;
	expect(sent).toStrictEqual([
		expect.objectContaining({
			method: 'POST',
			timeoutMs: expected,
			headers: {
				Accept: 'text/event-stream, application/json;q=0.9',
				'Content-Type': 'application/json',
				'X-Own': '1',
			},
			kind: 'charge',
		}) as HttpRequest,
	]);
});

/** Keep-alives from the beginning until a time. */
const pings = (until: number): Arrival[] =>
	Array.from({ length: Math.floor(until / 200_000) }, (_, index) => at((index + 1) * 200_000, ping));

describe('the time of a stream', () => {
	it.each<[string, number, 'idle' | 'total' | undefined, { timeoutMs?: number; hasPings?: boolean }]>([
		['a silence of almost 315 s', 315_000, undefined, {}],
		['a silence of 315 s', 315_002, 'idle', {}],
		['keep-alives for almost 15 min', 899_999, undefined, { hasPings: true }],
		['keep-alives for 15 min', 900_001, 'total', { hasPings: true }],
		['a longer timeout', 315_002, 'idle', { timeoutMs: 1_000_000 }],
		['a longer timeout, with keep-alives', 999_999, undefined, { timeoutMs: 1_000_000, hasPings: true }],
		['a shorter timeout that is kept', 99_999, undefined, { timeoutMs: 100_000 }],
		['a shorter timeout that is not', 100_001, 'total', { timeoutMs: 100_000 }],
	])('%s', async (_, endMs, limit, { hasPings = false, ...options }) => {
		const arrivals = [at(1, hello), ...(hasPings ? pings(endMs - 1) : []), at(endMs, end + done)];
		const { completion, body } = streamOnClock(arrivals, options);
		const outcome = await textOf(completion).catch(async () => {
			const { message, code, outcome } = (await apiErrorOf(completion)).details;
			return [message, code, outcome];
		});
		expect(outcome).toStrictEqual(limit ? [STREAM_TEXTS[limit].message, 'timeout', 'unknown'] : 'Hello');
		expect(body.destroyed).toBe(true);
	});

	it('returns a complete completion although its connection stays open', async () => {
		const { completion, clock } = streamOnClock([at(1, hello + end)]);
		expect(await textOf(completion)).toBe('Hello');
		expect(clock.time).toBe(315_001);
	});

	it.each<[string, Arrival[]]>([
		['stalls', [at(1, '{"choices": [')]],
		['drips', [at(1, '{"choices": ['), ...pings(900_000)]],
	])('an unstreamed response that %s times out, and may be charged', async (_, arrivals) => {
		const { completion, body } = streamOnClock(arrivals, { contentType: 'application/json' });
		expect((await apiErrorOf(completion)).details).toMatchObject({ code: 'timeout', outcome: 'unknown' });
		expect(body.destroyed).toBe(true);
	});
});
