import {
	continueOnFail,
	catalogue,
	creations,
	envelope,
	gateway,
	model,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const taskId = 't1';
const json = async (operation: string, parameters: object = { taskId }, resource = 'task') =>
	(await run(operation, parameters, {}, resource)).items[0]?.json;

describe('flags of a task (§3.2)', () => {
	it('archive and unarchive set the flag', async () => {
		gateway().patch(`${TASKS}/t1/archive`, { archive: true }).reply(204);
		gateway().patch(`${TASKS}/t1/archive`, { archive: false }).reply(204);
		expect(await json('archive')).toStrictEqual({ archived: true, taskId });
		expect(await json('unarchive')).toStrictEqual({ archived: false, taskId });
	});

	it('delete and restore may be repeated', async () => {
		gateway().delete(`${TASKS}/t1`).reply(503, '', { 'retry-after': '0' });
		gateway().delete(`${TASKS}/t1`).reply(204);
		gateway().post(`${TASKS}/t1/restore`).reply(503, '', { 'retry-after': '0' });
		gateway().post(`${TASKS}/t1/restore`).reply(204);
		expect(await json('delete')).toStrictEqual({ deleted: true, taskId });
		expect(await json('restore')).toStrictEqual({ restored: true, taskId });
	});
});

describe('an ID that would reach another endpoint', () => {
	const ids = ['.', '..', '%2e%2e', 't1/..', 't1%2F..', '..\\', '../t1', '/'];

	it.each(ids)('%s is rejected before anything is sent, also for other items', async (bad) => {
		const items = [{ json: { taskId } }, { json: { taskId: bad } }];
		for (const operation of ['get', 'delete', 'archive', 'restore', 'download', 'wait', 'getLyrics']) {
			const parameters = { taskId: '={{ $json.taskId }}', audioId: 'a1' };
			const { error } = await run(operation, parameters, { items });
			expect(error?.message).toContain(`'Task ID' has a value that is not allowed: ${JSON.stringify(bad)}`);
		}
	});
});

describe('session: create', () => {
	it('sends the body and returns the session unchanged', async () => {
		gateway()
			.post('/api/v1/media/sessions', { name: 'x', n: 1 })
			.reply(201, envelope({ sessionId: 's', name: 'x' }));
		const parameters = { sessionJson: '{"name":"x","n":1}' };
		expect(await json('create', parameters, 'session')).toStrictEqual({ sessionId: 's', name: 'x' });
	});
});

describe('invalid input of a task request is rejected before anything is sent', () => {
	const taskRequest = { model, inputMode: 'json', inputJson: '{}' };

	test.each<[string, object, string, string]>([
		[
			'a local callback URL',
			{ callbackUrl: 'http://192.168.1.5:5678/x' },
			'callbackUrl',
			'cannot reach the callback URL',
		],
		['a callback URL that is not a URL', { callbackUrl: 'x' }, 'callbackUrl', 'no web address'],
		['a key of other letters', { idempotencyKey: 'заказ-А' }, 'idempotencyKey', 'cannot be sent'],
		['a price that is not a number', { maxPriceRub: '={{ "12,5" }}' }, 'maxPriceRub', 'not allowed: "12,5"'],
	])('%s', async (_, options, param, message) => {
		const count = catalogue();
		const sent = creations();
		const { items } = await run('create', { ...taskRequest, options }, continueOnFail);
		expect(items[0]?.json.error).toMatchObject({
			param,
			message: expect.stringContaining(message) as string,
		});
		expect(sent).toStrictEqual([]);
		expect(count.requests).toBe(0);
	});
});
