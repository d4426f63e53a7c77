import type { GatewayClient, GatewayRequest } from '../../nodes/shared/gateway/client/client';
import type { RateGate } from '../../nodes/shared/gateway/client/rateGate';
import { waitForTask } from '../../nodes/shared/gateway/endpoints/polling';
import { Limiter } from '../../nodes/shared/run/limiter';
import { LimitedAccount, type Limit } from './account';
import { limitBody, pool, virtualGateway, type Answer } from './virtualGateway';

const TEXT_MS = 200;
const NETWORK_MS = 20;
const TASK_MS = 20_000;

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
	group: 'text',
	kind: 'charge',
	method: 'POST',
	path: '/chat/completions',
	json: { n },
});
const creation: GatewayRequest = {
	group: 'media',
	kind: 'keyed',
	method: 'POST',
	path: '/async/media/tasks',
	json: {},
};

/** Does the work of a scenario in virtual time. */
export async function runScenario(scenario: Scenario, seed: number): Promise<Outcome> {
	const random = randomFrom(seed);
	const { serve, taken } = gatewayOf(scenario);
	const gateway = virtualGateway(serve, random, NETWORK_MS);
	const { clock } = gateway;
	const start = clock.now();
	const failed: number[] = [];
	const ends: number[] = [];
	const execution = async (gate: RateGate, first: number) => {
		const slots = { other: new Limiter(scenario.concurrency), poll: new Limiter(64) };
		const client = gateway.client(
			{},
			{ gate, withSlot: async (work, kind) => await slots[kind === 'poll' ? 'poll' : 'other'].run(work) },
		);
		const texts = pool(scenario.texts, scenario.concurrency, async (index) => {
			const n = first + index;
			if (scenario.startsAt) await clock.sleep(scenario.startsAt(n) * 1_000 - (clock.now() - start));
			await client.json(text(n)).catch(() => failed.push(n));
			ends[n] = gateway.seconds();
		});
		await Promise.all([texts, tasksOf(client, scenario.tasks ?? 0)]);
	};
	const { processes = 1, executions = 1 } = scenario;
	const all = Array.from({ length: processes }, (_, process) => {
		const gate = gateway.newGate();
		const firsts = Array.from({ length: executions }, (_none, index) => process * executions + index);
		return firsts.map(async (index) => await execution(gate, index * scenario.texts));
	});
	await clock.run(Promise.all(all.flat()));
	const refused = gateway.log.filter(({ status }) => status === 429).length;
	return { seconds: gateway.seconds(), ends, refused: refused / gateway.log.length, failed, taken };
}

async function tasksOf(client: GatewayClient, count: number): Promise<void> {
	const options = {
		mediaType: async () => await Promise.resolve('image' as const),
		maxWaitMs: 3_600_000,
		pollImmediately: false,
	};
	const created = Array.from({ length: count }, async () => {
		const { data } = (await client.json(creation)) as { data: { taskId: string } };
		return data.taskId;
	});
	const ids = await Promise.all(created);
	await Promise.all(ids.map(async (id) => await waitForTask(client, id, options)));
}

function gatewayOf({ limit, refusedOnce, tokens = () => 1, textMs = TEXT_MS - 2 * NETWORK_MS }: Scenario) {
	let account: LimitedAccount | undefined;
	const hasRefused = new Set<number>();
	const taken: number[] = [];
	const ends: number[] = [];
	const refusal = (inMs?: number): Answer => ({
		status: 429,
		body: limitBody(),
		headers: inMs === undefined ? {} : { 'retry-after': String(Math.ceil(inMs / 1_000)) },
		latencyMs: NETWORK_MS,
	});
	const envelope = (data: object) => ({ body: JSON.stringify({ code: 200, data }) });
	const serve = (
		{ url, method, body }: { url: string; method: string; body?: unknown },
		now: number,
	): Answer => {
		const { n } = (method === 'POST' ? JSON.parse(String(body)) : {}) as { n?: number };
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
