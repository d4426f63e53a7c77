import nock from 'nock';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { attach, fromUrl } from './files';
import { generate } from './support';

// A file without an end, over a real socket.

const MEGABYTE = Buffer.alloc(1024 * 1024, 'a');
const MOST_MEGABYTES = 400;

let server: Server;
let sent = 0;

beforeAll(async () => {
	nock.restore();
	server = createServer((_, response) => {
		const send = async () => {
			response.writeHead(200, { 'Content-Type': 'audio/mpeg' });
			for (; sent < MOST_MEGABYTES && !response.destroyed; sent += 1) {
				if (response.write(MEGABYTE)) continue;
				const over = new AbortController();
				await Promise.race([once(response, 'drain', over), once(response, 'close', over)]);
				over.abort();
			}
			response.end();
		};
		void send();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

it('an endless attachment is read up to the limit, and no request is sent', async () => {
	const { port } = server.address() as AddressInfo;
	const { items } = await generate(attach(fromUrl('audio', `http://127.0.0.1:${port}/a.mp3`)), {
		settings: { onError: 'continueRegularOutput' },
	});
	expect(items[0]?.json.error).toMatchObject({
		message: expect.stringMatching(/row 1: .*75 MB/) as string,
		param: 'attachments',
	});
	expect(sent).toBeGreaterThanOrEqual(75);
	expect(sent).toBeLessThan(MOST_MEGABYTES);
});
