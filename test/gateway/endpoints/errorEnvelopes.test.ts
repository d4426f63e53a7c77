import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { fetchBalance } from '../../../nodes/shared/gateway/endpoints/balance';
import { listMediaModels, listTextModels } from '../../../nodes/shared/gateway/endpoints/models';
import { deleteFile, fetchFileRecord, listFiles } from '../../../nodes/shared/gateway/endpoints/storage';
import {
	createMediaSession,
	deleteMediaTask,
	fetchLyrics,
	restoreMediaTask,
	setArchived,
	createMediaTask,
	fetchMediaTask,
	listMediaTasks,
} from '../../../nodes/shared/gateway/endpoints/tasks';
import { uploadFile } from '../../../nodes/shared/gateway/endpoints/upload';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { textCall } from '../../../nodes/shared/gateway/text/textCall';
import type { Json } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';

// §7.1: the `code` of a media response is its status. Some gateways send errors with status 200.

type Action = (client: GatewayClient) => Promise<unknown>;

const create: Action = async (client) => await createMediaTask(client, { model: 'm' }, 'key');
const get: Action = async (client) => await fetchMediaTask(client, 't1');
const poll: Action = async (client) => await fetchMediaTask(client, 't1', 1_000);
const archive: Action = async (client) => await setArchived(client, 't1', true);
const session: Action = async (client) => await createMediaSession(client, {});

const ACTIONS: Array<[string, Action]> = [
	['creating a task', create],
	['getting a task', get],
	['polling a task', poll],
	['listing tasks', listMediaTasks],
	['archiving a task', archive],
	['deleting a task', async (client) => await deleteMediaTask(client, 't1')],
	['restoring a task', async (client) => await restoreMediaTask(client, 't1')],
	['getting lyrics', async (client) => await fetchLyrics(client, 't1', 'a1')],
	['creating a session', session],
];
const STATUSES = [400, 401, 402, 404, 409, 410, 418, 422, 429, 499, 500, 502, 503, 504, 599];

const envelope = (code: Json, data: Json = null): string => JSON.stringify({ code, msg: 'The reason', data });

/** What becomes of a request whose attempts all have this response. */
async function failed(act: Action, step: Step) {
	const { client, sent, pauses } = scriptedClient([step], { maxRetries: 1, rateLimitWaitMs: 5_000 });
	const { details } = await apiErrorOf(act(client));
	return { details, tries: sent.length, pauses };
}

describe.each(ACTIONS)('%s', (_, act) => {
	test.each(STATUSES)('fails with the code %d as with that status', async (status) => {
		const headers = { 'retry-after': '2' };
		const expected = await failed(act, { status, headers, body: envelope(status) });
		expect(expected.details.status).toBe(status);
		for (const [sent, code] of [
			[200, status],
			[201, String(status)],
		] as const)
			expect(await failed(act, { status: sent, headers, body: envelope(code) })).toStrictEqual(expected);
	});

	test.each<[Json, number]>([
		[{ message: 'The reason', code: 402 }, 402],
		[{ message: 'The reason', code: 'invalid_api_key' }, 401],
		['The reason', 400],
	])('fails with %j as with its status, that of its code, or 400', async (error, status) => {
		const body = JSON.stringify({ error });
		const expected = await failed(act, { status, body });
		expect(expected.details.description + expected.details.message).toContain('The reason');
		expect(await failed(act, { status: 200, body })).toStrictEqual(expected);
	});
});

describe('a response is no error', () => {
	test.each([400, 402, '422', 500, 501])('with a task ID, whatever its code: %j', async (code) => {
		for (const taskId of ['t1', 7]) {
			const step = { body: envelope(code, { taskId, state: 'fail' }) };
			const error = { code, message: 'no' };
			const body = JSON.stringify({ ...(JSON.parse(step.body) as object), error });
			for (const one of [step, { body }])
				await expect(create(scriptedClient([one]).client)).resolves.toMatchObject({ taskId: String(taskId) });
			const task = await get(scriptedClient([step]).client);
			expect(task).toMatchObject({ code, data: { taskId } });
		}
	});

	test.each([0, 200, 399, 600, 402.5, '', 'E402', null, true, [402]])('with the code %j', async (code) => {
		const body = envelope(code);
		await expect(session(scriptedClient([{ body }]).client)).resolves.toStrictEqual(JSON.parse(body));
	});

	it('outside of the media endpoints', async () => {
		const { client } = scriptedClient([{ body: '{"code":402,"id":"f1"}' }]);
		await expect(fetchFileRecord(client, 'f1')).resolves.toStrictEqual({ code: 402, id: 'f1' });
	});
});

test.each([{}, { taskId: '' }, { taskId: null }, [{ taskId: 't1' }]])(
	'%j is no task: the creation has failed',
	async (data) => {
		const { details } = await failed(create, { body: envelope(402, data) });
		expect(details).toMatchObject({ status: 402, outcome: 'rejected' });
	},
);

// report: a code of no money is no money, whatever the status says (§7.1), at each endpoint, and it is not sent again.
describe('no money', () => {
	const request = textCall(textFormat('chat'), { model: 'm' });
	const streamed = (onText?: () => void): Action => {
		const options = { format: textFormat('chat'), output: { kind: 'text' }, request } as const;
		return async (client) => await streamText(client, { ...options, ...(onText && { onText }) });
	};
	const open = async () => await Promise.resolve(Buffer.from('a'));
	const file = { open, size: 1, fileName: 'a.png', mimeType: 'image/png' };
	const ENDPOINTS: Array<[string, Action]> = [
		...ACTIONS,
		['a text', streamed()],
		['a streamed text', streamed(() => undefined)],
		['an upload', async (client) => await uploadFile(client, file, {})],
		['a file', async (client) => await fetchFileRecord(client, 'f1')],
		['deleting a file', async (client) => await deleteFile(client, 'f1')],
		['listing files', async (client) => await listFiles(client)],
		['the balance', fetchBalance],
		['the text models', listTextModels],
		['the media models', listMediaModels],
	];
	const error = { message: 'Top up', type: 'invalid_request_error', param: null, code: 'insufficient_quota' };

	test.each(ENDPOINTS)('%s: a status of success with the code insufficient_quota', async (_, act) => {
		for (const status of [200, 201, 429, 503]) {
			const { details, tries, pauses } = await failed(act, { status, body: JSON.stringify({ error }) });
			expect([status, tries, pauses]).toStrictEqual([status, 1, []]);
			expect(details).toMatchObject({
				message: 'There is not enough money in the gateway wallet',
				description: expect.stringContaining('Top up') as string,
				status: 402,
				code: 'insufficient_quota',
				outcome: 'rejected',
				retryable: false,
			});
			expect(details.isRateLimit).toBeUndefined();
		}
	});

	test.each(ACTIONS)('%s: a 429 or a 503 whose envelope has the code 402', async (_, act) => {
		for (const status of [429, 503, 200]) {
			const { details, tries, pauses } = await failed(act, { status, body: envelope(402) });
			expect([status, tries, pauses]).toStrictEqual([status, 1, []]);
			expect(details).toMatchObject({
				message: 'There is not enough money in the gateway wallet',
				status: 402,
				outcome: 'rejected',
				retryable: false,
			});
		}
	});

	test.each([
		['a wrong key', 'invalid_api_key', 401],
		['no plan', 'feature_not_available', 403],
		['the limit of the plan', 'limit_exceeded', 422],
	])('%s with the status 200 is that, at each endpoint', async (_, code, status) => {
		for (const [name, act] of ENDPOINTS) {
			const { details, tries } = await failed(act, { body: JSON.stringify({ error: { ...error, code } }) });
			expect([name, details.status, tries]).toStrictEqual([name, status, 1]);
		}
	});
});
