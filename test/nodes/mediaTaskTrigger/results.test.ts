import { envelope, files, gateway, TASKS, task } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
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
	it('fetches nothing for a task that failed', async () => {
		const { taskId, requests } = taskWithFiles('fail');
		const { item } = await sendCallback({ events: 'both' }, { body: { taskId } });
		expect(item).toStrictEqual({ json: { taskId, state: 'fail', resultUrls } });
		expect(requests).toStrictEqual([]);
	});

	it('starts the workflow with the result of a task that has no file, which is no error', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success', resultJson: '{"caption":"a fox"}' });
		gateway().get(`${TASKS}/${taskId}/download`).reply(404, envelope(null, 404));
		const { item } = await sendCallback({}, { body: { taskId } });
		const json = { taskId, state: 'success', resultUrls: [], result: { caption: 'a fox' } };
		expect(item).toStrictEqual({ json });
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
