import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import type { HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import {
	createMediaSession,
	deleteMediaTask,
	fetchLyrics,
	restoreMediaTask,
	setArchived,
} from '../../../nodes/shared/gateway/endpoints/taskActions';
import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { apiErrorOf, scriptedClient } from '../../helpers/client';
import { request } from '../../helpers/requests';

type Action = (client: GatewayClient, id: string) => Promise<unknown>;

const archive: Action = async (client, id) => await setArchived(client, id, true);
const unarchive: Action = async (client, id) => await setArchived(client, id, false);
const lyrics: Action = async (client, id) => await fetchLyrics(client, id, 'a1');
const session: Action = async (client) => await createMediaSession(client, { title: null });

const PATH = '/async/media/tasks/t%2F1';

describe.each<[string, Action, HttpRequest]>([
	['archiving', archive, request('PATCH', `${PATH}/archive`, { json: { archive: true } })],
	['unarchiving', unarchive, request('PATCH', `${PATH}/archive`, { json: { archive: false } })],
	['deleting', deleteMediaTask, request('DELETE', PATH)],
	['restoring', restoreMediaTask, request('POST', `${PATH}/restore`)],
	['getting lyrics', lyrics, request('POST', `${PATH}/lyrics/timestamped`, { json: { audioId: 'a1' } })],
])('%s', (_, act, expected) => {
	it('sends one request', async () => {
		const { client, sent } = scriptedClient([{ status: 204, body: '' }]);
		await act(client, 't/1');
		expect(sent).toStrictEqual([expected]);
	});

	it('is repeated when the response is lost', async () => {
		const { client, sent } = scriptedClient(['lost', { status: 204, body: '' }]);
		await act(client, 't/1');
		expect(sent).toStrictEqual([expected, expected]);
	});

	it('has the error text for an invalid task ID after 422', async () => {
		const { client } = scriptedClient([{ status: 422 }]);
		expect((await apiErrorOf(act(client, 'x'))).message).toContain('task ID');
	});

	it('has the error text for media after other statuses', async () => {
		const { client } = scriptedClient([{ status: 503 }], { maxRetries: 0 });
		expect((await apiErrorOf(act(client, 'x'))).message).toBe(
			errorText({ group: 'media', status: 503 }).message,
		);
	});
});

describe('the error text of an action', () => {
	test.each<[string, number, Action, string]>([
		['archiving', 404, archive, 'archived already'],
		['unarchiving', 404, unarchive, 'not archived'],
		['getting lyrics', 404, lyrics, 'lyrics'],
		['getting lyrics', 400, lyrics, 'lyrics'],
		['creating a session', 400, session, errorText({ group: 'media', status: 400 }).message],
		['deleting', 404, deleteMediaTask, errorText({ group: 'media', status: 404 }).message],
	])('depends on the action and the status: %s, %s', async (_, status, act, expectedText) => {
		const { client, sent } = scriptedClient([{ status, body: '{"msg":"the reason"}' }]);
		const { details } = await apiErrorOf(act(client, 't1'));
		expect(details.message).toContain(expectedText);
		expect(details.description).toContain('the reason');
		expect(details).toMatchObject({ status, retryable: false, outcome: 'rejected' });
		expect(sent).toHaveLength(1);
	});
});

test('the lyrics are the body as received', async () => {
	const body = { code: 200, msg: 'success', data: { alignedWords: [{ word: 'a', palign: null }] } };
	const { client } = scriptedClient([{ body: JSON.stringify(body) }]);
	await expect(fetchLyrics(client, 't1', 'a1')).resolves.toStrictEqual(body);
});

describe('creating a session', () => {
	it('sends the fields as they are and returns the body as received', async () => {
		const fields = { title: 'x', config: { seed: null } };
		const { client, sent } = scriptedClient([{ status: 201, body: '{"data":{"id":"s1"}}' }]);
		await expect(createMediaSession(client, fields)).resolves.toStrictEqual({ data: { id: 's1' } });
		expect(sent).toStrictEqual([request('POST', '/media/sessions', { kind: 'create', json: fields })]);
	});

	it('is not repeated when the response is lost: there would be two', async () => {
		const { client, sent } = scriptedClient(['lost']);
		expect((await apiErrorOf(createMediaSession(client, {}))).details.outcome).toBe('unknown');
		expect(sent).toHaveLength(1);
	});
});
