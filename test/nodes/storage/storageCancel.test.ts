import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { binaryStorage, runNode, type RunOptions } from '../../helpers/engine';

// Downloads that are cancelled or slow, over real sockets.

let server: Server;
/** The downloads that have begun. */
let downloads: Array<{ response: ServerResponse; isClosed: Promise<void> }> = [];
let onDownload: (response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
	server = createServer((request, response) => {
		if (request.url?.startsWith('/api/v1/storage/')) {
			const asset = { id: 'f', filename: 'a.bin', url: `${own()}/file`, status: 'active' };
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ asset }));
			return;
		}
		const isClosed = new Promise<void>((resolve) => response.once('close', resolve));
		response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '100000' });
		response.write(Buffer.alloc(50_000), () => onDownload(response));
		downloads.push({ response, isClosed });
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
	downloads = [];
	onDownload = () => undefined;
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const own = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

type From = Pick<RunOptions, 'node' | 'parameters'>;
const fileHost: From = {
	node: 'storage',
	parameters: { resource: 'file', operation: 'download', fileId: 'f' },
};
const gateway: From = {
	node: 'mediaTask',
	parameters: { resource: 'task', operation: 'download', taskId: 't' },
};

const download = async (from: From, extra: Partial<RunOptions> = {}, options: object = {}) =>
	await runNode({
		...from,
		...extra,
		parameters: { ...from.parameters, options: { ...options } },
		credential: { baseUrl: `${own()}/api/v1`, apiKey: 'sk-test' },
	});

describe.each([
	['from the file host', fileHost],
	['from the gateway', gateway],
])('%s', (_, from) => {
	it('a cancelled run closes the connection of a download and outputs nothing', async () => {
		const service = await binaryStorage();
		const stored: Array<Promise<unknown>> = [];
		const original = service.store.bind(service);
		const spy = jest.spyOn(service, 'store').mockImplementation(async (...args) => {
			const storing = original(...args);
			stored.push(storing);
			return await storing;
		});
		let cancel: () => void = () => undefined;
		onDownload = () => cancel();
		const { error, items } = await download(from, { onStart: (stop) => (cancel = stop) });
		const outcomes = await Promise.allSettled(stored);
		spy.mockRestore();
		expect(downloads).toHaveLength(1);
		await downloads[0]?.isClosed;
		expect(downloads[0]?.response.writableFinished).toBe(false);
		expect(error?.message).toBe('The execution was cancelled');
		expect(items).toStrictEqual([]);
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toStrictEqual([]);
	});

	it('a slow download that does not stall is completed', async () => {
		onDownload = (response) => {
			let chunks = 0;
			const timer = setInterval(() => {
				chunks += 1;
				response.write(Buffer.alloc(10_000));
				if (chunks < 5) return;
				clearInterval(timer);
				response.end();
			}, 400);
		};
		const { items, error } = await download(from, {}, { timeout: 1, maxRetries: 0 });
		expect(error).toBeUndefined();
		expect(items[0]?.binary?.data?.bytes).toBe(100_000);
		expect(downloads).toHaveLength(1);
	});

	it('a download that breaks is fetched again', async () => {
		onDownload = (response) => {
			if (downloads.length === 1) response.destroy();
			else response.end(Buffer.alloc(50_000));
		};
		const { items, error } = await download(from);
		expect(error).toBeUndefined();
		expect(items[0]?.binary?.data?.bytes).toBe(100_000);
		expect(downloads).toHaveLength(2);
	});
});
