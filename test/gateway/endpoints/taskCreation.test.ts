import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import type { Json } from '../../../nodes/shared/gateway/util/json';
import { createMediaTask, taskBody } from '../../../nodes/shared/gateway/endpoints/tasks';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';
import { request } from '../../helpers/requests';

const body = taskBody({ model: 'm', input: { prompt: 'p' } });
const KEY = 'order-7';

const created = (data: Json): Step => ({
	status: 201,
	body: JSON.stringify({ code: 200, msg: 'success', data }),
});
const connection = (kind: 'lost' | 'timeout' | 'refused') => connectionError({ kind }, { charged: false });

/** The error of a creation, with as many tries as there are steps. */
const creationError = async (steps: Step[]) => {
	const { client } = scriptedClient(steps, { maxRetries: steps.length - 1 });
	return (await apiErrorOf(createMediaTask(client, body, KEY))).details;
};

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

	it.each([{}, { sessionId: '', callbackUrl: '' }, { sessionId: undefined, callbackUrl: undefined }])(
		'leaves out fields that are not set: %j',
		(more) => {
			expect(taskBody({ model: 'm', input: {}, ...more })).toStrictEqual({ model: 'm', input: {} });
		},
	);
});

describe('a creation', () => {
	it('is sent with its key and returns the task ID and the body', async () => {
		const { client, sent } = scriptedClient([created({ taskId: 't1' })]);
		await expect(createMediaTask(client, body, KEY)).resolves.toStrictEqual({
			taskId: 't1',
			body: { code: 200, msg: 'success', data: { taskId: 't1' } },
		});
		expect(sent).toStrictEqual([
			request('POST', '/async/media/tasks', { json: body, headers: { 'Idempotency-Key': KEY } }),
		]);
	});

	it('accepts a number as a task ID', async () => {
		const { client } = scriptedClient([created({ taskId: 7 })]);
		expect((await createMediaTask(client, body, KEY)).taskId).toBe('7');
	});

	it.each<[string, Step]>([
		['a lost response', connection('lost')],
		['a timeout', connection('timeout')],
		['a refused connection', connection('refused')],
		['a gateway timeout', { status: 504 }],
		['no available generator', { status: 503 }],
		['a bad gateway of a proxy', { status: 502, body: '<html>' }],
		['a rate limit', { status: 429 }],
		['an empty success', { status: 201, body: '' }],
	])('is sent again with the same key and body after %s', async (_, first) => {
		const { client, sent } = scriptedClient([first, created({ taskId: 't1' })]);
		expect((await createMediaTask(client, body, KEY)).taskId).toBe('t1');
		expect(sent).toHaveLength(2);
		expect(sent[1]).toStrictEqual(sent[0]);
	});

	it('ends when the run ends', async () => {
		const { client } = scriptedClient([{ status: 503 }], {}, { stopAt: 0 });
		await expect(createMediaTask(client, body, KEY)).rejects.toBeInstanceOf(StoppedError);
	});

	it('throws errors that are not the gateway’s unchanged', async () => {
		const error = new Error('a defect');
		const { client } = scriptedClient([error]);
		expect(await rejection(createMediaTask(client, body, KEY))).toBe(error);
	});
});

describe('a creation that fails', () => {
	it.each<[string, Step[]]>([
		['a lost response', [connection('lost')]],
		['a timeout', [connection('timeout')]],
		['500', [{ status: 500 }]],
		['504', [{ status: 504 }]],
		['a timeout of a proxy before the gateway', [{ status: 524 }]],
		['502 of a proxy', [{ status: 502, body: '<html>' }]],
		['503 without a body', [{ status: 503, body: '' }]],
		['502 of a proxy, then no available generator', [{ status: 502, body: '<html>' }, { status: 503 }]],
		['an empty success', [{ status: 201, body: '' }]],
		['a web page', [{ status: 200, body: '<html></html>' }]],
		['a success without data', [{ status: 201, body: '{"code":200}' }]],
		['a success with data that is null', [created(null)]],
		['a success with a list', [created([{ taskId: 't1' }])]],
		['a success with an empty task ID', [created({ taskId: '' })]],
		['a success with a task ID that is null', [created({ taskId: null })]],
		['a lost response, then no money', [connection('lost'), { status: 402 }]],
		['a lost response, then a rate limit', [connection('lost'), { status: 429 }]],
		['504, then no available generator', [{ status: 504 }, { status: 503 }, { status: 503 }]],
		['500, then a wrong key', [{ status: 500 }, { status: 401 }]],
		['an empty success, then a refused connection', [{ body: '' }, connection('refused')]],
	])('may have created a task after %s, and may be repeated', async (_, steps) => {
		const details = await creationError(steps);
		expect(details.mayBeCharged).toBe(true);
		expect(details.idempotent).toBe(true);
		expect(details.description).toContain('Idempotency Scope');
	});

	it.each<[string, Step[]]>([
		...[400, 401, 402, 403, 409, 422, 429, 502, 503].map((status): [string, Step[]] => [
			String(status),
			[{ status }],
		]),
		['a refused connection', [connection('refused')]],
		['no available generator, again and again', [{ status: 503 }, { status: 503 }, { status: 503 }]],
		['no working generator, then no money', [{ status: 502 }, { status: 402 }]],
		['a refused connection, then a wrong key', [connection('refused'), { status: 401 }]],
		['rate limits', [{ status: 429 }, { status: 429 }]],
	])('has created no task after %s', async (_, steps) => {
		const details = await creationError(steps);
		expect(details.mayBeCharged ?? false).toBe(false);
		expect(details.idempotent).toBeUndefined();
		expect(details.description).not.toContain('Idempotency Scope');
	});

	it('has the error text for media', async () => {
		const { message } = errorText({ group: 'media', status: 503 });
		expect((await creationError([{ status: 503 }])).message).toBe(message);
	});

	it('keeps the details of the error', async () => {
		const error = JSON.stringify({ code: 504, msg: 'Too slow', data: null });
		const details = await creationError([{ status: 504, body: error }]);
		expect(details).toMatchObject({ status: 504, retryable: true, outcome: 'rejected' });
		expect(details.description).toContain('Too slow');
	});

	it('has a code of its own where a success has no task', async () => {
		expect(await creationError([created(null)])).toMatchObject({
			message: expect.stringContaining('task ID') as string,
			code: 'unreadable_answer',
			outcome: 'rejected',
			retryable: false,
		});
	});
});
