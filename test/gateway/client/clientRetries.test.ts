import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { createMediaTask } from '../../../nodes/shared/gateway/endpoints/tasks';
import type { GatewayClient, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const chat: GatewayRequest = {
	group: 'text',
	kind: 'charge',
	method: 'POST',
	path: '/chat/completions',
	json: { model: 'm' },
};
const broken = (kind: 'lost' | 'timeout' | 'refused', charged = false) =>
	connectionError({ kind }, { charged });

/** The error of a request, and how often it was sent. */
async function errorOf(request: GatewayRequest, steps: Step[], maxRetries = 3) {
	const { client, sent, pauses } = scriptedClient(steps, { maxRetries });
	const error: ApiError = await apiErrorOf(client.json(request));
	return { details: error.details, tries: sent.length, pauses };
}

describe('a charged request', () => {
	it.each(['lost', 'timeout'] as const)(
		'whose response is lost (%s) is not repeated: it may be charged',
		async (kind) => {
			const error = broken(kind, true);
			const { details, tries, pauses } = await errorOf(chat, [error, {}]);
			expect(details).toStrictEqual(error.details);
			expect(details).toMatchObject({ mayBeCharged: true, outcome: 'unknown', retryable: true });
			expect([tries, pauses]).toStrictEqual([1, []]);
		},
	);

	it('that did not reach the gateway is repeated, and not charged', async () => {
		const { details, tries } = await errorOf(chat, [broken('refused', true)]);
		expect(details).toMatchObject({ mayBeCharged: false, outcome: 'notSent' });
		expect(tries).toBe(4);
	});

	it('ends when its response is lost after an error response', async () => {
		const { details, tries } = await errorOf(chat, [{ status: 503 }, broken('lost', true), {}]);
		expect(details).toMatchObject({ mayBeCharged: true, mayHaveTakenEffect: true });
		expect(tries).toBe(2);
	});

	it.each([500, 502, 503, 504])(
		'is not repeated after a %i that is not the gateway’s: it may be charged',
		async (status) => {
			for (const body of ['', '<html><h1>Bad Gateway</h1></html>']) {
				const { details, tries } = await errorOf(chat, [{ status, body }, {}]);
				expect(details).toMatchObject({ status, outcome: 'unknown', mayBeCharged: true });
				expect(tries).toBe(1);
				const { client, sent } = scriptedClient([{ status, body }]);
				const streamed = await apiErrorOf(client.stream(chat, async () => await Promise.resolve()));
				expect([streamed.details.mayBeCharged, sent.length]).toStrictEqual([true, 1]);
			}
		},
	);

	it.each([500, 502, 503])('is repeated after a %i of the gateway itself', async (status) => {
		const { details, tries } = await errorOf(chat, [{ status }]);
		expect(details).toMatchObject({ status, outcome: 'rejected' });
		expect([details.mayBeCharged, tries]).toStrictEqual([undefined, 4]);
	});

	it.each<[string, (client: GatewayClient) => Promise<unknown>]>([
		['whole', async (client) => await client.json(chat)],
		['streamed', async (client) => await client.stream(chat, async () => await Promise.resolve())],
	])('is not repeated after a 504 of the gateway itself: it may be charged (%s)', async (_, send) => {
		const { client, sent } = scriptedClient([{ status: 504 }, {}]);
		const { details } = await apiErrorOf(send(client));
		expect(details).toMatchObject({ status: 504, outcome: 'unknown', mayBeCharged: true });
		expect(sent).toHaveLength(1);
	});

	it.each([
		['an empty body', ''],
		['a cut-off body', '{"choices": ['],
		['a web page', '<html>'],
	])('with the response %s may be charged, and is not repeated', async (_, body) => {
		const { details, tries } = await errorOf(chat, [{ body }, {}]);
		expect(details).toMatchObject({ code: 'unreadable_answer', mayBeCharged: true });
		expect(tries).toBe(1);
	});
});

describe('the creation of a task with a 504 response', () => {
	const create = (steps: Step[]) => {
		const { client, sent } = scriptedClient(steps);
		const creation = createMediaTask(client, { model: 'm', input: {} }, 'key-1');
		return { creation, sent };
	};
	const keys = (sent: Array<{ headers: Record<string, string> }>) =>
		sent.map(({ headers }) => headers['Idempotency-Key']);

	it('is repeated with its key', async () => {
		const { creation, sent } = create([{ status: 504 }, { body: '{"code":200,"data":{"taskId":"t"}}' }]);
		expect(await creation).toMatchObject({ taskId: 't' });
		expect(keys(sent)).toStrictEqual(['key-1', 'key-1']);
	});

	it('may exist when the retries are used up', async () => {
		const { creation, sent } = create([{ status: 504 }]);
		const { details } = await apiErrorOf(creation);
		expect(details).toMatchObject({
			status: 504,
			mayBeCharged: true,
			idempotent: true,
			mayHaveTakenEffect: true,
		});
		expect(details.description).toMatch(/may have been created/);
		expect(keys(sent)).toStrictEqual(['key-1', 'key-1', 'key-1', 'key-1']);
	});

	it('may exist although a later try is rejected', async () => {
		const { creation, sent } = create([{ status: 504 }, { status: 402 }]);
		expect((await apiErrorOf(creation)).details).toMatchObject({ status: 402, mayBeCharged: true });
		expect(keys(sent)).toHaveLength(2);
	});
});

describe('mayHaveTakenEffect', () => {
	it.each<[string, Step[], true | undefined]>([
		['there was none', [{ status: 404 }], undefined],
		['a response was lost', [broken('lost'), { status: 404 }], true],
		['a timeout passed', [broken('timeout'), { status: 404 }], true],
		['the gateway failed', [{ status: 500 }, { status: 404 }], true],
		['it was too busy', [{ status: 429 }, { status: 404 }], undefined],
		['it was not reached', [broken('refused'), { status: 404 }], undefined],
		['it was too busy after it had failed', [{ status: 500 }, { status: 429 }, { status: 404 }], true],
		['its response cannot be read', [{ body: '' }, { status: 404 }], true],
	])(
		'is set by an earlier try only where it may have succeeded: %s',
		async (_, steps, mayHaveTakenEffect) => {
			const { details, tries } = await errorOf(get, steps);
			expect(details.mayHaveTakenEffect).toBe(mayHaveTakenEffect);
			expect([details.status, tries]).toStrictEqual([404, steps.length]);
		},
	);
});

describe('retries', () => {
	it.each<[string, Partial<GatewayRequest>, Step, number]>([
		['GET', {}, broken('lost'), 4],
		['DELETE', { method: 'DELETE' }, broken('lost'), 4],
		['POST', { method: 'POST' }, broken('lost'), 1],
		['PATCH', { method: 'PATCH' }, broken('lost'), 1],
		['a POST that may be repeated', { method: 'POST', idempotent: true }, broken('lost'), 4],
		['a GET that may not be repeated', { idempotent: false }, broken('lost'), 1],
		['a request with fewer retries', { maxRetries: 1 }, { status: 503 }, 2],
		['a GET after a proxy’s error', {}, { status: 502, body: '<html>' }, 4],
		['a GET after the gateway’s time limit', {}, { status: 504 }, 4],
		['a request without retries', { maxRetries: 0 }, { status: 503 }, 1],
		['a request with more retries', { maxRetries: 5 }, { status: 503 }, 6],
	])('are as many as allowed: %s', async (_, traits, step, tries) => {
		expect((await errorOf({ ...get, ...traits }, [step])).tries).toBe(tries);
		const { client, sent } = scriptedClient([step]);
		await apiErrorOf(client.stream({ ...get, ...traits }, () => Promise.resolve()));
		expect(sent).toHaveLength(tries);
	});

	it('of a download are limited by Max Retries', async () => {
		const { client, sent } = scriptedClient([broken('lost')], { maxRetries: 2 });
		await apiErrorOf(client.downloadUrl('https://files.test/a', () => Promise.resolve()));
		expect(sent).toHaveLength(3);
	});

	it('are not made after an error that is not the gateway’s', async () => {
		const bug = new TypeError('a bug');
		const { client, sent, pauses } = scriptedClient([bug, {}]);
		expect(await rejection(client.json(get))).toBe(bug);
		expect([sent.length, pauses]).toStrictEqual([1, []]);
	});

	it('have growing pauses with jitter', async () => {
		const { client, pauses } = scriptedClient([{ status: 503 }], {}, { random: () => 0.1 });
		await apiErrorOf(client.json(get));
		expect(pauses).toStrictEqual([100, 200, 400]);
	});
});

describe('the note on tries', () => {
	const notes = async (steps: Step[], maxRetries: number) => {
		const { details, pauses } = await errorOf(get, steps, maxRetries);
		const alone = await errorOf(get, steps.slice(-1), 0);
		const [own = ''] = alone.details.description.split(' The gateway asks');
		return { notes: details.description.replace(own, ''), pauses };
	};
	const busy = (seconds: number): Step => ({ status: 503, headers: { 'retry-after': String(seconds) } });

	it.each<[string, Step[], number, string]>([
		['after one try', [{ status: 503 }], 0, ''],
		['after two tries', [{ status: 503 }], 1, ' It was tried 2 times.'],
		['after a pause that is not too long', [busy(300)], 0, ''],
		[
			'after a pause that is too long',
			[busy(330)],
			3,
			' The gateway asks to wait 5.5 minutes before the next try.',
		],
		[
			'after a try and a pause that is too long',
			[{ status: 503 }, busy(3_600)],
			3,
			' It was tried 2 times. The gateway asks to wait 60 minutes before the next try.',
		],
	])('%s', async (_, steps, maxRetries, expected) => {
		expect((await notes(steps, maxRetries)).notes).toBe(expected);
	});

	it('is not needed for the longest allowed pause', async () => {
		const { client, pauses } = scriptedClient([busy(300), { body: '{"a":1}' }]);
		expect(await client.json(get)).toStrictEqual({ a: 1 });
		expect(pauses).toStrictEqual([300_500]);
	});

	it('is not added to an error of a single try', async () => {
		const error = broken('lost', true);
		const { client } = scriptedClient([error]);
		expect(await rejection(client.json(chat))).toBe(error);
	});
});
