import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { deleteMediaTask, setArchived } from '../../../nodes/shared/gateway/endpoints/taskActions';
import { deleteFile } from '../../../nodes/shared/gateway/endpoints/storage';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';

// A request that may have had its effect has had it when the next try says that there is nothing to do (§3.2, §4.16).

const notFound: Step = { status: 404 };

const actions: Array<[string, (client: GatewayClient) => Promise<unknown>, unknown]> = [
	['deleting a file', async (client) => await deleteFile(client, 'f1'), { success: true }],
	['archiving a task', async (client) => await setArchived(client, 't1', true), undefined],
	['unarchiving a task', async (client) => await setArchived(client, 't1', false), undefined],
];

describe.each(actions)('%s', (_, act, result) => {
	it.each<[string, Step]>([
		['a lost response', 'lost'],
		['500', { status: 500 }],
		['504', { status: 504 }],
		['a 502 of a proxy', { status: 502, body: '<html>' }],
	])('succeeds when 404 follows %s', async (__, first) => {
		const { client, sent } = scriptedClient([first, notFound]);
		await expect(act(client)).resolves.toStrictEqual(result);
		expect(sent).toHaveLength(2);
	});

	it.each<[string, Step[]]>([
		['comes first', []],
		['follows 429', [{ status: 429 }]],
		['follows 503', [{ status: 503 }]],
		['follows a refused connection', ['refused']],
	])('fails when 404 %s', async (__, before) => {
		const { client } = scriptedClient([...before, notFound]);
		expect((await apiErrorOf(act(client))).details).toMatchObject({ status: 404, outcome: 'rejected' });
	});

	it('fails when it was done before', async () => {
		const { client } = scriptedClient([{ body: '{"success":true}' }, notFound]);
		await act(client);
		expect((await apiErrorOf(act(client))).details).toMatchObject({ status: 404, outcome: 'rejected' });
	});
});

it('deleting a task fails with 404 after an unknown outcome: a repeat changes nothing (§4.10)', async () => {
	const { client } = scriptedClient([{ status: 500 }, notFound]);
	expect((await apiErrorOf(deleteMediaTask(client, 't1'))).details.status).toBe(404);
});
