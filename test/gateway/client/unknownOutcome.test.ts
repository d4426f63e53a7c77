import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { deleteMediaTask, setArchived } from '../../../nodes/shared/gateway/endpoints/taskActions';
import { deleteFile } from '../../../nodes/shared/gateway/endpoints/storage';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';

// A request whose response is lost, or whose first response is a 5xx, may have succeeded: when the next try says
// that there is nothing to do (§3.2, §4.16), it has.

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const lost = connectionError({ kind: 'lost' }, { charged: false });
const notFound: Step = { status: 404 };

const actions: Array<[string, (client: GatewayClient) => Promise<unknown>, unknown]> = [
	['a file is deleted', async (client) => await deleteFile(client, ID), { success: true }],
	['a task is archived', async (client) => await setArchived(client, ID, true), undefined],
	['a task is unarchived', async (client) => await setArchived(client, ID, false), undefined],
];

describe.each(actions)('%s', (_, act, result) => {
	test.each<[string, Step]>([
		['a bad gateway', { status: 502 }],
		['a gateway timeout', { status: 504 }],
	])('succeeds when %s is followed by 404', async (__, first) => {
		const { client, sent } = scriptedClient([first, notFound]);
		await expect(act(client)).resolves.toStrictEqual(result);
		expect(sent).toHaveLength(2);
	});

	it('fails when the first response is 404', async () => {
		const { client } = scriptedClient([notFound]);
		expect((await apiErrorOf(act(client))).details.status).toBe(404);
	});

	it('fails when 404 follows 429', async () => {
		const { client } = scriptedClient([{ status: 429 }, notFound]);
		expect((await apiErrorOf(act(client))).details.status).toBe(404);
	});
});

test.each(actions)('%s when the response was lost and 404 follows', async (_, act, result) => {
	const { client, sent } = scriptedClient([lost, notFound]);
	await expect(act(client)).resolves.toStrictEqual(result);
	expect(sent).toHaveLength(2);
});

test('deleting a task fails with 404 after an unknown outcome', async () => {
	const { client } = scriptedClient([{ status: 502 }, notFound]);
	expect((await apiErrorOf(deleteMediaTask(client, ID))).details.status).toBe(404);
});
