import fc from 'fast-check';

import type { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { errorFromResponse } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { RequestKind } from '../../../nodes/shared/gateway/errors/errors';
import { PROBLEMS } from '../../../nodes/shared/gateway/errors/texts/problems';
import type { EndpointGroup } from '../../../nodes/shared/gateway/errors/texts';
import { toErrorJson, toNodeError } from '../../../nodes/shared/run/nodeError';
import { someNode } from '../../helpers/someNode';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import spec from '../../fixtures/spec/errors.json';

const KEY = 'sk-0a1b2c3d-1111-2222-3333-444455556666';

const KINDS: Readonly<Record<EndpointGroup, RequestKind>> = {
	text: 'charge',
	media: 'keyed',
	list: 'read',
	storage: 'create',
	balance: 'read',
	catalogue: 'read',
	file: 'file',
};

function errorOf(group: EndpointGroup, status: number, body: unknown, retryAfter?: string): ApiError {
	return errorFromResponse({
		group,
		kind: KINDS[group],
		status,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		retryAfter,
		now: 0,
		secrets: [KEY],
	});
}

const openai = (code: string, type: string) => ({
	error: { message: 'server words', type, param: null, code },
});
const envelope = (status: number) => ({ code: status, msg: 'server words', data: null });

/** All error responses of the specification. */
const allResponses: Array<[string, ApiError]> = [
	...spec.openai.map(({ status, code, type }): [string, ApiError] => [
		`text ${status} ${code}`,
		errorOf('text', status, openai(code, type)),
	]),
	...spec.messages.map(({ status, type }): [string, ApiError] => [
		`messages ${status} ${type}`,
		errorFromResponse({
			group: 'text',
			texts: textFormat('messages').texts,
			kind: 'charge',
			status,
			body: JSON.stringify({ type: 'error', error: { type, message: 'server words' } }),
			now: 0,
			secrets: [KEY],
		}),
	]),
	...spec.media.map((status): [string, ApiError] => [
		`media ${status}`,
		errorOf('media', status, envelope(status)),
	]),
	...spec.storage.map((status): [string, ApiError] => [
		`storage ${status}`,
		errorOf('storage', status, { error: { message: 'server words', type: 'invalid_request' } }),
	]),
];

describe('the error that a user sees', () => {
	test.each(allResponses)(
		'%s has a message, a hint and the server’s message, which n8n keeps',
		(_, error) => {
			const { details } = error;
			expect(details.message).toMatch(/^\S.{10,}/);
			expect(details.description).toMatch(/^\S.{20,}/);
			expect(`${details.message} ${details.description}`).toContain('server words');
			expect(details.message).not.toMatch(/with status/);
			// n8n replaces messages that name a system error.
			expect(toNodeError(someNode, error, 3)).toMatchObject({
				message: details.message,
				description: toErrorJson(error).description,
				httpCode: String(details.status),
				context: { itemIndex: 3 },
			});
		},
	);

	it('has a text for a status and code that the specification does not show', () => {
		expect(errorOf('text', 418, openai('teapot', 'teapot_error')).details).toMatchObject({
			message: 'The gateway refused the request with status 418',
			code: 'teapot',
		});
	});
});

describe('a response in none of the formats', () => {
	const bodies: Array<[string, string]> = [
		['an HTML page', '<html><body>502 Bad Gateway</body></html>'],
		['nothing', ''],
		['fields of the wrong type', '{"error": ["x"], "msg": {"a": 1}}'],
	];
	const withWords: Array<[string, string]> = [
		['the message of a load balancer', '{"message": "upstream request timeout"}'],
		['an error that is a text', '{"error": "upstream request timeout"}'],
	];
	test.each(bodies)('%s with status 502 is not the gateway’s', (_, body) => {
		expect(errorOf('text', 502, body).details).toStrictEqual({
			...PROBLEMS.proxy,
			kind: 'charge',
			status: 502,
			retryAfterMs: undefined,
		});
	});

	test.each(withWords)('%s with status 502 keeps its words', (_, body) => {
		expect(errorOf('media', 502, body).details).toMatchObject({
			message: PROBLEMS.proxy.message,
			description: `${PROBLEMS.proxy.description} It says: “upstream request timeout”.`,
			outcome: 'unknown',
		});
	});

	test.each([...bodies, ...withWords])('%s with a status below 500 says that nothing was done', (_, body) => {
		for (const status of [401, 413, 429]) {
			const { outcome, code, message } = errorOf('text', status, body).details;
			expect(outcome).toBe('rejected');
			expect(message).toBe(errorOf('text', status, '').details.message);
			expect([undefined, '502', 'unreadable_answer']).toContain(code);
		}
	});

	it('is an error for any status and any bytes', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...(Object.keys(KINDS) as EndpointGroup[])),
				fc.integer({ min: 100, max: 999 }),
				fc.oneof(
					fc.string({ unit: 'binary' }),
					fc.json(),
					fc.object().map((value) => JSON.stringify({ error: value })),
				),
				fc.option(fc.string(), { nil: undefined }),
				(group, status, body, retryAfter) => {
					const { details } = errorOf(group, status, body, retryAfter);
					expect(details.message).not.toBe('');
					expect(details.description).not.toBe('');
				},
			),
			{ numRuns: 1_000 },
		);
	});
});

describe('the message of an error', () => {
	const rejected = (group: EndpointGroup, status: number, body: unknown) => {
		const { message, description } = errorOf(group, status, body).details;
		return { message, description };
	};
	const request = 'The gateway did not accept the request. A parameter is missing';

	it.each<[string, object, string]>([
		['with the field', { message: 'input is required', param: 'input' }, 'input is required'],
		['without it', { message: 'Must be positive.', param: 'max_tokens' }, 'max_tokens: Must be positive'],
		['with a key', { message: `input: ${KEY} is no text`, param: 'input' }, 'input: [key] is no text'],
	])('is the gateway’s own words when it names a field: %s', (_, error, message) => {
		const body = { error: { type: 'invalid_request_error', code: 'invalid_request', ...error } };
		expect(rejected('text', 400, body)).toStrictEqual({
			message,
			description: expect.stringContaining(request) as string,
		});
	});

	it('has the beginning of long words, whose rest is in the description', () => {
		const words = `input: ${'x'.repeat(300)}`;
		const { message, description } = rejected('media', 422, { code: 422, msg: words, data: null });
		expect(message).toBe(`${words.slice(0, 160)}…`);
		expect(description).toContain(`The gateway says: “${words}”`);
	});

	it.each<[string, EndpointGroup, number, object]>([
		['no field', 'text', 400, { message: 'Bad body', code: 'invalid_request', param: null }],
		['a code of its own', 'text', 404, { message: 'No m', code: 'model_not_found', param: 'model' }],
		['a status that is no bad request', 'text', 402, { message: 'No money', code: null, param: 'model' }],
	])('is our own text with %s', (_, group, status, error) => {
		const body = { error: { type: 'invalid_request_error', ...error } };
		expect(rejected(group, status, body).message).toMatch(/gateway/);
	});
});
