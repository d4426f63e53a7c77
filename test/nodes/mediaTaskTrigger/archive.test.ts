import nock from 'nock';

import { inFakeTime, useFakeTime } from '../../helpers/fakeTime';
import { TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { archiving, call, freshTask, task } from './support';

// Archive the Task: of several processes that take a call, the one that archives the task starts the workflow (§3.2).

useNock();
useFakeTime();

const archive = { downloadResults: false, options: { archiveTask: true } };

/** Calls for a task that has ended; its archiving gets these statuses. */
async function callAndArchive(
	statuses: number[],
	{ mode = 'webhook' }: { mode?: 'webhook' | 'manual' } = {},
) {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	const { bodies } = archiving(taskId, ...statuses);
	const called = await inFakeTime(call(archive, { body: { taskId } }, { mode }));
	return { taskId, bodies, ...called };
}

it('archives the task, then starts the workflow', async () => {
	const { item, taskId, bodies, warnings } = await callAndArchive([204]);
	expect(bodies).toStrictEqual([{ archive: true }]);
	expect(item?.json.taskId).toBe(taskId);
	expect(warnings).toBe(0);
});

it('starts nothing when another process has archived it (404)', async () => {
	const { result, bodies, warnings } = await callAndArchive([404]);
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect([bodies.length, warnings]).toStrictEqual([1, 0]);
});

it('starts all the same in the editor, where the same task is tried again', async () => {
	const { item, taskId } = await callAndArchive([404], { mode: 'manual' });
	expect(item?.json.taskId).toBe(taskId);
});

it.each([400, 401, 403, 409])(
	'starts with a warning when the archiving fails in another way (%i): better twice than never',
	async (status) => {
		const { item, taskId, bodies, warnings } = await callAndArchive([status]);
		expect(item?.json.taskId).toBe(taskId);
		expect([bodies.length, warnings]).toStrictEqual([1, 1]);
	},
);

it.each([
	['lost', 0],
	['an error of the gateway', 500],
])('takes the task for its own when the response to its archiving is %s', async (_, first) => {
	const { item, taskId, bodies, warnings } = await callAndArchive([first, 404]);
	expect(item?.json.taskId).toBe(taskId);
	expect([bodies.length, warnings]).toStrictEqual([2, 0]);
});

it('is not the one that has archived it when the gateway was too busy to look (429)', async () => {
	const { result, bodies } = await callAndArchive([429, 404]);
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect(bodies).toHaveLength(2);
});

it('archives once for a repeated call', async () => {
	const { taskId, bodies } = await callAndArchive([204, 204]);
	const { result } = await call(archive, { body: { taskId } });
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect(bodies).toHaveLength(1);
});

it('leaves tasks alone that do not start the workflow', async () => {
	const taskId = freshTask();
	task(taskId, { state: 'fail' });
	const { bodies } = archiving(taskId, 204);
	await call(archive, { body: { taskId } });
	expect(bodies).toStrictEqual([]);
});

it.each<[string, object]>([
	['off', { archiveTask: false }],
	['not set', {}],
	['something else', { archiveTask: 'yes' }],
])('archives nothing when the option is %s', async (_, options) => {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	const { bodies } = archiving(taskId, 204);
	const { item } = await call({ ...archive, options: { ...options } }, { body: { taskId } });
	expect(item?.json.taskId).toBe(taskId);
	expect(bodies).toStrictEqual([]);
});

it('archives before it fetches files, which another process is not to fetch again', async () => {
	const taskId = freshTask();
	const log: string[] = [];
	task(taskId, { state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' });
	nock('https://gateway.test')
		.patch(`${TASKS}/${taskId}/archive`)
		.reply(() => {
			log.push('archive');
			return [204];
		});
	nock('https://files.test')
		.get('/a.png')
		.reply(() => {
			log.push('file');
			return [200, 'bytes'];
		});
	await inFakeTime(call({ ...archive, downloadResults: true }, { body: { taskId } }));
	expect(log).toStrictEqual(['archive', 'file']);
});
