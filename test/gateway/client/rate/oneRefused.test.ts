import { limitBody, pool, virtualGateway } from '../../../helpers/virtualGateway';

// Requests that the gateway refuses while it takes others: §7.3 limits tokens per minute, too.

const LIMIT = 100_000;
const chat = (tokens: number) =>
	({
		group: 'text',
		method: 'POST',
		path: '/chat/completions',
		charged: true,
		usesTokens: true,
		json: { tokens },
	}) as const;
const tokensOf = (body: unknown) => Number((JSON.parse(String(body)) as { tokens: number }).tokens);

/** An account with a limit of tokens in any minute, and none of requests. */
function account(retryAfter = false) {
	const taken: Array<{ at: number; tokens: number }> = [];
	return virtualGateway(({ body }, now) => {
		const tokens = tokensOf(body);
		while (taken[0] && taken[0].at <= now - 60_000) taken.shift();
		const used = taken.reduce((sum, one) => sum + one.tokens, 0);
		if (used + tokens > LIMIT) {
			const headers = retryAfter ? { 'retry-after': '20' } : {};
			return { status: 429, body: limitBody('token_limit_exceeded'), headers };
		}
		taken.push({ at: now, tokens });
		return { latencyMs: 1_000, body: '{"a":1}' };
	});
}

/** Seconds until 300 small calls have ended, beside large ones that never fit. */
async function smallTime(large: number, retryAfter: boolean): Promise<number> {
	const { clock, client, seconds } = account(retryAfter);
	let end = 0;
	const small = pool(300, 7, async () => void (await client().json(chat(100)))).then(() => (end = seconds()));
	const others = Array.from({ length: large }, async () => {
		await client()
			.json(chat(LIMIT + 1))
			.catch(() => undefined);
	});
	await clock.run(Promise.all([small, ...others]));
	return end;
}

it.each([
	[false, 1, 20],
	[true, 1, 60],
	[false, 5, 60],
	[true, 5, 240],
])(
	'small calls go on beside calls that never fit, Retry-After: %s, %d calls',
	async (retryAfter, large, more) => {
		const alone = await smallTime(0, retryAfter);
		expect(await smallTime(large, retryAfter)).toBeLessThan(alone + more);
	},
);

it('a large call that fits the limit is sent beside small ones', async () => {
	const { clock, client } = account();
	const failed: number[] = [];
	// 300 calls, 8 at a time, 389,000 tokens: 4 minutes at the limit.
	const work = pool(300, 8, async (n) => {
		const tokens = n === 50 ? 90_000 : 1_000;
		await client()
			.json(chat(tokens))
			.catch(() => failed.push(tokens));
	});
	await clock.run(work);
	expect(failed).toStrictEqual([]);
});

it('a large call gets the whole limit for a minute before its wait is over', async () => {
	const { clock, client, log, seconds } = account();
	let isOver = false;
	const small = Array.from({ length: 20 }, async () => {
		while (!isOver) await client().json(chat(1_000));
	});
	const large = async () => {
		await clock.sleep(120_000);
		await client({ rateLimitWaitMs: 600_000 }).json(chat(90_000));
		isOver = true;
	};
	await clock.run(Promise.all([large(), ...small]));
	expect(seconds()).toBeLessThan(120 + 600);
	const quiet = log.filter(({ at }, index) => at - (log[index - 1]?.at ?? 0) >= 55_000);
	expect(quiet.map(({ body, status }) => [tokensOf(body), status])).toStrictEqual([[90_000, 200]]);
});

it('a call that alone is refused keeps to its Rate Limit Wait', async () => {
	const { clock, client, log } = account();
	let isOver = false;
	const small = Array.from({ length: 4 }, async () => {
		while (!isOver) await client().json(chat(100));
	});
	const begin = clock.now();
	const large = async () => {
		await client({ rateLimitWaitMs: 60_000 })
			.json(chat(LIMIT + 1))
			.catch(() => undefined);
		isOver = true;
		return clock.now() - begin;
	};
	const [waitedMs] = await clock.run(Promise.all([large(), ...small]));
	expect(waitedMs).toBeGreaterThan(30_000);
	expect(waitedMs).toBeLessThan(62_000);
	const gaps = log.map(({ at }, index) => at - (log[index - 1]?.at ?? 0));
	expect(Math.max(...gaps)).toBeLessThan(30_000);
});

it('others are held back for a minute in five at most', async () => {
	const { clock, client, log } = account();
	let isOver = false;
	const small = Array.from({ length: 4 }, async () => {
		while (!isOver) await client().json(chat(100));
	});
	const large = Array.from({ length: 6 }, async () => {
		await client()
			.json(chat(LIMIT + 1))
			.catch(() => undefined);
	});
	await clock.run(Promise.all([...small, Promise.all(large).then(() => (isOver = true))]));
	const taken = log.filter(({ status }) => status === 200);
	const quiet = taken.filter(({ at }, index) => at - (taken[index - 1]?.at ?? 0) >= 55_000);
	expect(quiet.length).toBeLessThanOrEqual(2);
	expect(taken.length).toBeGreaterThan(1_000);
});

it('the end of the execution ends the pause of a call that alone is refused', async () => {
	const { clock, client } = account();
	const controller = new AbortController();
	const small = pool(40, 4, async () => void (await client().json(chat(100))));
	const large = client().json({ ...chat(LIMIT + 1), signal: controller.signal });
	const settled = large.then(
		() => 'taken',
		(error: unknown) => (error as Error).name,
	);
	await clock.run(small);
	const begin = clock.now();
	controller.abort();
	expect(await clock.run(settled)).toBe('StoppedError');
	expect(clock.now()).toBe(begin);
});
