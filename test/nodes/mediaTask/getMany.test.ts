import { envelope, gateway, run, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const done = {
	taskId: 't1',
	model: 'acme/painter',
	state: 'success',
	createTime: 1_772_323_200_000,
	resultJson: '{"resultUrls":["https://files.test/a.png"]}',
	failCode: null,
	failMsg: null,
};
const failed = { ...done, taskId: 't2', state: 'fail', resultJson: '', failCode: 'X', failMsg: 'No' };
const simple = {
	taskId: 't1',
	state: 'success',
	model: 'acme/painter',
	createdAt: '2026-03-01T00:00:00.000Z',
	resultUrls: ['https://files.test/a.png'],
};

const list = async (body: object, parameters: object = {}) => {
	gateway().get(TASKS).reply(200, body);
	return await run('getMany', { returnAll: true, ...parameters });
};

describe('task: getMany', () => {
	it.each<[string, object]>([
		['an envelope with items', envelope({ items: [done], total: 1, page: 1 })],
		['tasks with another name of the ID', { tasks: [{ ...done, taskId: undefined, task_id: 't1' }] }],
		['tasks with a plain ID', { tasks: [{ ...done, taskId: undefined, id: 't1' }] }],
	])('finds the tasks in %s', async (_, body) => {
		const { items, error } = await list(body);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject(simple);
		expect(items[0]?.pairedItem).toStrictEqual({ item: 0 });
	});

	it('returns the records as received without Simplify, up to the limit', async () => {
		const { items } = await list(envelope({ items: [done, failed] }), {
			returnAll: false,
			limit: 1,
			simplify: false,
		});
		expect(items.map(({ json }) => json)).toStrictEqual([done]);
	});

	it.each([
		[
			{ returnAll: true },
			[{ message: expect.stringMatching('The gateway has more than these 2') as string }],
		],
		[{ returnAll: false, limit: 2 }, []],
	])('says that there is more where the limit %j is not reached', async (parameters, hints) => {
		const { run: result } = await list(envelope({ items: [done, failed], total: 7 }), parameters);
		expect(result.data.resultData.runData.Gateway?.[0]?.hints).toStrictEqual(
			hints.map((hint) => expect.objectContaining(hint) as object),
		);
	});
});
