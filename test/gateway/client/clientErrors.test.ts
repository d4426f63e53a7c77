import type { ByteStream } from '../../../nodes/shared/gateway/client/transport';
import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { apiErrorOf, scriptedClient } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const unused = () => Promise.reject(new Error('not used'));

describe('the body of a rejected stream', () => {
	const rejectedStream = async (chunks: Uint8Array[], end?: Error) => {
		let pulled = 0;
		let destroyed = false;
		const body: ByteStream = {
			destroy: () => (destroyed = true),
			async *[Symbol.asyncIterator]() {
				for (const chunk of chunks) {
					pulled += 1;
					yield await Promise.resolve(chunk);
				}
				if (end) throw end;
			},
		};
		const stream = async () => await Promise.resolve({ status: 404, headers: {}, body });
		const { client } = scriptedClient([], {}, { dependencies: { transport: { text: unused, stream } } });
		const { details } = await apiErrorOf(client.stream(get, async () => await Promise.resolve()));
		return { serverMessage: details.serverMessage, pulled, destroyed };
	};
	const json = (length: number) => Buffer.from(JSON.stringify({ msg: 'y'.repeat(length - 10) }));

	it('is read in chunks', async () => {
		const bytes = json(60_000);
		const chunks = [bytes.subarray(0, 5), bytes.subarray(5, 33_000), bytes.subarray(33_000)];
		expect(await rejectedStream(chunks)).toStrictEqual({
			serverMessage: 'y'.repeat(59_990),
			pulled: 3,
			destroyed: true,
		});
	});

	it('is read up to 64 KiB', async () => {
		const more = Buffer.alloc(64, ' ');
		const one = await rejectedStream([json(65_535), more, more]);
		expect(one).toStrictEqual({ serverMessage: 'y'.repeat(65_525), pulled: 2, destroyed: true });
		const other = await rejectedStream([json(65_536), more, more]);
		expect(other).toStrictEqual({ serverMessage: 'y'.repeat(65_526), pulled: 1, destroyed: true });
	});

	it('is read for as long as the timeout says, and no longer', async () => {
		const time = { now: 0, naps: 0 };
		const body = stalled();
		const { client } = scriptedClient(
			[],
			{ timeoutMs: 2_500 },
			{
				dependencies: {
					transport: {
						text: unused,
						stream: async () => await Promise.resolve({ status: 404, headers: {}, body }),
					},
					now: () => time.now,
					sleep: async (milliseconds) => {
						time.now += milliseconds;
						time.naps += 1;
						await new Promise((resolve) => setImmediate(resolve));
					},
				},
			},
		);
		const { details } = await apiErrorOf(client.stream(get, async () => await Promise.resolve()));
		expect(details.status).toBe(404);
		expect([time, body.wasDestroyed()]).toStrictEqual([{ now: 2_500, naps: 3 }, true]);
	});

	it('is not watched any more when it has ended', async () => {
		let naps = 0;
		const { client } = scriptedClient(
			[{ status: 404 }],
			{},
			{
				dependencies: {
					sleep: async () => {
						naps += 1;
						await new Promise((resolve) => setImmediate(resolve));
					},
				},
			},
		);
		await apiErrorOf(client.stream(get, async () => await Promise.resolve()));
		const before = naps;
		for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve));
		expect(naps).toBe(before);
	});

	it('is used as far as it was received when the connection breaks', async () => {
		expect(await rejectedStream([json(100)], new Error('reset'))).toStrictEqual({
			serverMessage: 'y'.repeat(90),
			pulled: 1,
			destroyed: true,
		});
	});
});

/** A stream that sends nothing; destroying it does not end its reader. */
function stalled() {
	let isDestroyed = false;
	return {
		wasDestroyed: () => isDestroyed,
		destroy: () => (isDestroyed = true),
		[Symbol.asyncIterator]: () => ({ next: async () => await new Promise<never>(() => undefined) }),
	};
}
