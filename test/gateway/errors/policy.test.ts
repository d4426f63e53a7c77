import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import type { RequestKind } from '../../../nodes/shared/gateway/errors/errors';
import { policyOf, statusOf } from '../../../nodes/shared/gateway/errors/policy';
import { chargeText, mayBeCharged } from '../../../nodes/shared/run/charge/words';
import errors from '../../fixtures/spec/errors.json';
import retryTable from '../../fixtures/spec/retry.json';
import { apiErrorOf, scriptedClient } from '../../helpers/client';

// What follows from an error response: each code (§7.3) under each status. The code says what happened; whether the request
// is sent again, whether another model may take the call, and whether it counts as free, the stricter of both.

const KINDS = {
	charge: { endpoint: 'chat', kind: 'charge', method: 'POST', path: '/chat/completions', json: {} },
	keyed: { endpoint: 'createTask', kind: 'keyed', method: 'POST', path: '/async/media/tasks', json: {} },
	poll: { endpoint: 'fetchTask', kind: 'poll', path: '/async/media/tasks/t' },
	read: { endpoint: 'fetchBalance', kind: 'read', path: '/balance' },
} satisfies Partial<Record<RequestKind, GatewayRequest>>;
type Kind = keyof typeof KINDS;

const STATUSES = [
	...[400, 401, 402, 403, 404, 408, 409, 410, 413, 422, 429, 451, 499],
	...[500, 501, 502, 503, 504, 520, 522, 524, 529, 598],
];

/** The words about money of a text, by how sure it is that it is free. */
const WORDS = [
	'This call was not charged.',
	'The gateway did not say whether it charged this call: check the balance.',
	'The call was not repeated, because it may have been charged: check the balance, then retry the execution if you need its response.',
];
const TASK_WORDS = [
	...WORDS.slice(0, 2),
	"The task may have been created and charged anyway. 'Retry On Fail' and a retry of the execution request the same task; a new execution creates another one, unless 'Idempotency Key' is set.",
];

interface Meaning {
	/** Whether a text, a creation or a read is sent again. */
	again: { charge: boolean; keyed: boolean };
	otherModel: boolean;
	/** The index of the words about a text, and about a task. */
	words: number;
	taskWords: number;
}

/** What an error means whose code and status agree. */
function meaningOf(status: number, isOfModel: boolean): Meaning {
	const isSilent = status === 408 || status > 429;
	const isTemporary = [429, 500, 502, 503, 504].includes(status);
	const isUnreached = [502, 503].includes(status);
	return {
		again: { charge: isTemporary && status !== 504, keyed: isTemporary },
		otherModel: status === 429 || isUnreached || (isOfModel && !isSilent && ![401, 402].includes(status)),
		words: isSilent && !isUnreached ? (status === 500 ? 1 : 2) : 0,
		taskWords: isSilent && !isUnreached ? 2 : 0,
	};
}

const OF_MODEL = ['model_not_found', 'context_length_exceeded', 'content_too_large', 'feature_not_available'];

/** What an error means whose code may say something else than its status. */
function stricter(code: string | undefined, status: number): Meaning {
	const isOfModel = code === undefined ? [403, 404, 422].includes(status) : OF_MODEL.includes(code);
	const meant = errors.openai.find((row) => row.code === code)?.status ?? status;
	const [a, b] = [meaningOf(meant, isOfModel), meaningOf(status, isOfModel)];
	const differ = meant !== status && Math.max(meant, status) >= 500;
	return {
		again: { charge: a.again.charge && b.again.charge, keyed: a.again.keyed && b.again.keyed },
		otherModel: a.otherModel && b.otherModel,
		words: Math.max(a.words, b.words, Number(differ)),
		taskWords: Math.max(a.taskWords, b.taskWords, Number(differ)),
	};
}

const CODES = [...errors.openai.map(({ code }) => code), 'acme_error', undefined];

describe.each(CODES)('the code %s', (code) => {
	it.each(STATUSES)('as a %d', async (status) => {
		const wanted = stricter(code, status);
		for (const kind of Object.keys(KINDS) as Kind[]) {
			const body = JSON.stringify({ error: { message: 'x', type: 'some_error', code } });
			// Its rate limit ends at once, so that each request that is sent again counts as one.
			const { client, sent } = scriptedClient([{ status, body }], { maxRetries: 2, rateLimitWaitMs: 0 });
			const error = await apiErrorOf(client.json(KINDS[kind]));
			const { details } = error;
			const isText = kind === 'charge';
			const isAgain = wanted.again[isText ? 'charge' : 'keyed'];
			const isSentAgain = isAgain && kind !== 'poll' && details.isRateLimit !== true;
			expect({ kind, sent: sent.length }).toStrictEqual({ kind, sent: isSentAgain ? 3 : 1 });
			expect({ kind, retryable: details.retryable }).toStrictEqual({
				kind,
				retryable: wanted.again.keyed,
			});
			expect({ kind, otherModel: details.otherModel ?? false }).toStrictEqual({
				kind,
				otherModel: wanted.otherModel,
			});
			// A poll and a read cost nothing.
			const costs = isText || kind === 'keyed';
			const level = isText ? wanted.words : wanted.taskWords;
			const words = (isText ? WORDS : TASK_WORDS)[level];
			expect({ kind, mayBeCharged: mayBeCharged(error), words: chargeText(details) }).toStrictEqual({
				kind,
				mayBeCharged: costs && level === 2,
				words: costs ? words : undefined,
			});
		}
	});
});

it('a status alone is retried as §7.6 says, and no other', () => {
	const statuses = Array.from({ length: 500 }, (_, index) => index + 100);
	const policy = (status: number) => policyOf({}, status, status);
	expect(statuses.filter((status) => policy(status).again)).toStrictEqual(retryTable.retry);
	expect(retryTable.final.filter((status) => policy(status).again)).toStrictEqual([]);
	expect(statuses.filter((status) => policy(status).otherModel)).toStrictEqual([429, 502, 503]);
});

it.each(errors.openai)(
	'the code $code has its status (§7.3), under any status below 400, too',
	({ code, status }) => {
		expect(statusOf(code)).toBe(status);
		expect(policyOf({ code }, status, 200)).toStrictEqual(policyOf({ code }, status, status));
	},
);
