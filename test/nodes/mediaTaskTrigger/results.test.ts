import { binaryStorage } from '../../helpers/engine';
import { envelope, files, gateway, TASKS, task } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { eventually } from '../../helpers/time';
import { archiving, freshTask, sendCallback } from './support';

useNock();

const resultJson = '{"resultUrls":["https://files.test/a.png","https://files.test/b"]}';
const resultUrls = ['https://files.test/a.png', 'https://files.test/b'];

/** A task with two files, and the requests for them. */
function taskWithFiles(state = 'success') {
	const taskId = freshTask();
	task(taskId, { state, resultJson });
	const requests: string[] = [];
	files()
		.persist()
		.get(/./)
		.reply((path) => {
			requests.push(path);
			return [200, `bytes of ${path}`, { 'content-type': 'image/png' }];
		});
	return { taskId, requests };
}

describe('Download Results', () => {
	it('fetches each file without the key, into the fields of the option', async () => {
		const { taskId, requests } = taskWithFiles();
		const options = { binaryPropertyName: 'picture' };
		const { item } = await sendCallback({ options }, { body: { taskId } });
		expect(requests).toStrictEqual(['/a.png', '/b']);
		expect(item?.json).toStrictEqual({ taskId, state: 'success', resultUrls });
		expect(Object.keys(item?.binary ?? {})).toStrictEqual(['picture', 'picture_1']);
		const { picture, picture_1: second } = item?.binary ?? {};
		const id = taskId.replace('-', '');
		expect([picture?.fileName, second?.fileName]).toStrictEqual([`a_${id}.png`, `b_${id}_1.png`]);
		expect(second && String(await (await binaryStorage()).getAsBuffer(second))).toBe('bytes of /b');
	});

	it.each([
		['when it is off', { downloadResults: false }, 'success'],
		['for a task that failed', { events: 'both' }, 'fail'],
	])('fetches nothing %s', async (_, parameters, state) => {
		const { taskId, requests } = taskWithFiles(state);
		const { item } = await sendCallback(parameters, { body: { taskId } });
		expect(item).toStrictEqual({ json: { taskId, state, resultUrls } });
		expect(requests).toStrictEqual([]);
	});

	it('a call that is repeated meanwhile gets 503, and downloads nothing', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' });
		let requests = 0;
		let respond: () => void = () => undefined;
		files()
			.persist()
			.get('/a.png')
			.reply((_uri, _body, callback) => {
				requests += 1;
				respond = () => callback(null, [200, 'a', { 'content-type': 'image/png' }]);
			});
		const first = sendCallback({}, { body: { taskId } });
		await eventually(() => requests === 1);
		const second = await sendCallback({}, { body: { taskId } });
		expect(second).toMatchObject({ item: undefined, status: 503, retryAfter: '10' });
		respond();
		expect((await first).item?.json.taskId).toBe(taskId);
		expect(requests).toBe(1);
	});

	it('starts the workflow with the result of a task that has no file, which is no error', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success', resultJson: '{"caption":"a fox"}' });
		gateway().get(`${TASKS}/${taskId}/download`).reply(404, envelope(null, 404));
		const { item } = await sendCallback({}, { body: { taskId } });
		const json = { taskId, state: 'success', resultUrls: [], result: { caption: 'a fox' } };
		expect(item).toStrictEqual({ json });
	});

	it('starts the workflow without the files when they cannot be fetched, with the error', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success', resultJson });
		files().get('/a.png').reply(404);
		const { item, warnings } = await sendCallback({}, { body: { taskId } });
		const json = { taskId, state: 'success', resultUrls };
		const downloadError = { httpCode: '404', retryable: false, taskId };
		expect(item?.json).toMatchObject({ ...json, downloadError });
		expect(item).not.toHaveProperty('binary');
		expect(warnings).toBe(0);
	});

	it('a failed download does not keep a repeated callback from starting it, after n8n could not', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' });
		files().get('/a.png').reply(404);
		files().get('/a.png').reply(200, 'a picture', { 'content-type': 'image/png' });
		const send = async (n8nStatus: number) => await sendCallback({}, { body: { taskId } }, { n8nStatus });
		expect((await send(500)).item?.json.downloadError).toMatchObject({ httpCode: '404' });
		const { item } = await send(200);
		expect(item?.json).toStrictEqual({ taskId, state: 'success', resultUrls: ['https://files.test/a.png'] });
		expect(item?.binary?.data?.mimeType).toBe('image/png');
		expect((await send(200)).item).toBeUndefined();
	});
});

const LIMIT = 256 * 1024;

it.each([
	[LIMIT, 'is read', true],
	[LIMIT + 1, 'is not read', false],
])('a body of %i bytes %s', async (length, _, isRead) => {
	const { taskId } = taskWithFiles();
	const rawBody = Buffer.from(JSON.stringify({ taskId }).padEnd(length));
	const { item } = await sendCallback({ downloadResults: false }, { body: { taskId } }, { rawBody });
	expect(item?.json.taskId).toBe(isRead ? taskId : undefined);
});

describe('archive', () => {
	const archive = { downloadResults: false, options: { archiveTask: true } };

	/** Sends the callback of an ended task; the requests to archive it get these statuses. */
	async function archiveByCallback(
		statuses: number[],
		options: { mode?: 'webhook' | 'manual'; n8nStatus?: number } = {},
	) {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const { bodies } = archiving(taskId, ...statuses);
		const outcome = await sendCallback(archive, { body: { taskId } }, options);
		return { taskId, bodies, ...outcome };
	}

	// In the editor, a task may be tried several times.
	it.each<[string, number[], 'webhook' | 'manual', starts: boolean, warnings: number]>([
		['another process has archived it', [404], 'webhook', false, 0],
		['it has been archived, in the editor', [404], 'manual', true, 0],
		...[400, 401, 403, 409].map((status): [string, number[], 'webhook', boolean, number] => {
			return [`archiving fails with ${status}`, [status], 'webhook', true, 1];
		}),
		['archiving succeeds after a lost response', [0, 404], 'webhook', true, 0],
		['archiving succeeds after an error of the gateway', [500, 404], 'webhook', true, 0],
	])('when %s (%j, %s), it starts the workflow: %s', async (_, statuses, mode, starts, warned) => {
		const { item, taskId, bodies, warnings } = await archiveByCallback(statuses, { mode });
		expect(item?.json.taskId).toBe(starts ? taskId : undefined);
		expect([bodies.length, warnings]).toStrictEqual([statuses.length, warned]);
		if (mode === 'manual') return;
		const again = await sendCallback(archive, { body: { taskId } });
		expect([again.item, again.status, bodies.length]).toStrictEqual([undefined, 200, statuses.length]);
	});

	it('a repeated callback starts the workflow when n8n has failed to, also in another process', async () => {
		const { taskId, bodies } = await archiveByCallback([204, 204, 204], { n8nStatus: 500 });
		await eventually(() => bodies.length === 2);
		expect(bodies).toStrictEqual([{ archive: true }, { archive: false }]);
		const { item } = await sendCallback(archive, { body: { taskId } });
		expect(item?.json.taskId).toBe(taskId);
		expect(bodies).toHaveLength(3);
	});

	it('does not archive tasks that do not start the workflow', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'fail' });
		const { bodies } = archiving(taskId, 204);
		await sendCallback({ ...archive, events: 'success' }, { body: { taskId } });
		expect(bodies).toStrictEqual([]);
	});

	it('archives after it has fetched the files: little can happen before the workflow starts', async () => {
		const taskId = freshTask();
		const log: unknown[] = [];
		const note = (what: unknown, status: number) => () => [Number(log.push(what) && status)] as const;
		task(taskId, { state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' });
		gateway().patch(`${TASKS}/${taskId}/archive`).reply(note('archived', 204));
		files().get('/a.png').reply(note('file', 200));
		const sent = sendCallback({ ...archive, downloadResults: true }, { body: { taskId } });
		const { item, warnings } = await sent;
		expect(log).toStrictEqual(['file', 'archived']);
		expect([item?.json.taskId, warnings]).toStrictEqual([taskId, 0]);
	});
});
