import type { GatewayClient, GatewayRequest } from '../../nodes/shared/gateway/client/client';
import { RateGate } from '../../nodes/shared/gateway/client/rateGate';
import type { HttpRequest } from '../../nodes/shared/gateway/client/transport';
import { waitForTask } from '../../nodes/shared/gateway/endpoints/polling';
import { Limiter } from '../../nodes/shared/gateway/client/limits';
import { testClient, textTransport } from './client';
import { VirtualClock } from './virtualClock';

const TEXT_MS = 200;
const NETWORK_MS = 20;
const TASK_MS = 20_000;

/** The rate limit of an account: in tokens, of which a request uses one unless its scenario says otherwise. */
export interface Limit {
	tokens: number;
	windowMs: number;
	/** `fixed`: in each window of the clock; `sliding`: in any window; `bucket`: the limit is refilled evenly. */
	kind: 'fixed' | 'sliding' | 'bucket';
	/** Whether a 429 says when to come again, in whole seconds. */
	retryAfter?: boolean;
	/** Whether a request that is refused counts. */
	countsRefused?: boolean;
}

/** An account whose requests are limited. */
class LimitedAccount {
	private counted: Array<{ at: number; tokens: number }> = [];
	private level: number;
	private refilledAt: number;

	/** @param start the time at which its first window begins, in milliseconds */
	constructor(
		private readonly limit: Limit,
		private readonly start: number,
	) {
		this.level = limit.tokens;
		this.refilledAt = start;
	}

	/** Takes a request. Returns in how many milliseconds it would be taken if it is refused, else 0. */
	take(now: number, tokens = 1): number {
		const { kind, windowMs, countsRefused = false } = this.limit;
		if (kind === 'bucket') return this.takeFromBucket(now, tokens);
		const begin = kind === 'fixed' ? now - ((now - this.start) % windowMs) : now - windowMs + 1;
		this.counted = this.counted.filter(({ at }) => at >= begin);
		const used = this.counted.reduce((sum, one) => sum + one.tokens, 0);
		const isTaken = used + tokens <= this.limit.tokens;
		if (isTaken || countsRefused) this.counted.push({ at: now, tokens });
		if (isTaken) return 0;
		return kind === 'fixed'
			? begin + windowMs - now
			: Math.max((this.counted[0]?.at ?? now) + windowMs - now, 1);
	}

	private takeFromBucket(now: number, tokens: number): number {
		const { tokens: most, windowMs } = this.limit;
		this.level = Math.min(most, this.level + ((now - this.refilledAt) * most) / windowMs);
		this.refilledAt = now;
		if (this.level < tokens) return ((tokens - this.level) * windowMs) / most;
		this.level -= tokens;
		return 0;
	}
}

/** Work at the rate limit of an account. */
export interface Scenario {
	/** Texts of an execution, of 200 ms. */
	texts: number;
	/** Items of an execution at the same time. */
	concurrency: number;
	/** Executions of a process. Default: 1. */
	executions?: number;
	/** Processes, which know nothing of each other. Default: 1. */
	processes?: number;
	/** Default: none. */
	limit?: Limit;
	/** The tokens of a text, by its number. Default: 1. */
	tokens?: (n: number) => number;
	/** Texts that are refused once without a reason, and their `Retry-After` in seconds. */
	refusedOnce?: { which: (n: number) => boolean; retryAfter: number } | undefined;
	textMs?: number;
	/** Tasks of an execution, of 20 s, which are created and polled beside the texts. */
	tasks?: number;
	/** The earliest time of a text, in seconds. */
	startsAt?: (n: number) => number;
}

/** What came of a scenario. */
export interface Outcome {
	seconds: number;
	/** When each text ended, in seconds. */
	ends: number[];
	/** How many requests were refused, of all. */
	refused: number;
	/** The texts that failed. */
	failed: number[];
	/** The texts that the gateway took. */
	taken: number[];
}

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
		return state / 4_294_967_296;
	};
}

const text = (n: number): GatewayRequest => ({
	endpoint: 'chat',
	kind: 'charge',
	method: 'POST',
	path: '/chat/completions',
	json: { n },
});
const creation: GatewayRequest = {
	endpoint: 'createTask',
	kind: 'keyed',
	method: 'POST',
	path: '/async/media/tasks',
	json: {},
};

/** Does the work of a scenario in virtual time. */
export async function runScenario(scenario: Scenario, seed: number): Promise<Outcome> {
	const random = randomFrom(seed);
	const clock = new VirtualClock();
	const { now, sleep } = clock;
	const { serve, taken } = gatewayOf(scenario);
	const start = now();
	const seconds = () => (now() - start) / 1_000;
	const statuses: number[] = [];
	const exchange = async (request: HttpRequest) => {
		await sleep(NETWORK_MS * (0.5 + random()));
		const { status = 200, headers = {}, body = '{}', latencyMs = 100 } = serve(request, now());
		statuses.push(status);
		await sleep(latencyMs);
		return { status, headers, body };
	};
	const failed: number[] = [];
	const ends: number[] = [];
	const execution = async (gate: RateGate, first: number) => {
		const [items, requests, reads] = [scenario.concurrency, scenario.concurrency, 64].map(
			(most) => new Limiter(most),
		) as [Limiter, Limiter, Limiter];
		const client = testClient(
			{},
			{
				transport: textTransport(exchange),
				slots: { reads, requests, files: requests },
				...{ gate, sleep, now, random },
			},
		);
		const texts = Array.from({ length: scenario.texts }, async (_, index) => {
			const n = first + index;
			await items.run(async () => {
				if (scenario.startsAt) await sleep(scenario.startsAt(n) * 1_000 - (now() - start));
				await client.json(text(n)).catch(() => failed.push(n));
				ends[n] = seconds();
			});
		});
		await Promise.all([...texts, tasksOf(client, scenario.tasks ?? 0)]);
	};
	const { processes = 1, executions = 1 } = scenario;
	const all = Array.from({ length: processes }, (_, process) => {
		const gate = new RateGate({ now }, random);
		const firsts = Array.from({ length: executions }, (_none, index) => process * executions + index);
		return firsts.map(async (index) => await execution(gate, index * scenario.texts));
	});
	await clock.run(Promise.all(all.flat()));
	const refused = statuses.filter((status) => status === 429).length / statuses.length;
	return { seconds: seconds(), ends, refused, failed, taken };
}

async function tasksOf(client: GatewayClient, count: number): Promise<void> {
	const ids = await Promise.all(
		Array.from({ length: count }, async () => {
			const { data } = (await client.json(creation)) as { data: { taskId: string } };
			return data.taskId;
		}),
	);
	const options = { maxWaitMs: 3_600_000, pollImmediately: false };
	await Promise.all(ids.map(async (id) => await waitForTask(client, id, options)));
}

/** The response of the simulated gateway. */
interface Answer {
	status?: number;
	headers?: Record<string, string>;
	body?: string;
	latencyMs?: number;
}

function gatewayOf({ limit, refusedOnce, tokens = () => 1, textMs = TEXT_MS - 2 * NETWORK_MS }: Scenario) {
	let account: LimitedAccount | undefined;
	const hasRefused = new Set<number>();
	const taken: number[] = [];
	const ends: number[] = [];
	const refusal = (inMs?: number): Answer => ({
		status: 429,
		body: '{"error":{"type":"rate_limit_error","code":"rate_limit_exceeded"}}',
		headers: inMs === undefined ? {} : { 'retry-after': String(Math.ceil(inMs / 1_000)) },
		latencyMs: NETWORK_MS,
	});
	const envelope = (data: object) => ({ body: JSON.stringify({ code: 200, data }) });
	const serve = ({ url, method, body }: HttpRequest, now: number): Answer => {
		const { n } = (method === 'POST' ? JSON.parse(body as string) : {}) as { n?: number };
		if (n !== undefined && refusedOnce?.which(n) && !hasRefused.has(n)) {
			hasRefused.add(n);
			return refusal(refusedOnce.retryAfter * 1_000);
		}
		account ??= limit && new LimitedAccount(limit, now);
		const inMs = account?.take(now, n === undefined ? 1 : tokens(n)) ?? 0;
		if (inMs > 0) return refusal(limit?.retryAfter ? inMs : undefined);
		if (n !== undefined) {
			taken.push(n);
			return { latencyMs: textMs };
		}
		if (method === 'POST') return envelope({ taskId: String(ends.push(now + TASK_MS) - 1) });
		const taskId = url.split('/').at(-1) ?? '';
		return envelope({ taskId, state: now < (ends[Number(taskId)] ?? 0) ? 'processing' : 'success' });
	};
	return { serve, taken };
}
