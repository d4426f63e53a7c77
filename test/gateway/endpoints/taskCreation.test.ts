import { createMediaTask, taskBody } from '../../../nodes/shared/gateway/endpoints/tasks';
import { chargeText, outcomeFlags } from '../../../nodes/shared/run/charge/words';
import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import type { Json } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';
import { request } from '../../helpers/requests';

const body = taskBody({ model: 'm', input: { prompt: 'p' } });
const KEY = 'order-7';

const created = (data: Json): Step => ({
	status: 201,
	body: JSON.stringify({ code: 200, msg: 'success', data }),
});

describe('the body of a creation (§4.6)', () => {
	it('has the fields of the task request', () => {
		const taskRequest = { model: 'm', input: { n: null }, sessionId: 's', callbackUrl: 'https://c.test' };
		expect(taskBody(taskRequest)).toStrictEqual({
			model: 'm',
			input: { n: null },
			sessionId: 's',
			callBackUrl: 'https://c.test',
		});
	});
});

it('a creation is sent with its key and returns the task ID and the body', async () => {
	const { client, sent } = scriptedClient([created({ taskId: 't1' })]);
	await expect(createMediaTask(client, body, KEY)).resolves.toStrictEqual({
		taskId: 't1',
		body: { code: 200, msg: 'success', data: { taskId: 't1' } },
	});
	const headers = { 'Idempotency-Key': KEY };
	expect(sent).toStrictEqual([request('POST', '/async/media/tasks', { kind: 'keyed', json: body, headers })]);
});

// After which errors a keyed request is sent again: client/outcome.test.ts.
it('a creation is sent again with the same key and body; its task ID may be a number', async () => {
	const { client, sent } = scriptedClient(['lost', created({ taskId: 7 })]);
	expect((await createMediaTask(client, body, KEY)).taskId).toBe('7');
	expect(sent).toHaveLength(2);
	expect(sent[1]).toStrictEqual(sent[0]);
});

describe('a creation that fails', () => {
	/** The error of a creation, with as many tries as there are steps. */
	const creationError = async (steps: Step[]) => {
		const { client } = scriptedClient(steps, { maxRetries: steps.length - 1 });
		return (await apiErrorOf(createMediaTask(client, body, KEY))).details;
	};

	it.each<[string, Json]>([
		['no data', {}],
		['data that is null', { data: null }],
		['a list', { data: [{ taskId: 't1' }] }],
		['an empty task ID', { data: { taskId: '' } }],
		['a task ID that is null', { data: { taskId: null } }],
	])('may have created a task after a success with %s', async (_, received) => {
		const details = await creationError([{ status: 201, body: JSON.stringify(received) }]);
		expect(details).toMatchObject({
			message: expect.stringContaining('task ID') as string,
			code: 'unreadable_answer',
			retryable: false,
		});
		expect(outcomeFlags(details)).toStrictEqual({ retryable: false, mayBeCharged: true });
		expect(chargeText(details)).toContain('may have been created and charged');
	});

	it.each<[string, Step[], boolean]>([
		['a lost response, then no money', ['lost', { status: 402 }], true],
		['no generator, then no money', [{ status: 503 }, { status: 402 }], false],
	])('may have created a task after %s: %j', async (_, steps, mayBeCharged) => {
		const details = await creationError(steps);
		expect(outcomeFlags(details).mayBeCharged ?? false).toBe(mayBeCharged);
		expect(chargeText(details)).toContain(
			mayBeCharged ? 'may have been created and charged' : 'Nothing was charged.',
		);
	});

	it('has the error text for media, and the words of the gateway', async () => {
		const error = JSON.stringify({ code: 503, msg: 'Too busy', data: null });
		const { message, description } = await creationError([{ status: 503, body: error }]);
		expect(message).toBe(errorText({ group: 'media', status: 503 }).message);
		expect(description).toContain('Too busy');
	});
});
