import '../../helpers/setup';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { searchTextModels } from '../../../nodes/shared/fields/models';
import { editorContext } from '../../helpers/contexts';
import { runNode, type RunResult } from '../../helpers/engine';

// The process of `test/memory/memory.test.ts`: three large responses at the same time, to each kind of call. Prints a line for each.

const COUNT = 3;
const MEBIBYTE = 1024 * 1024;
const LONG = 'x'.repeat(127 * MEBIBYTE);

const chat = (message: string) =>
	`{"choices":[{"message":${message},"finish_reason":"stop"}],"usage":{"cost_rub":0.5}}`;
const chunks = (delta: string) =>
	`data: {"choices":[{"index":0,"delta":${delta}}],"usage":{"cost_rub":0.5}}\n\n`.repeat(127);
const PIECE = 'x'.repeat(MEBIBYTE);
const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

interface Kind {
	status?: number;
	type: string;
	body: () => string;
	/** Makes the calls, and returns what users read of each. */
	calls: (credential: { baseUrl: string; apiKey: string }) => Promise<string[]>;
}

const items = Array.from({ length: COUNT }, (_, n) => ({ json: { n } }));
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const MEDIA = { audioAndImages: { modalities: ['text', 'audio'] } };

const outcomes = (result: RunResult) =>
	result.items.map(({ json, binary }) => {
		const { code, mayBeCharged } = (json.error ?? {}) as { code?: string; mayBeCharged?: boolean };
		return code === undefined ? Object.keys(binary ?? json).join() : `${code} ${mayBeCharged ?? false}`;
	});

const text =
	(options: object = {}): Kind['calls'] =>
	async (credential) =>
		outcomes(
			await runNode({
				node: 'textGeneration',
				credential,
				items,
				settings: CONTINUE,
				parameters: {
					resource: 'text',
					operation: 'generate',
					model: { __rl: true, mode: 'id', value: 'm' },
					prompt: 'Hi',
					options: { concurrency: COUNT, ...options } as object as Record<string, never>,
				},
			}),
		);

const STREAM = { stream: true };
const content = () => chat(`{"content":"${LONG}"}`);

const KINDS: Record<string, Kind> = {
	text: { type: JSON_TYPE, body: content, calls: text() },
	stream: { type: EVENTS, body: () => chunks(`{"content":"${PIECE}"}`), calls: text(STREAM) },
	'stream of one event': { type: EVENTS, body: () => `data: "${LONG}"\n\n`, calls: text(STREAM) },
	'stream that is not one': { type: JSON_TYPE, body: content, calls: text(STREAM) },
	sound: { type: JSON_TYPE, body: () => chat(`{"audio":{"data":"${LONG}"}}`), calls: text(MEDIA) },
	error: { status: 400, type: JSON_TYPE, body: content, calls: text() },
	'error of a stream': { status: 400, type: JSON_TYPE, body: content, calls: text(STREAM) },
	catalogue: {
		type: JSON_TYPE,
		body: () => `{"data":[{"id":"${LONG}"}]}`,
		calls: async (credential) =>
			await Promise.all(
				items.map(async () => {
					const context = editorContext({ node: 'textGeneration', parameters: {}, credential });
					return await searchTextModels.call(context).then(String, (error: Error) => error.message);
				}),
			),
	},
	'state of a task': {
		type: JSON_TYPE,
		body: () => `{"code":200,"data":{"taskId":"t","state":"success","resultJson":"${LONG}"}}`,
		calls: async (credential) =>
			outcomes(
				await runNode({
					node: 'mediaTask',
					credential,
					items,
					settings: CONTINUE,
					parameters: {
						resource: 'task',
						operation: 'get',
						taskId: '9b2d7c1e-0000-4000-8000-000000000001',
						options: {},
					},
				}),
			),
	},
};

async function main(): Promise<void> {
	let response: { status: number; type: string; bytes: Buffer } | undefined;
	const zipped = new Map<Kind['body'], Buffer>();
	const server = createServer((request, reply) => {
		request.resume().on('end', () => {
			const { status = 500, type = '', bytes = '' } = response ?? {};
			reply.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' }).end(bytes);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const credential = { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'sk-test' };
	for (const [name, { status = 200, type, body, calls }] of Object.entries(KINDS)) {
		const bytes = zipped.get(body) ?? gzipSync(body());
		zipped.set(body, bytes);
		response = { status, type, bytes };
		const found = await calls(credential);
		console.log(JSON.stringify({ name, found }));
	}
	server.closeAllConnections();
	server.close();
}

void main();
