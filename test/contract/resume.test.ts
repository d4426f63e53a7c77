import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { model } from '../helpers/media';
import { runNode } from '../helpers/engine';
import { eventually, quickTime } from '../helpers/time';

// The gap between the last poll of a task and the moment from which callbacks are heard, over real sockets.

quickTime();

let server: Server;
/** What n8n, which is played here too, answers to calls; 0 breaks the connection. */
let n8nAnswers = [200];
/** The calls that it got. */
let calls: string[] = [];
let polls = 0;

beforeAll(async () => {
	server = createServer((request, response) => {
		const { method, url = '' } = request;
		const answer = (status: number, data: unknown) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(data));
		};
		void text(request).then(() => {
			if (url.startsWith('/webhook-waiting/')) {
				calls.push(url);
				const status = n8nAnswers.shift() ?? 409;
				return status === 0 ? response.destroy() : answer(status, {});
			}
			if (url.endsWith('/media/models')) return answer(200, { object: 'list', data: [] });
			if (method === 'POST') return answer(201, { code: 200, msg: 'success', data: { taskId: 't1' } });
			polls += 1;
			// Runs at the two polls before the execution is suspended, and has ended at the next.
			const state = polls > 2 ? 'success' : 'processing';
			return answer(200, {
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

it('calls itself when the task has ended in the gap, and again when n8n is not ready yet', async () => {
	n8nAnswers = [409, 200];
	await suspend();
	await eventually(() => calls.length === 2);
	expect(calls[0]).toMatch(/^\/webhook-waiting\/execution-1\/media-task\?signature=\w+&item=0$/);
});

it('a call that breaks harms nothing: the deadline holds', async () => {
	const failures: unknown[] = [];
	const note = (error: unknown) => void failures.push(error);
	process.on('unhandledRejection', note).on('uncaughtException', note);
	n8nAnswers = [0];
	await suspend();
	await eventually(() => calls.length === 1);
	// Its failure has reached the node when the next exchange has come and gone.
	await fetch(own());
	await new Promise((resolve) => setImmediate(resolve));
	process.off('unhandledRejection', note).off('uncaughtException', note);
	expect(failures).toStrictEqual([]);
	expect(calls).toHaveLength(1);
});
