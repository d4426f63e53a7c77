import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import type { HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import { deleteFile, fetchFileRecord } from '../../../nodes/shared/gateway/endpoints/storage';
import {
	createMediaSession,
	deleteMediaTask,
	fetchLyrics,
	restoreMediaTask,
	setArchived,
} from '../../../nodes/shared/gateway/endpoints/taskActions';
import { fetchMediaTask } from '../../../nodes/shared/gateway/endpoints/tasks';
import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';
import { request } from '../../helpers/requests';

type Action = (client: GatewayClient, id: string) => Promise<unknown>;

const archive: Action = async (client, id) => await setArchived(client, id, true);
const unarchive: Action = async (client, id) => await setArchived(client, id, false);
const lyrics: Action = async (client, id) => await fetchLyrics(client, id, 'a1');
const session: Action = async (client) => await createMediaSession(client, { title: null });

const PATH = '/async/media/tasks/t%2F1';
const notFound: Step = { status: 404 };

it.each<[string, Action, HttpRequest]>([
	['archiving', archive, request('PATCH', `${PATH}/archive`, { json: { archive: true } })],
	['unarchiving', unarchive, request('PATCH', `${PATH}/archive`, { json: { archive: false } })],
	['deleting', deleteMediaTask, request('DELETE', PATH)],
	['restoring', restoreMediaTask, request('POST', `${PATH}/restore`)],
	['getting lyrics', lyrics, request('POST', `${PATH}/lyrics/timestamped`, { json: { audioId: 'a1' } })],
	[
		'creating a session',
		session,
		request('POST', '/media/sessions', { kind: 'create', json: { title: null } }),
	],
])('%s sends one request', async (_, act, expected) => {
	const { client, sent } = scriptedClient([{ body: '{"data":{"alignedWords":[]}}' }]);
	await act(client, 't/1');
	expect(sent).toStrictEqual([expected]);
});

it.each(['', '.', '..', '%2e%2e', 'a/..', '../a', 'a//b', '/a', 'a/', 'a/./b', '..\\a', '%2e%2e%2fa'])(
	'the ID %j is rejected by each request',
	async (id) => {
		const { client, sent } = scriptedClient([]);
		const requests: Action[] = [
			archive,
			deleteMediaTask,
			restoreMediaTask,
			lyrics,
			fetchMediaTask,
			deleteFile,
			fetchFileRecord,
		];
		for (const act of requests)
			await expect(act(client, id)).rejects.toMatchObject({ name: 'InvalidInputError' });
		expect(sent).toStrictEqual([]);
	},
);

const ofMedia = (status: number) => errorText({ group: 'media', status }).message;

it.each<[string, number, Action, string]>([
	['archiving', 404, archive, 'archived already'],
	['archiving', 422, archive, 'task ID'],
	['unarchiving', 404, unarchive, 'not archived'],
	['deleting', 422, deleteMediaTask, 'task ID'],
	['deleting', 404, deleteMediaTask, ofMedia(404)],
	['restoring', 422, restoreMediaTask, 'task ID'],
	['getting lyrics', 404, lyrics, 'lyrics'],
	['getting lyrics', 400, lyrics, 'lyrics'],
	['getting lyrics', 422, lyrics, 'task ID'],
	['creating a session', 400, session, ofMedia(400)],
])('the error text depends on the action and the status: %s, %s', async (_, status, act, expectedText) => {
	const { client, sent } = scriptedClient([{ status, body: '{"msg":"the reason"}' }]);
	const { details } = await apiErrorOf(act(client, 't1'));
	expect(details.message).toContain(expectedText);
	expect(details.description).toContain('the reason');
	expect(details).toMatchObject({ status, retryable: false, outcome: 'rejected' });
	expect(sent).toHaveLength(1);
});

// A request that may have had its effect has had it when the next try says that there is nothing to do (§3.2, §4.16).
describe.each<[string, Action, unknown]>([
	['deleting a file', deleteFile, { success: true }],
	['archiving a task', archive, undefined],
])('%s', (_, act, result) => {
	it.each<[string, Step]>([
		['a lost response', 'lost'],
		['500', { status: 500 }],
		['a 502 of a proxy', { status: 502, body: '<html>' }],
	])('succeeds when 404 follows %s', async (__, first) => {
		const { client, sent } = scriptedClient([first, notFound]);
		await expect(act(client, 'f1')).resolves.toStrictEqual(result);
		expect(sent).toHaveLength(2);
	});

	it.each<[string, Step[]]>([
		['comes first', []],
		['follows 503', [{ status: 503 }]],
		['follows a refused connection', ['refused']],
	])('fails when 404 %s', async (__, before) => {
		const { client } = scriptedClient([...before, notFound]);
		expect((await apiErrorOf(act(client, 'f1'))).details).toMatchObject({ status: 404, outcome: 'rejected' });
	});
});

it('deleting a task fails with 404 after an unknown outcome: a repeat changes nothing (§4.10)', async () => {
	const { client } = scriptedClient([{ status: 500 }, notFound]);
	expect((await apiErrorOf(deleteMediaTask(client, 't1'))).details.status).toBe(404);
});
