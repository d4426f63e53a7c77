import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';

import type { BinaryStore } from '../../nodes/shared/n8n/binary';
import { downloadFiles, taskJson } from '../../nodes/shared/n8n/taskResults';
import type { HttpRequest } from '../../nodes/shared/gateway/client/transport';
import { readMediaTask } from '../../nodes/shared/gateway/endpoints/tasks';
import { apiErrorOf, rejection, scriptedClient } from '../helpers/client';

// Storing the files of a task in n8n's binary storage.

interface Served {
	status?: number;
	headers?: Record<string, string>;
	/** An error that ends the stream. */
	breaks?: Error;
}

/** A context whose requests are served by path, and whose storage is recorded. */
function context(served: Record<string, Served> = {}, store?: () => never) {
	const log: string[] = [];
	const sent: HttpRequest[] = [];
	const bodies: Readable[] = [];
	const stream = async (request: HttpRequest) => {
		sent.push(request);
		const { pathname } = new URL(request.url);
		log.push(`request ${pathname}`);
		const { status = 200, headers = {}, breaks } = served[pathname] ?? {};
		const content = async function* () {
			yield await Promise.resolve(Buffer.from(pathname));
			if (breaks) throw breaks;
		};
		const body = Readable.from(content());
		bodies.push(body);
		return await Promise.resolve({ status, headers, body: status === 200 ? body : '' });
	};
	const transport = { stream, text: () => Promise.reject(new Error('not used')) };
	const { client } = scriptedClient([], { maxRetries: 0 }, { dependencies: { transport } });
	const prepareBinaryData: BinaryStore['helpers']['prepareBinaryData'] = async (body, fileName, mimeType) => {
		store?.();
		const data = (await buffer(body as Readable)).toString();
		log.push(`stored ${data}`);
		return { data, mimeType: mimeType ?? '', ...(fileName ? { fileName } : {}) };
	};
	return { client, n8n: { helpers: { prepareBinaryData } }, log, sent, bodies };
}

const task = (...resultUrls: string[]) =>
	readMediaTask({ data: { state: 'success', resultJson: { resultUrls } } }, 't1');
const host = 'https://files.test';

it('fetches the files of a task one after the other, without the key, each into a field', async () => {
	const { log, sent, ...ctx } = context({ '/b/': { headers: { 'content-type': 'image/png' } } });
	const binary = await downloadFiles(ctx, task(`${host}/a.mp3`, `${host}/b/`, `${host}/c`), 'song');
	expect(binary).toStrictEqual({
		song: { data: '/a.mp3', mimeType: '', fileName: 'a.mp3' },
		song_1: { data: '/b/', mimeType: 'image/png', fileName: 'task_t1_1.png' },
		song_2: { data: '/c', mimeType: '', fileName: 'c' },
	});
	expect(log).toStrictEqual([
		...['request /a.mp3', 'stored /a.mp3'],
		...['request /b/', 'stored /b/'],
		...['request /c', 'stored /c'],
	]);
	expect(sent.map(({ kind, headers }) => [kind, headers])).toStrictEqual(Array(3).fill(['file', {}]));
});

describe('a result that cannot be fetched', () => {
	it.each<[string, string, number, string[]]>([
		['its host', '/b', 404, [`${host}/a`, `${host}/b`, `${host}/c`]],
		['its host', '/b', 500, [`${host}/a`, `${host}/b`, `${host}/c`]],
		['the gateway', '/api/v1/async/media/tasks/t1/download', 404, []],
	])('throws an error that names the task and keeps the status of %s', async (_, path, status, urls) => {
		const ctx = context({ [path]: { status } });
		const { details } = await apiErrorOf(downloadFiles(ctx, task(...urls), 'd'));
		expect(details).toMatchObject({ status, taskId: 't1', retryable: status === 500 });
		expect(ctx.log.at(-1)).toBe(`request ${path}`);
	});

	it('throws the error of n8n where n8n cannot store it', async () => {
		const full = new Error('The disk is full');
		const ctx = context({}, () => {
			throw full;
		});
		expect(await rejection(downloadFiles(ctx, task(`${host}/a`), 'data'))).toBe(full);
		expect(ctx.bodies.map(({ destroyed }) => destroyed)).toStrictEqual([true]);
	});
});

it('the JSON of a task begins with the most important fields, and has no empty columns', () => {
	const base = { resultUrls: [], result: 'text', state: 'fail', taskId: 't1' };
	const more = { model: 'm', createdAt: '2026-01-01T00:00:00.000Z', failMsg: 'no', failCode: 'NSFW' };
	const json = taskJson({ ...more, tracks: undefined, ...base }, 6.5);
	expect(json).toStrictEqual({ ...base, ...more, priceRub: 6.5 });
	const order = 'taskId state priceRub failCode failMsg model createdAt resultUrls result';
	expect(Object.keys(json).join(' ')).toBe(order);
	expect(taskJson(task())).toStrictEqual({ taskId: 't1', state: 'success', resultUrls: [] });
});
