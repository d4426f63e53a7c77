import { getEventListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import nock from 'nock';

import { attempt, attemptContext, executeOn } from '../helpers/attempt';
import { rejection } from '../helpers/client';
import type { RunOptions } from '../helpers/engine';
import { API_KEY, useSocketGateway } from '../helpers/socketGateway';
import { eventually } from '../helpers/time';

// Cancelling an execution over real sockets: nock ends no request.

const server = useSocketGateway();

let timers: jest.SpyInstance;
beforeAll(() => {
	nock.restore();
	const { setTimeout: start } = globalThis;
	// n8n's timer of an aborted pause cannot be stopped; unref lets the process exit.
	const unwatched = (work: () => void, delay?: number) => start(work, delay).unref();
	timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(unwatched);
});
afterAll(() => timers.mockRestore());

const model = { __rl: true, mode: 'id', value: 'acme/painter' };

const nodes = {
	generate: {
		node: 'textGeneration',
		parameters: { resource: 'text', operation: 'generate', model, prompt: '={{ $json.text ?? "p" }}' },
	},
	createAndWait: {
		node: 'mediaTask',
		parameters: {
			resource: 'task',
			operation: 'createAndWait',
			model,
			inputMode: 'json',
			inputJson: '{}',
			// The first poll is sent at once.
			options: { idempotencyKey: 'order-{{ $itemIndex }}' },
		},
	},
	downloadArchive: {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'download', taskId: 't1' },
	},
	downloadFiles: {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'wait', taskId: 't1' },
	},
	downloadStored: {
		node: 'storage',
		parameters: { resource: 'file', operation: 'download', fileId: 'f1' },
	},
	upload: {
		node: 'storage',
		parameters: {
			resource: 'file',
			operation: 'upload',
			uploadSource: 'base64',
			base64: 'aGVsbG8=',
			mimeType: 'text/plain',
		},
	},
} satisfies Record<string, Pick<RunOptions, 'node' | 'parameters'>>;

const nodeOf = (name: keyof typeof nodes, more: Partial<RunOptions> = {}): RunOptions => ({
	...nodes[name],
	credential: { baseUrl: `${server.origin()}/api/v1`, apiKey: API_KEY },
	...more,
});

function json(
	response: ServerResponse,
	body: object,
	status = 200,
	headers: Record<string, string> = {},
): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
const envelope = (data: object) => ({ code: 200, msg: 'success', data });
const paths = () => server.received.map(({ url = '' }) => url);

/** Begins a body that does not end. */
function stall(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000000' });
	response.write('x'.repeat(5_000));
}

/** Cancels a run of a node as soon as a condition holds. */
async function cancel(options: RunOptions, when: () => boolean) {
	const controller = new AbortController();
	const { signal } = controller;
	const context = await attemptContext(options, { signal });
	const warn = jest.spyOn(context.logger, 'warn').mockImplementation(() => undefined);
	const ended = rejection(executeOn(options, context));
	await eventually(when);
	controller.abort();
	const error = await ended;
	const warnings = warn.mock.calls.map(([text]) => text);
	warn.mockRestore();
	return { error, warnings, listeners: getEventListeners(signal, 'abort').length };
}

const cancelled = (description: unknown) => ({
	name: 'NodeOperationError',
	message: 'The execution was cancelled',
	description,
});
const nothingPaid = () => cancelled(expect.not.stringContaining('tasks') as string);

describe('cancelling a run ends', () => {
	const neverResponds = () => undefined;
	const stalls = (_: IncomingMessage, response: ServerResponse) => stall(response);
	const stallsOnFiles = (request: IncomingMessage, response: ServerResponse) => {
		if (request.url === '/result.png') return stall(response);
		const resultJson = JSON.stringify({ resultUrls: [`${server.origin()}/result.png`] });
		json(response, envelope({ taskId: 't1', state: 'success', resultJson }));
	};

	it.each<[string, keyof typeof nodes, (request: IncomingMessage, response: ServerResponse) => void, number]>(
		[
			['a request without a response', 'generate', neverResponds, 1],
			['a response that does not end', 'generate', stalls, 1],
			['an upload', 'upload', neverResponds, 1],
			['a download from the storage', 'downloadStored', stalls, 1],
			['a download of a result from the gateway', 'downloadArchive', stalls, 1],
			['a download of a result from its URL', 'downloadFiles', stallsOnFiles, 2],
		],
	)('%s', async (_, name, respond, requests) => {
		let [last, closed] = ['', ''];
		server.onRequest((request, response) => {
			last = request.url ?? '';
			response.on('close', () => (closed = last));
			respond(request, response);
		});
		const { error, warnings, listeners } = await cancel(
			nodeOf(name),
			() => server.received.length === requests && last !== '',
		);
		const note =
			name === 'generate' ? 'The outcome of item 0 is unknown: it may have been charged.' : undefined;
		expect(error).toMatchObject(cancelled(note ?? 'No more requests were sent.'));
		await eventually(() => closed === last);
		expect(server.received).toHaveLength(requests);
		expect([warnings, listeners]).toStrictEqual([note ? [`"Gateway" was cancelled. ${note}`] : [], 0]);
	});

	it('a run that has not begun, and sends nothing', async () => {
		const signal = AbortSignal.abort();
		expect(await rejection(attempt(nodeOf('generate'), { signal }))).toMatchObject(nothingPaid());
		expect(server.received).toStrictEqual([]);
	});
});

it('an item that fails ends the pauses of other items', async () => {
	let fail: () => void = () => undefined;
	server.onRequest((_, response) => {
		if (server.received.length === 2) {
			fail = () => json(response, { error: { message: 'no money', code: 'insufficient_quota' } }, 402);
			return;
		}
		void eventually(() => server.received.length === 2).then(() => {
			response.on('finish', () => setImmediate(() => fail()));
			json(response, { code: 503, msg: 'busy', data: null }, 503, { 'retry-after': '30' });
		});
	});
	const items = [{ json: {} }, { json: {} }];
	const error = await rejection(attempt(nodeOf('generate', { items })));
	expect(error).toMatchObject({ httpCode: '402' });
	expect(server.received).toHaveLength(2);
});

describe('the tasks that a cancelled run has created', () => {
	/** Creates tasks t1, t2, … that do not end. */
	function tasksGoOn() {
		let created = 0;
		server.onRequest((request, response) => {
			if (request.method === 'POST') return json(response, envelope({ taskId: `t${(created += 1)}` }), 201);
			json(response, envelope({ state: 'processing' }));
		});
	}
	const polls = () => paths().filter((path) => /tasks\/t\d+$/.test(path)).length;
	const items = [{ json: {} }, { json: {} }, { json: {} }];

	it.each([undefined, 'continueRegularOutput'] as const)(
		'are named in the error and logged, with On Error %j',
		async (onError) => {
			tasksGoOn();
			const settings = { name: 'Gateway', ...(onError ? { onError } : {}) };
			const { error, warnings, listeners } = await cancel(
				nodeOf('createAndWait', { items, settings }),
				() => polls() === 3,
			);
			expect(error).toMatchObject(cancelled(expect.stringMatching(/\bt\d, t\d, t\d\./)));
			expect(warnings).toHaveLength(1);
			for (const text of [...warnings, (error as { description: string }).description]) {
				expect(text.match(/\bt\d\b/g)?.sort()).toStrictEqual(['t1', 't2', 't3']);
			}
			expect(warnings[0]).toContain('"Gateway"');
			expect([polls(), listeners]).toStrictEqual([3, 0]);
		},
	);
});
