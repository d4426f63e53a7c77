import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { byteStream, apiErrorOf, rejection, scriptedClient } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const text: GatewayRequest = {
	group: 'text',
	kind: 'charge',
	method: 'POST',
	path: '/chat/completions',
	json: { model: 'm' },
};
const task: GatewayRequest = { ...text, group: 'media', path: '/async/media/tasks', idempotent: true };
const lost = connectionError({ kind: 'lost', code: 'ECONNRESET' }, { charged: false });
const connectionRefused = connectionError({ kind: 'refused', code: 'ECONNREFUSED' }, { charged: false });

describe('sending', () => {
	it('joins the base URL and the path, and sends JSON as text', async () => {
		const { client, sent } = scriptedClient([{ body: '{"ok":true}' }]);
		expect(await client.json(text)).toStrictEqual({ ok: true });
		expect(sent[0]).toMatchObject({
			url: 'https://gateway.test/api/v1/chat/completions',
			body: '{"model":"m"}',
			headers: { 'Content-Type': 'application/json' },
			timeoutMs: 315_000,
			authenticated: true,
		});
	});

	it('has an explicit timeout on every request: the user’s, else the request’s, else the ceiling of §8', async () => {
		const own = scriptedClient([{}], { timeoutMs: 5_000 });
		await own.client.json({ ...get, timeoutMs: 60_000 });
		const request = scriptedClient([{}]);
		await request.client.json({ ...get, timeoutMs: 60_000 });
		await request.client.json(get);
		expect([...own.sent, ...request.sent].map(({ timeoutMs }) => timeoutMs)).toStrictEqual([
			5_000, 60_000, 315_000,
		]);
	});

	it('returns an empty object for an empty 204', async () => {
		expect(
			await scriptedClient([{ status: 204, body: '' }]).client.json({ ...get, method: 'DELETE' }),
		).toStrictEqual({});
	});
});

describe('retries', () => {
	it('repeats a request after 503 and returns the response', async () => {
		const { client, sent, pauses } = scriptedClient([{ status: 503 }, { status: 500 }, { body: '{"a":1}' }]);
		expect(await client.json(text)).toStrictEqual({ a: 1 });
		expect(sent).toHaveLength(3);
		expect(pauses).toStrictEqual([500, 1_000]);
	});

	it('waits as long as Retry-After asks', async () => {
		const { client, pauses } = scriptedClient([{ status: 429, headers: { 'retry-after': '7' } }, {}]);
		await client.json(text);
		expect(pauses[0]).toBeGreaterThanOrEqual(7_000);
	});

	it('names the number of tries, and a pause that is too long, in the error', async () => {
		const retried = scriptedClient([{ status: 503 }], { maxRetries: 2 });
		expect((await apiErrorOf(retried.client.json(text))).details.description).toMatch(
			/It was tried 3 times\.$/,
		);
		const tooLong = scriptedClient([{ status: 503, headers: { 'retry-after': '3600' } }]);
		expect((await apiErrorOf(tooLong.client.json(text))).details.description).toMatch(
			/asks to wait 60 minutes/,
		);
		expect(tooLong.sent).toHaveLength(1);
	});

	it('ends after the allowed retries with the last error', async () => {
		const { client, sent } = scriptedClient([{ status: 503 }], { maxRetries: 2 });
		expect((await apiErrorOf(client.json(text))).details.status).toBe(503);
		expect(sent).toHaveLength(3);
	});

	test.each([400, 401, 402, 403, 404, 422, 499])('does not repeat a request after %i', async (status) => {
		const { client, sent } = scriptedClient([{ status }]);
		await apiErrorOf(client.json(get));
		expect(sent).toHaveLength(1);
	});

	it('never repeats a charged text request whose response was lost', async () => {
		const { client, sent } = scriptedClient([lost, {}]);
		await apiErrorOf(client.json(text));
		expect(sent).toHaveLength(1);
	});

	it('repeats a charged text request that did not reach the gateway', async () => {
		const { client, sent } = scriptedClient([connectionRefused, {}]);
		await client.json(text);
		expect(sent).toHaveLength(2);
	});

	it('repeats the creation of a task whose response was lost, with its Idempotency-Key', async () => {
		const { client, sent } = scriptedClient([lost, { body: '' }, { body: '{"data":{"taskId":"1"}}' }]);
		await client.json(task);
		expect(sent).toHaveLength(3);
	});

	it('never repeats a charged text request whose response cannot be read', async () => {
		const { client, sent } = scriptedClient([{ body: '{"id":"x","choices":[{"mess' }, {}]);
		expect((await apiErrorOf(client.json(text))).details.mayBeCharged).toBe(true);
		expect(sent).toHaveLength(1);
	});

	it('repeats a GET request whose response was cut off, but not for a web page', async () => {
		const cut = scriptedClient([{ body: '{"amount": "1' }, { body: '{"amount":"1"}' }]);
		expect(await cut.client.json(get)).toStrictEqual({ amount: '1' });
		const page = scriptedClient([{ body: '<!doctype html>' }]);
		await apiErrorOf(page.client.json(get));
		expect(page.sent).toHaveLength(1);
	});

	it('stops at once when the run ends during a pause', async () => {
		const { client, sent } = scriptedClient([{ status: 503 }], {}, { stopAt: 0 });
		expect(await rejection(client.json(get))).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
		expect(sent).toHaveLength(1);
	});

	it('opens a streamed body again for each attempt', async () => {
		const { client, sent } = scriptedClient([{ status: 503 }, {}]);
		let opened = 0;
		await client.json({
			group: 'storage',
			method: 'POST',
			path: '/storage/upload',
			openBody: () => Promise.resolve({ content: byteStream(`body ${(opened += 1)}`) }),
		});
		expect(opened).toBe(2);
		expect(sent[0]?.body).not.toBe(sent[1]?.body);
	});
});

describe('downloads', () => {
	it('passes the bytes on and closes the stream', async () => {
		const { client } = scriptedClient([{ body: 'the bytes of a file' }]);
		let stream: { destroyed?: boolean } = {};
		const length = await client.stream({ group: 'media', kind: 'read', path: '/x' }, async ({ body }) => {
			stream = body as unknown as { destroyed?: boolean };
			let count = 0;
			for await (const chunk of body) count += chunk.length;
			return count;
		});
		expect(length).toBe(19);
		expect(stream.destroyed).toBe(true);
	});

	it('does not sign requests to result URLs', async () => {
		const { client, sent } = scriptedClient([{ body: 'x' }]);
		await client.downloadUrl('https://files.test/a.png', () => Promise.resolve(1));
		expect(sent[0]).toMatchObject({ url: 'https://files.test/a.png', authenticated: false });
	});

	it('fetches the file again when the stream breaks while it is stored', async () => {
		const { client, sent } = scriptedClient([{ body: 'x' }]);
		let tries = 0;
		const result = await client.downloadUrl('https://files.test/a', () => {
			tries += 1;
			return tries === 1 ? Promise.reject(lost) : Promise.resolve('stored');
		});
		expect(result).toBe('stored');
		expect(sent).toHaveLength(2);
	});

	it('reads the error body of a rejected download, with the error text for files', async () => {
		const { client } = scriptedClient([{ status: 404, body: 'gone' }]);
		const { details } = await apiErrorOf(
			client.downloadUrl('https://files.test/a', () => Promise.resolve(1)),
		);
		expect(details.message).toBe('The file behind the link is gone');
	});
});
