import nock from 'nock';

import { inFakeTime, useFakeTime } from '../../helpers/fakeTime';
import { TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { archiving, freshTask, inTime, sendCallback, task } from './support';

// Archive the Task: of several processes with the same callback, the one that archives the task starts the workflow (§3.2).

useNock();
useFakeTime();

const archive = { downloadResults: false, options: { archiveTask: true } };

/** Sends the callback of an ended task; the requests to archive it get these statuses. */
async function archiveByCallback(
	statuses: number[],
	options: { mode?: 'webhook' | 'manual'; n8nStatus?: number } = {},
) {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	const { bodies } = archiving(taskId, ...statuses);
	const outcome = await inTime(sendCallback(archive, { body: { taskId } }, options));
	return { taskId, bodies, ...outcome };
}

it('archives the task, then starts the workflow', async () => {
	const { item, taskId, bodies, warnings } = await archiveByCallback([204]);
	expect(bodies).toStrictEqual([{ archive: true }]);
	expect(item?.json.taskId).toBe(taskId);
	expect(warnings).toBe(0);
});

it('starts nothing when another process has archived it (404)', async () => {
	const { result, bodies, warnings } = await archiveByCallback([404]);
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect([bodies.length, warnings]).toStrictEqual([1, 0]);
});

it('starts the workflow in the editor, where a task may be tried several times', async () => {
	const { item, taskId } = await archiveByCallback([404], { mode: 'manual' });
	expect(item?.json.taskId).toBe(taskId);
});

it.each([400, 401, 403, 409])(
	'starts the workflow with a warning when archiving fails with %i',
	async (status) => {
		const { item, taskId, bodies, warnings } = await archiveByCallback([status]);
		expect(item?.json.taskId).toBe(taskId);
		expect([bodies.length, warnings]).toStrictEqual([1, 1]);
	},
);

it.each([
	['lost', 0],
	['an error of the gateway', 500],
])('starts the workflow when archiving succeeds after %s', async (_, first) => {
	const { item, taskId, bodies, warnings } = await archiveByCallback([first, 404]);
	expect(item?.json.taskId).toBe(taskId);
	expect([bodies.length, warnings]).toStrictEqual([2, 0]);
});

it('a repeated callback starts the workflow when n8n has failed to, also in another process', async () => {
	const { taskId, bodies } = await archiveByCallback([204, 204, 204], { n8nStatus: 500 });
	const isReleased = async () => {
		while (bodies.length < 2) await new Promise((resolve) => setImmediate(resolve));
	};
	await inFakeTime(isReleased());
	expect(bodies).toStrictEqual([{ archive: true }, { archive: false }]);
	const { item } = await inTime(sendCallback(archive, { body: { taskId } }));
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

it.each<[string, object]>([
	['off', { archiveTask: false }],
	['not set', {}],
	['something else', { archiveTask: 'yes' }],
])('archives nothing when the option is %s', async (_, options) => {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	const { bodies } = archiving(taskId, 204);
	const { item } = await sendCallback({ ...archive, options: { ...options } }, { body: { taskId } });
	expect(item?.json.taskId).toBe(taskId);
	expect(bodies).toStrictEqual([]);
});

it('archives after it has fetched the files: little can happen before the workflow starts', async () => {
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
	await inFakeTime(sendCallback({ ...archive, downloadResults: true }, { body: { taskId } }));
	expect(log).toStrictEqual(['file', 'archive']);
});
