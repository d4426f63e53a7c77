import { errorText, type EndpointGroup, type ErrorInfo } from '../../../nodes/shared/gateway/errors/texts';
import type { Origin } from '../../../nodes/shared/gateway/errors/texts/origin';
import spec from '../../fixtures/spec/errors.json';

const GROUPS: EndpointGroup[] = ['text', 'messages', 'media', 'storage', 'balance', 'catalogue', 'file'];
const ORIGINS: Origin[] = ['action', 'chatModel', 'trigger', 'editor'];
/** Statuses that have their own text in every group. */
const STATUSES = [400, 401, 402, 403, 404, 413, 422, 429, 499, 500, 502, 503, 504];

const textOf = (errorInfo: ErrorInfo) => {
	const { message, description } = errorText(errorInfo);
	return `${message}. ${description}`;
};
/** The statuses that have their own text in a group. */
const ownOf = (group: EndpointGroup, statuses: number[]) =>
	statuses.filter((status) => textOf({ group, status }) !== textOf({ group: 'balance', status }));

it('every error has a message and a hint, for each origin', () => {
	const errorInfo = GROUPS.flatMap((group) => [
		...[...STATUSES, 409, 410, 418, 599].map((status) => ({ group, status })),
		...spec.openai.map(({ status, code }) => ({ group, status, code })),
		...spec.messages.map(({ status, type }) => ({ group, status, type })),
	]);
	const texts = errorInfo.flatMap((info) => ORIGINS.map((origin) => errorText({ ...info, origin })));
	expect(texts.length).toBeGreaterThan(1_000);
	for (const text of texts) {
		expect(text).toStrictEqual({
			message: expect.stringMatching(/^\S.{10,}/) as string,
			description: expect.stringMatching(/^\S.{10,}/) as string,
		});
	}
});

it('each status has another text', () => {
	for (const group of GROUPS.filter((name) => name !== 'file')) {
		expect(new Set(STATUSES.map((status) => textOf({ group, status }))).size).toBe(STATUSES.length);
	}
});

it.each<[EndpointGroup, number[]]>([
	['text', [504]],
	['messages', [504]],
	['catalogue', []],
	['storage', [404, 413]],
	['media', [400, 403, 404, 409, 410, 422, 502, 503, 504]],
	['file', [401, 403, 404, 410, 429, 500, 502, 503, 504]],
])('%s has its own texts for %j', (group, own) => {
	expect(ownOf(group, [...STATUSES, 409, 410].sort())).toStrictEqual(own);
});

it('a status that is not listed is named by its number', () => {
	expect(textOf({ group: 'text', status: 418 })).toMatch(/status 418/);
	expect(textOf({ group: 'text', status: 499 })).not.toMatch(/status/);
	expect(textOf({ group: 'text', status: 500 })).not.toMatch(/status/);
	expect(textOf({ group: 'text', status: 599 })).toMatch(/status 599/);
	// From 500 on, the cause is the gateway.
	const { description } = errorText({ group: 'text', status: 500 });
	expect(errorText({ group: 'text', status: 501 }).description).toBe(description);
	expect(errorText({ group: 'text', status: 498 }).description).not.toBe(description);
});

describe('the text of a code', () => {
	it.each(spec.openai.map(({ code, status }) => [code, status]))(
		'%s is the same in all groups, whatever the status',
		(code, status) => {
			const byCode = GROUPS.map((group) => textOf({ group, status, code }));
			const elsewhere = GROUPS.map((group) => textOf({ group, status: 418, code }));
			expect(elsewhere).toStrictEqual(byCode);
			const kinds =
				code === 'gateway_timeout'
					? new Set([byCode[0], byCode[2], byCode[4], byCode[6]])
					: new Set([byCode[0]]);
			expect(new Set(byCode)).toStrictEqual(kinds);
		},
	);

	it('is used before that of a type', () => {
		const errorInfo = { group: 'messages', status: 400, type: 'invalid_request_error' } as const;
		expect(textOf({ ...errorInfo, code: 'model_not_found' })).toBe(
			textOf({ group: 'text', status: 404, code: 'model_not_found' }),
		);
		expect(textOf({ ...errorInfo, code: 'not listed' })).toBe(textOf(errorInfo));
	});

	it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])('does not exist for %j', (code) => {
		expect(textOf({ group: 'text', status: 400, code })).toBe(textOf({ group: 'text', status: 400 }));
		expect(textOf({ group: 'messages', status: 400, type: code })).toBe(
			textOf({ group: 'text', status: 400 }),
		);
	});
});

describe('the text of a type', () => {
	const types = [...new Set(spec.messages.map(({ type }) => type))];

	it('is another one for each type and for the status', () => {
		const texts = types.map((type) => textOf({ group: 'messages', status: 418, type }));
		expect(new Set(texts).size).toBe(types.length);
		expect(texts).not.toContain(textOf({ group: 'messages', status: 418 }));
	});

	it.each([402, 504])('is not used with status %i, which is more specific', (status) => {
		for (const type of types) {
			expect(textOf({ group: 'messages', status, type })).toBe(textOf({ group: 'messages', status }));
		}
	});

	it('is used only in the messages format', () => {
		for (const group of GROUPS.filter((name) => name !== 'messages')) {
			expect(textOf({ group, status: 418, type: 'api_error' })).toBe(textOf({ group, status: 418 }));
		}
	});
});

describe('the hint for an origin', () => {
	const hintsOf = (errorInfo: Omit<ErrorInfo, 'origin'>) =>
		ORIGINS.map((origin) => errorText({ ...errorInfo, origin }).description);

	it.each<[string, Omit<ErrorInfo, 'origin'>]>([
		['too many requests', { group: 'text', status: 429 }],
		['too many tokens', { group: 'text', status: 429, code: 'token_limit_exceeded' }],
	])('%s: is another one for each origin', (_, errorInfo) => {
		const hint = hintsOf(errorInfo);
		expect(new Set(hint).size).toBe(ORIGINS.length);
		expect(hint.map((text) => /'Rate Limit Wait|'Batch Size'/.exec(text)?.[0])).toStrictEqual([
			"'Rate Limit Wait",
			"'Batch Size'",
			undefined,
			undefined,
		]);
	});

	it('names an option only in action nodes: a busy server of a file', () => {
		const [action, ...others] = hintsOf({ group: 'file', status: 429 });
		expect(action).toContain("'Concurrency'");
		expect(new Set(others).size).toBe(1);
		expect(others[0]).not.toContain("'");
	});

	it('is that of an action node without an origin', () => {
		const errorInfo = { group: 'text', status: 429 } as const;
		expect(errorText(errorInfo)).toStrictEqual(errorText({ ...errorInfo, origin: 'action' }));
	});

	it('is the same for each origin where it names no option', () => {
		expect(new Set(hintsOf({ group: 'text', status: 402 })).size).toBe(1);
	});
});
