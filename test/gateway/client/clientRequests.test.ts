import { InvalidInputError, type ApiError } from '../../../nodes/shared/gateway/errors/errors';
import type { ClientSettings, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { byteStream, apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const post: GatewayRequest = { ...get, method: 'POST', path: '/x', json: { model: 'm' } };
const Accept = 'application/json, */*;q=0.5';

const nothing = async () => await Promise.resolve({});

/** The requests that are sent for this one, with a response that is read at once, and one that is streamed. */
async function sentFor(request: GatewayRequest, settings: Partial<ClientSettings> = {}) {
	const [whole, streamed] = [scriptedClient([{}], settings), scriptedClient([{}], settings)];
	await whole.client.json(request);
	await streamed.client.stream(request, nothing);
	return [...whole.sent, ...streamed.sent];
}

describe('a request', () => {
	const base = {
		method: 'GET',
		url: 'https://gateway.test/api/v1/balance',
		headers: { Accept },
		body: undefined,
		signal: undefined,
		maxBytes: undefined,
		timeoutMs: 315_000,
		kind: 'read',
	};
	const bytes = new Uint8Array([1, 2]);
	const form = { 'Content-Type': 'multipart/form-data' };

	it.each<[string, GatewayRequest, object]>([
		['no body', get, {}],
		[
			'JSON as its body',
			{ ...post, headers: { 'Idempotency-Key': 'k', Accept: 'a/b' } },
			{
				method: 'POST',
				url: 'https://gateway.test/api/v1/x',
				headers: { Accept: 'a/b', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
				body: '{"model":"m"}',
			},
		],
		[
			'a body of bytes',
			{ ...get, method: 'PATCH', headers: form, openBody: () => Promise.resolve({ content: bytes }) },
			{ method: 'PATCH', headers: { Accept, ...form }, body: bytes },
		],
	])('has %s', async (_, request, own) => {
		expect(await sentFor(request)).toStrictEqual([
			{ ...base, ...own },
			{ ...base, ...own },
		]);
	});

	it('to the address of a file has no key, and the timeout that the user has set', async () => {
		const { client, sent } = scriptedClient([{}], { timeoutMs: 7_000 });
		const url = 'https://files.test/a?b=c';
		await client.downloadUrl(url, nothing);
		expect(sent).toStrictEqual([{ ...base, url, headers: {}, kind: 'file', timeoutMs: 7_000 }]);
	});

	it.each<[string, Partial<GatewayRequest>, number | undefined, number]>([
		['its own timeout', { timeoutMs: 60_000 }, undefined, 60_000],
		['the one that the user has set', {}, 400_000, 400_000],
		['its own before that of the user', { timeoutMs: 60_000 }, 400_000, 60_000],
	])('has %s', async (_, request, timeoutMs, expected) => {
		const sent = await sentFor({ ...get, ...request }, { timeoutMs });
		expect(sent.map((one) => one.timeoutMs)).toStrictEqual([expected, expected]);
	});
});

describe('a response', () => {
	it.each([
		[199, 199],
		[200, {}],
		[299, {}],
		[300, 300],
		[404, 404],
		[500, 500],
	])('with status %i is %j', async (status, outcome) => {
		const { client } = scriptedClient([{ status, body: '{}' }], { maxRetries: 0 });
		for (const response of [client.json(get), client.stream(get, nothing)]) {
			const read = response.catch((error: ApiError) => error.details.status);
			expect(await read).toStrictEqual(outcome);
		}
	});

	it('with status 204 is an empty object, whatever the body is; a GET has nothing to read', async () => {
		const nothing = { status: 204, body: '' };
		const remove = { ...get, method: 'DELETE' } as const;
		const { client } = scriptedClient([{ ...nothing, body: '<html>' }, nothing], { maxRetries: 0 });
		expect(await client.json(remove)).toStrictEqual({});
		expect((await apiErrorOf(client.json(get))).details.code).toBe('unreadable_answer');
	});
});

describe('bodies', () => {
	const uploading = (body: ReturnType<typeof byteStream>): GatewayRequest => ({
		...post,
		openBody: () => Promise.resolve({ content: body }),
	});

	it.each<[string, Step]>([
		['succeeds', {}],
		['is rejected', { status: 413 }],
		['fails', new Error('broken')],
	])('that are streamed are destroyed when the request %s', async (_, step) => {
		const bodies = [byteStream('a'), byteStream('b')] as const;
		const [whole, streamed] = bodies;
		await Promise.allSettled([
			scriptedClient([step]).client.json(uploading(whole)),
			scriptedClient([step]).client.stream(uploading(streamed), nothing),
		]);
		expect(bodies.map(({ destroyed }) => destroyed)).toStrictEqual([true, true]);
	});

	it.each([undefined, new InvalidInputError('no space', '')])(
		'that are received are destroyed when they are read, and when that fails: %s',
		async (error) => {
			const { client } = scriptedClient([{ headers: { 'content-type': 'a/b' }, body: 'abc' }]);
			const bodies: unknown[] = [];
			const reading = client.stream({ ...get, timeoutMs: 1_234 }, async ({ body, ...others }) => {
				bodies.push(body);
				expect(others).toStrictEqual({ status: 200, headers: { 'content-type': 'a/b' }, timeoutMs: 1_234 });
				if (error) throw error;
				return await Promise.resolve('read');
			});
			expect(await (error ? rejection(reading) : reading)).toBe(error ?? 'read');
			expect(bodies).toStrictEqual([expect.objectContaining({ destroyed: true })]);
		},
	);
});
