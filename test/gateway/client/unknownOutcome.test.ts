import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { deleteMediaTask, setArchived } from '../../../nodes/shared/gateway/endpoints/taskActions';
import { deleteFile } from '../../../nodes/shared/gateway/endpoints/storage';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';

// A request whose answer is lost, or whose first answer is a 5xx, may have done its work: when the next try is told
// that there is nothing to do (§3.2, §4.16), it has succeeded.

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const lost = connectionError({ kind: 'lost' }, { charged: false });
const gone: Step = { status: 404 };

const actions: Array<[string, (client: GatewayClient) => Promise<unknown>, unknown]> = [
	['a file is deleted', async (client) => await deleteFile(client, ID), { success: true }],
	['a task is archived', async (client) => await setArchived(client, ID, true), undefined],
	['a task is taken from the archive', async (client) => await setArchived(client, ID, false), undefined],
];

describe.each(actions)('%s', (_, act, result) => {
	test.each<[string, Step]>([
		['a bad gateway', { status: 502 }],
		['a gateway timeout', { status: 504 }],
	])('when %s is followed by 404', async (__, first) => {
		const { client, sent } = scriptedClient([first, gone]);
		await expect(act(client)).resolves.toStrictEqual(result);
		expect(sent).toHaveLength(2);
	});

	it('not when the first answer is 404', async () => {
		const { client } = scriptedClient([gone]);
		expect((await apiErrorOf(act(client))).details.status).toBe(404);
	});

	it('not when what came before was a clear refusal', async () => {
		const { client } = scriptedClient([{ status: 429 }, gone]);
		expect((await apiErrorOf(act(client))).details.status).toBe(404);
	});
});

test.each(actions)('%s when the answer was lost and 404 follows', async (_, act, result) => {
	const { client, sent } = scriptedClient([lost, gone]);
	await expect(act(client)).resolves.toStrictEqual(result);
	expect(sent).toHaveLength(2);
});

test('a task that is deleted stays one that the gateway does not know: there 404 is no success', async () => {
	const { client } = scriptedClient([{ status: 502 }, gone]);
	expect((await apiErrorOf(deleteMediaTask(client, ID))).details.status).toBe(404);
});
