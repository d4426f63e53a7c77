import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { model } from '../helpers/media';
import { runNode } from '../helpers/engine';
import { eventually, quickTime } from '../helpers/time';

// The node's own call when a task ends before n8n accepts callbacks, over real sockets.

quickTime();

let server: Server;
/** The statuses of n8n's responses; 0 breaks the connection. */
let n8nStatuses = [200];
/** The URLs of the calls to n8n. */
let calls: string[] = [];
let polls = 0;

beforeAll(async () => {
	server = createServer((request, response) => {
		const { method, url = '' } = request;
		const respond = (status: number, data: unknown) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(data));
		};
		void text(request).then(() => {
			if (url.startsWith('/webhook-waiting/')) {
				calls.push(url);
				const status = n8nStatuses.shift() ?? 409;
				return status === 0 ? response.destroy() : respond(status, {});
			}
			if (url.endsWith('/media/models')) return respond(200, { object: 'list', data: [] });
			if (method === 'POST') return respond(201, { code: 200, msg: 'success', data: { taskId: 't1' } });
			polls += 1;
			// Pending at the two polls before the execution is suspended, ended at the next.
			const state = polls > 2 ? 'success' : 'processing';
			return respond(200, {
				code: 200,
				msg: 'success',
				data: { taskId: 't1', state, createTime: Date.now() },
			});
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
	calls = [];
	polls = 0;
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const own = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function suspend(): Promise<void> {
	const { run } = await runNode({
		node: 'mediaTask',
		parameters: {
			resource: 'task',
			operation: 'createAndWait',
			model,
			inputMode: 'json',
			inputJson: '{}',
			waitStrategy: 'suspend',
		},
		credential: { baseUrl: `${own()}/api/v1`, apiKey: 'sk-test' },
		n8nUrl: own(),
	});
	expect(run.status).toBe('waiting');
}

it('ignores a call that fails: n8n resumes the execution at its deadline', async () => {
	const rejections: unknown[] = [];
	const note = (error: unknown) => void rejections.push(error);
	process.on('unhandledRejection', note).on('uncaughtException', note);
	n8nStatuses = [0];
	await suspend();
	await eventually(() => calls.length === 1);
	// By then the node has seen the error.
	await fetch(own());
	await new Promise((resolve) => setImmediate(resolve));
	process.off('unhandledRejection', note).off('uncaughtException', note);
	expect(rejections).toStrictEqual([]);
	expect(calls).toHaveLength(1);
});
