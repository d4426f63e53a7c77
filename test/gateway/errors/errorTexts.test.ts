import { errorText, type EndpointGroup, type ErrorInfo } from '../../../nodes/shared/gateway/errors/texts';
import type { Origin } from '../../../nodes/shared/gateway/errors/texts/origin';
import spec from '../../fixtures/spec/errors.json';

const GROUPS: EndpointGroup[] = ['text', 'messages', 'media', 'storage', 'balance', 'catalogue', 'file'];
const ORIGINS: Origin[] = ['action', 'chatModel', 'trigger', 'editor'];
/** Statuses that have words of their own in every group. */
const STATUSES = [400, 401, 402, 403, 404, 413, 422, 429, 499, 500, 502, 503, 504];

const said = (signs: ErrorInfo) => {
	const { message, description } = errorText(signs);
	return `${message}. ${description}`;
};
/** The statuses that have words of their own in a group. */
const ownOf = (group: EndpointGroup, statuses: number[]) =>
	statuses.filter((status) => said({ group, status }) !== said({ group: 'balance', status }));

it('every error has a message and a hint, wherever the request comes from', () => {
	const signs = GROUPS.flatMap((group) => [
		...[...STATUSES, 409, 410, 418, 599].map((status) => ({ group, status })),
		...spec.openai.map(({ status, code }) => ({ group, status, code })),
		...spec.messages.map(({ status, type }) => ({ group, status, type })),
	]);
	const texts = signs.flatMap((sign) => ORIGINS.map((origin) => errorText({ ...sign, origin })));
	expect(texts.length).toBeGreaterThan(1_000);
	for (const text of texts) {
		expect(text).toStrictEqual({
			message: expect.stringMatching(/^\S.{10,}/) as string,
			description: expect.stringMatching(/^\S.{10,}/) as string,
		});
	}
});

it('the statuses differ from each other', () => {
	for (const group of GROUPS.filter((name) => name !== 'file')) {
		expect(new Set(STATUSES.map((status) => said({ group, status }))).size).toBe(STATUSES.length);
	}
});

it.each<[EndpointGroup, number[]]>([
	['text', [504]],
	['messages', [504]],
	['catalogue', []],
	['storage', [404, 413]],
	['media', [400, 403, 404, 409, 410, 422, 502, 503, 504]],
	['file', [401, 403, 404, 410, 429, 500, 502, 503, 504]],
])('%s has its own words for %j', (group, own) => {
	expect(ownOf(group, [...STATUSES, 409, 410].sort())).toStrictEqual(own);
});

it('a status that is not listed is told by its number', () => {
	expect(said({ group: 'text', status: 418 })).toMatch(/status 418/);
	expect(said({ group: 'text', status: 499 })).not.toMatch(/status/);
	expect(said({ group: 'text', status: 500 })).not.toMatch(/status/);
	expect(said({ group: 'text', status: 599 })).toMatch(/status 599/);
	// From 500 on, the cause lies within the gateway.
	const { description } = errorText({ group: 'text', status: 500 });
	expect(errorText({ group: 'text', status: 501 }).description).toBe(description);
	expect(errorText({ group: 'text', status: 498 }).description).not.toBe(description);
});

describe('the words of a code', () => {
	it.each(spec.openai.map(({ code, status }) => [code, status]))(
		'%s are the same in all groups, whatever the status',
		(code, status) => {
			const byCode = GROUPS.map((group) => said({ group, status, code }));
			const elsewhere = GROUPS.map((group) => said({ group, status: 418, code }));
			expect(elsewhere).toStrictEqual(byCode);
			const kinds =
				code === 'gateway_timeout'
					? new Set([byCode[0], byCode[2], byCode[4], byCode[6]])
					: new Set([byCode[0]]);
			expect(new Set(byCode)).toStrictEqual(kinds);
		},
	);

	it('come before those of a type', () => {
		const signs = { group: 'messages', status: 400, type: 'invalid_request_error' } as const;
		expect(said({ ...signs, code: 'model_not_found' })).toBe(
			said({ group: 'text', status: 404, code: 'model_not_found' }),
		);
		expect(said({ ...signs, code: 'not listed' })).toBe(said(signs));
	});

	it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])('are none for %j', (code) => {
		expect(said({ group: 'text', status: 400, code })).toBe(said({ group: 'text', status: 400 }));
		expect(said({ group: 'messages', status: 400, type: code })).toBe(said({ group: 'text', status: 400 }));
	});
});

describe('the words of a type', () => {
	const types = [...new Set(spec.messages.map(({ type }) => type))];

	it('differ from each other, and from those of the status', () => {
		const texts = types.map((type) => said({ group: 'messages', status: 418, type }));
		expect(new Set(texts).size).toBe(types.length);
		expect(texts).not.toContain(said({ group: 'messages', status: 418 }));
	});

	it.each([402, 504])('do not count with status %i, which says more', (status) => {
		for (const type of types) {
			expect(said({ group: 'messages', status, type })).toBe(said({ group: 'messages', status }));
		}
	});

	it('count in the messages format alone', () => {
		for (const group of GROUPS.filter((name) => name !== 'messages')) {
			expect(said({ group, status: 418, type: 'api_error' })).toBe(said({ group, status: 418 }));
		}
	});
});

describe('the hint by where a request comes from', () => {
	const hintsOf = (signs: Omit<ErrorInfo, 'origin'>) =>
		ORIGINS.map((origin) => errorText({ ...signs, origin }).description);

	it.each<[string, Omit<ErrorInfo, 'origin'>]>([
		['too many requests', { group: 'text', status: 429 }],
		['too many tokens', { group: 'text', status: 429, code: 'token_limit_exceeded' }],
	])('%s: differs everywhere', (_, signs) => {
		const hint = hintsOf(signs);
		expect(new Set(hint).size).toBe(ORIGINS.length);
		expect(hint.map((text) => /'Concurrency'|'Batch Size'/.exec(text)?.[0])).toStrictEqual([
			"'Concurrency'",
			"'Batch Size'",
			undefined,
			undefined,
		]);
	});

	it('a busy server of a file: names an option in action nodes alone', () => {
		const [action, ...others] = hintsOf({ group: 'file', status: 429 });
		expect(action).toContain("'Concurrency'");
		expect(new Set(others).size).toBe(1);
		expect(others[0]).not.toContain("'");
	});

	it('is that of an action node where nothing is said', () => {
		const signs = { group: 'text', status: 429 } as const;
		expect(errorText(signs)).toStrictEqual(errorText({ ...signs, origin: 'action' }));
	});

	it('is the same everywhere where it names no option', () => {
		expect(new Set(hintsOf({ group: 'text', status: 402 })).size).toBe(1);
	});
});
