import { endedTask } from '../../../nodes/MediaTaskTrigger/endedTask';
import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { pollOnce } from '../../../nodes/shared/gateway/endpoints/polling';
import { CALLBACK_SETTINGS } from '../../../nodes/shared/n8n/client';
import { Limiter } from '../../../nodes/shared/run/limiter';
import { LimitedAccount } from '../../helpers/account';
import type { VirtualClock } from '../../helpers/virtualClock';
import { randomFrom } from '../../helpers/world';
import { limitBody, virtualGateway } from '../../helpers/virtualGateway';

// Callbacks while the account is limited, in virtual time.

const HOUR = 3_600_000;
const task = (state: string) => ({
	body: JSON.stringify({ code: 200, msg: 'success', data: { taskId: 't', state } }),
});
const busy = { status: 429, body: '{"code":429,"msg":"slow down","data":null}' };
const check = async (client: GatewayClient) =>
	await endedTask(client, 'mine', async (poll) => await poll()).catch((error: unknown) => error);

/** Polls other tasks every 5 s, as a node that waits for them. */
function keepPolling(client: GatewayClient, clock: VirtualClock, tasks: number): () => void {
	let isOver = false;
	const poll = async () => {
		while (!isOver) {
			await clock.sleep(5_000);
			await pollOnce(client, 'other', HOUR);
		}
	};
	for (let count = 0; count < tasks; count += 1) void poll();
	return () => (isOver = true);
}

it.each([40, 80, 500])(
	'a callback starts the workflow while %d tasks are polled at 60 requests a minute',
	async (tasks) => {
		const account = new LimitedAccount({ tokens: 60, windowMs: 60_000, kind: 'sliding' }, 0);
		const { clock, client } = virtualGateway(
			({ url }, now) =>
				account.take(now) > 0 ? busy : task(url.endsWith('/mine') ? 'success' : 'processing'),
			randomFrom(tasks),
		);
		const slots = new Limiter(64);
		const node = client({}, { withSlot: async (work) => await slots.run(work) });
		const end = keepPolling(node, clock, tasks);
		await clock.run(clock.sleep(300_000));
		const begin = clock.now();
		expect(await clock.run(check(client(CALLBACK_SETTINGS)))).toMatchObject({ state: 'success' });
		expect(clock.now() - begin).toBeLessThan(120_000);
		end();
	},
);

it.each([240, 600])(
	'a callback starts the workflow after another node was told to wait %d s',
	async (retryAfter) => {
		let refusals = 0;
		const { clock, client } = virtualGateway(({ url }) => {
			if (!url.endsWith('/chat/completions')) return task('success');
			refusals += 1;
			const headers = { 'retry-after': String(retryAfter) };
			return refusals === 1 ? { status: 429, headers, body: limitBody() } : {};
		});
		const text = client().json({
			group: 'text',
			kind: 'charge',
			method: 'POST',
			path: '/chat/completions',
			json: {},
		});
		await clock.run(clock.sleep(1_000));
		expect(await clock.run(check(client(CALLBACK_SETTINGS)))).toMatchObject({ state: 'success' });
		await clock.run(text);
	},
);

it('a callback is given up after a quarter of an hour of refusals', async () => {
	const { clock, client } = virtualGateway(() => busy);
	const begin = clock.now();
	expect(await clock.run(check(client(CALLBACK_SETTINGS)))).toMatchObject({ details: { status: 429 } });
	expect(clock.now() - begin).toBeGreaterThanOrEqual(15 * 60_000);
	expect(clock.now() - begin).toBeLessThan(30 * 60_000);
});
