import type { HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import { InvalidInputError } from '../../../nodes/shared/gateway/errors/errors';
import type { ClientSettings, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { byteStream, apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const post: GatewayRequest = { ...get, method: 'POST', path: '/x', json: { model: 'm' } };
const Accept = 'application/json, */*;q=0.5';

async function exchangeOf(
	request: GatewayRequest,
	settings: Partial<ClientSettings> = {},
): Promise<HttpRequest> {
	const { client, sent } = scriptedClient([{}], settings);
	await client.json(request);
	const [exchange] = sent;
	if (!exchange || sent.length > 1) throw new Error('there is not one exchange');
	return exchange;
}

describe('a request', () => {
	const base = {
		url: 'https://gateway.test/api/v1/balance',
		body: undefined,
		signal: undefined,
		timeoutMs: 315_000,
		kind: 'read',
	};

	it('may have no body', async () => {
		expect(await exchangeOf(get)).toStrictEqual({ ...base, method: 'GET', headers: { Accept } });
	});

	it('has JSON as its body', async () => {
		expect(await exchangeOf({ ...post, headers: { 'Idempotency-Key': 'k', Accept: 'a/b' } })).toStrictEqual({
			...base,
			method: 'POST',
			url: 'https://gateway.test/api/v1/x',
			headers: { Accept: 'a/b', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
			body: '{"model":"m"}',
		});
	});

	it('may have a body of bytes', async () => {
		const body = new Uint8Array([1, 2]);
		const headers = { 'Content-Type': 'multipart/form-data' };
		const openBody = () => Promise.resolve({ content: body });
		expect(await exchangeOf({ ...get, method: 'PATCH', headers, openBody })).toStrictEqual({
			...base,
			method: 'PATCH',
			headers: { Accept, ...headers },
			body,
		});
	});

	it('may ask for a stream', async () => {
		const { client, sent } = scriptedClient([{}]);
		await client.stream(get, () => Promise.resolve());
		expect(sent).toStrictEqual([{ ...base, method: 'GET', headers: { Accept } }]);
	});

	it('to the address of a file has no key', async () => {
		const { client, sent } = scriptedClient([{}]);
		const url = 'https://files.test/a?b=c';
		await client.downloadUrl(url, () => Promise.resolve());
		expect(sent).toStrictEqual([{ ...base, method: 'GET', url, headers: {}, kind: 'file' }]);
	});
});

it.each<[string, Partial<GatewayRequest>, number | undefined, number]>([
	['the request has its own', { timeoutMs: 60_000 }, undefined, 60_000],
	['the user has set one', {}, 400_000, 400_000],
	['both have one', { timeoutMs: 60_000 }, 400_000, 60_000],
])('the timeout is set where %s', async (_, request, timeoutMs, expected) => {
	expect((await exchangeOf({ ...get, ...request }, { timeoutMs })).timeoutMs).toBe(expected);
});

it('the timeout of a file is the one that the user has set', async () => {
	const { client, sent } = scriptedClient([{}], { timeoutMs: 7_000 });
	await client.downloadUrl('https://files.test/a', () => Promise.resolve());
	expect(sent.map(({ timeoutMs }) => timeoutMs)).toStrictEqual([7_000]);
});

describe('a response', () => {
	const statusOf = async (step: Step) => {
		const whole = scriptedClient([step], { maxRetries: 0 }).client.json(get);
		const streamed = scriptedClient([step], { maxRetries: 0 }).client.stream(get, () => Promise.resolve({}));
		const failures = await Promise.all([rejectionOrValue(whole), rejectionOrValue(streamed)]);
		expect(failures[0]).toStrictEqual(failures[1]);
		return failures[0];
	};
	const rejectionOrValue = async (response: Promise<unknown>) =>
		await response.catch(async (error: Error) => (await apiErrorOf(Promise.reject(error))).details.status);

	it.each([
		[199, 199],
		[200, {}],
		[299, {}],
		[300, 300],
		[404, 404],
		[500, 500],
	])('with status %i is %j', async (status, outcome) => {
		expect(await statusOf({ status, body: '{}' })).toStrictEqual(outcome);
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
			scriptedClient([step]).client.stream(uploading(streamed), () => Promise.resolve()),
		]);
		expect(bodies.map(({ destroyed }) => destroyed)).toStrictEqual([true, true]);
	});

	it('that cannot be opened end the request before anything is sent', async () => {
		const { client, sent } = scriptedClient([{}]);
		const error = new InvalidInputError('no file', '');
		const request = { ...post, openBody: async () => await Promise.reject(error) };
		expect(await rejection(client.json(request))).toBe(error);
		expect(await rejection(client.stream(request, () => Promise.resolve()))).toBe(error);
		expect(sent).toStrictEqual([]);
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
