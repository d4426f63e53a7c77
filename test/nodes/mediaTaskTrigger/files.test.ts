import { binaryStorage } from '../../helpers/engine';
import { envelope, files, gateway, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { sendCallback, freshTask, task } from './support';

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
	it('fetches each file without the key, into fields of its own', async () => {
		const { taskId, requests } = taskWithFiles();
		const { item } = await sendCallback({ options: {} }, { body: { taskId } });
		expect(requests).toStrictEqual(['/a.png', '/b']);
		expect(item?.json).toStrictEqual({ taskId, state: 'success', resultUrls });
		expect(Object.keys(item?.binary ?? {})).toStrictEqual(['data', 'data_1']);
		expect(item?.binary).toMatchObject({ data: { fileName: 'a.png' }, data_1: { fileName: 'b.png' } });
		const second = item?.binary?.data_1;
		expect(second && String(await (await binaryStorage()).getAsBuffer(second))).toBe('bytes of /b');
	});

	it('uses the fields of the option', async () => {
		const { taskId } = taskWithFiles();
		const { item } = await sendCallback({ options: { binaryPropertyName: 'picture' } }, { body: { taskId } });
		expect(Object.keys(item?.binary ?? {})).toStrictEqual(['picture', 'picture_1']);
	});

	it('fetches nothing when off', async () => {
		const { taskId, requests } = taskWithFiles();
		const { item } = await sendCallback({ downloadResults: false }, { body: { taskId } });
		expect(item).toStrictEqual({ json: { taskId, state: 'success', resultUrls } });
		expect(requests).toStrictEqual([]);
	});

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

	it('starts the workflow without the files when they cannot be fetched, with the error', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success', resultJson });
		files().get('/a.png').reply(404);
		const { item, warnings } = await sendCallback({}, { body: { taskId } });
		expect(item).toStrictEqual({
			json: {
				taskId,
				state: 'success',
				resultUrls,
				downloadError: {
					message: expect.any(String) as string,
					description: expect.any(String) as string,
					httpCode: '404',
					code: null,
					type: null,
					param: null,
					retryable: false,
					taskId,
				},
			},
		});
		expect(warnings).toBe(0);
	});
});

describe('Include Callback', () => {
	const request = (taskId: string) => ({
		body: { data: { taskId, more: [1] } },
		query: { source: 'gateway' },
		headers: { 'user-agent': 'gateway/1' },
	});

	it('adds the callback to the output', async () => {
		const { taskId } = taskWithFiles();
		const callback = request(taskId);
		const parameters = { downloadResults: false, options: { includeCallback: true } };
		const { item } = await sendCallback(parameters, callback);
		expect(item?.json).toStrictEqual({
			taskId,
			state: 'success',
			resultUrls,
			callback,
		});
	});

	/** A value nested in this many lists. */
	const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as object;
	const odd = JSON.parse('{"__proto__":1,"toString":2,"constructor":3}') as object;

	it.each<[string, object, Buffer | undefined, boolean]>([
		['with 100 levels', nested(100), Buffer.alloc(9), true],
		['with 101 levels', nested(101), Buffer.alloc(9), false],
		['with 10,000 levels', nested(10_000), Buffer.alloc(9), false],
		['of 256 KiB', [], Buffer.alloc(256 * 1024), true],
		['of more than 256 KiB', [], Buffer.alloc(256 * 1024 + 1), false],
		['of unknown length', [1], undefined, false],
		['with names that JavaScript objects have', odd, Buffer.alloc(9), true],
	])('adds a body only if n8n can store it: %s', async (_, body, rawBody, isKept) => {
		const { taskId } = taskWithFiles();
		const parameters = { downloadResults: false, options: { includeCallback: true } };
		const { item } = await sendCallback(parameters, { body, query: { taskId } }, { rawBody });
		expect(item?.json.callback).toStrictEqual({ body: isKept ? body : null, query: { taskId }, headers: {} });
	});
});
