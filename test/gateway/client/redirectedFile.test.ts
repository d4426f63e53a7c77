import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { downloadMediaTask } from '../../../nodes/shared/gateway/endpoints/tasks';
import { apiErrorOf } from '../../helpers/client';
import { useSocketGateway } from '../../helpers/socketGateway';
import type { ByteStream, HttpResponse } from '../../../nodes/shared/gateway/client/transport';

// The gateway may redirect a download to another server, which must not get the key.

const gateway = useSocketGateway();
const seen: Array<Record<string, unknown>> = [];
let server: Server;
let origin: string;

beforeAll(async () => {
	server = createServer((request, response) => {
		seen.push({ ...request.headers, url: request.url });
		response.end('the file');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => (seen.length = 0));
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const redirectTo = (location: string, status = 302) => {
	gateway.onRequest((_, response) => response.writeHead(status, { location }).end());
};

const read = async ({ body }: HttpResponse<ByteStream>) => {
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
};

it.each([301, 302, 303, 307, 308])('is followed after %i, without the key', async (status) => {
	redirectTo(`${origin}/a?token=1`, status);
	expect(await downloadMediaTask(gateway.client().client, 't1', read)).toBe('the file');
	expect(seen).toHaveLength(1);
	expect(seen[0]).toMatchObject({ url: '/a?token=1' });
	expect(seen[0]).not.toHaveProperty('authorization');
});

it('is followed to a relative address, without the key', async () => {
	gateway.onRequest(({ url }, response) => {
		if (url === '/files/a') response.end('the file');
		else response.writeHead(302, { location: '/files/a' }).end();
	});
	expect(await downloadMediaTask(gateway.client().client, 't1', read)).toBe('the file');
	expect(
		gateway.received.map(({ url, headers }) => [url, headers.authorization === undefined]),
	).toStrictEqual([
		['/api/v1/async/media/tasks/t1/download', false],
		['/files/a', true],
	]);
});

it.each(['', 'ftp://files.test/a', 'file:///etc/passwd', 'http://'])(
	'is not followed to %j',
	async (location) => {
		redirectTo(location);
		const { details } = await apiErrorOf(
			downloadMediaTask(gateway.client({ maxRetries: 0 }).client, 't1', read),
		);
		expect(details.code).toBe('redirected');
	},
);

it('is not followed for other requests', async () => {
	redirectTo(`${origin}/a`);
	const { client } = gateway.client({ maxRetries: 0 });
	const balance = client.json({ group: 'balance', kind: 'read', path: '/balance' });
	expect((await apiErrorOf(balance)).details.code).toBe('redirected');
	const chat = {
		group: 'text',
		kind: 'charge',
		method: 'POST',
		path: '/chat/completions',
		json: {},
	} as const;
	expect((await apiErrorOf(client.stream(chat, read))).details.code).toBe('redirected');
	expect(seen).toStrictEqual([]);
});
