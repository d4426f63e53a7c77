import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';

import type { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { errorFromResponse, unreadableResponse } from '../../../nodes/shared/gateway/errors/fromResponse';
import { parseErrorBody } from '../../../nodes/shared/gateway/errors/errorBody';
import { redact } from '../../../nodes/shared/gateway/errors/secrets';
import { CONNECTION_TEXTS } from '../../../nodes/shared/gateway/errors/texts/connection';
import type { EndpointGroup } from '../../../nodes/shared/gateway/errors/texts';
import { toNodeError } from '../../../nodes/shared/run/nodeError';
import spec from '../../fixtures/spec/errors.json';

const KEY = 'sk-0a1b2c3d-1111-2222-3333-444455556666';

function failure(group: EndpointGroup, status: number, body: unknown, retryAfter?: string): ApiError {
	return errorFromResponse({
		group,
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

/** All error answers that the specification shows, as answers of the gateway. */
const allAnswers: Array<[string, ApiError]> = [
	...spec.openai.map(({ status, code, type }): [string, ApiError] => [
		`text ${status} ${code}`,
		failure('text', status, openai(code, type)),
	]),
	...spec.messages.map(({ status, type }): [string, ApiError] => [
		`messages ${status} ${type}`,
		failure('messages', status, { type: 'error', error: { type, message: 'server words' } }),
	]),
	...spec.media.map((status): [string, ApiError] => [
		`media ${status}`,
		failure('media', status, envelope(status)),
	]),
	...spec.storage.map((status): [string, ApiError] => [
		`storage ${status}`,
		failure('storage', status, { error: { message: 'server words', type: 'invalid_request' } }),
	]),
];

describe('the four body formats (§7.1)', () => {
	it('reads the OpenAI-style format', () => {
		expect(
			parseErrorBody(JSON.stringify({ error: { message: 'm', type: 't', param: 'input', code: 'c' } })),
		).toStrictEqual({
			serverMessage: 'm',
			type: 't',
			param: 'input',
			code: 'c',
		});
	});
	it('reads the messages format', () => {
		expect(
			parseErrorBody(JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'm' } })),
		).toMatchObject({
			serverMessage: 'm',
			type: 'api_error',
		});
	});
	it('reads the media envelope', () => {
		expect(parseErrorBody(JSON.stringify({ code: 422, msg: 'm', data: null }))).toStrictEqual({
			serverMessage: 'm',
		});
	});
	it('reads the storage format', () => {
		expect(
			parseErrorBody(JSON.stringify({ error: { message: 'm', type: 'invalid_request' } })),
		).toMatchObject({
			serverMessage: 'm',
			type: 'invalid_request',
		});
	});
	it('knows an authentication failure by its code on a media endpoint too', () => {
		const { details } = failure('media', 401, openai('invalid_api_key', 'authentication_error'));
		expect(details.code).toBe('invalid_api_key');
		expect(details.message).toBe('The gateway refused the API key');
	});
});

describe('what a user reads', () => {
	test.each(allAnswers)('%s has a message, a next step and the server’s words', (_, { details }) => {
		expect(details.message).toMatch(/^\S.{10,}/);
		expect(details.description).toMatch(/^\S.{20,}/);
		expect(details.description).toContain('“server words”');
		expect(details.message).not.toMatch(/with status/);
	});

	test.each(allAnswers)(
		'%s keeps its message in n8n, which replaces messages that name a system error',
		(_, error) => {
			const node = {
				id: '1',
				name: 'N',
				type: 't',
				typeVersion: 1,
				position: [0, 0] as [number, number],
				parameters: {},
			};
			const nodeError = toNodeError(node, error, 3);
			expect(nodeError).toBeInstanceOf(NodeApiError);
			expect(nodeError.message).toBe(error.details.message);
			expect((nodeError as NodeApiError).description).toBe(error.details.description);
			expect((nodeError as NodeApiError).httpCode).toBe(String(error.details.status));
			expect((nodeError as NodeApiError).context.itemIndex).toBe(3);
		},
	);

	it('tells the codes of §7.3 apart', () => {
		const texts = spec.openai.map(
			({ status, code, type }) => failure('text', status, openai(code, type)).details,
		);
		const pairs = new Set(texts.map(({ message, description }) => message + description));
		expect(pairs.size).toBe(spec.openai.length);
	});

	it('has a text for a status and code that the specification does not show', () => {
		expect(failure('text', 418, openai('teapot', 'teapot_error')).details).toMatchObject({
			message: 'The gateway refused the request with status 418',
			code: 'teapot',
		});
	});

	it('does not take a code for what objects inherit', () => {
		expect(typeof failure('text', 400, openai('constructor', '__proto__')).details.message).toBe('string');
		expect(typeof failure('messages', 400, { error: { type: 'toString' } }).details.message).toBe('string');
	});

	it('never shows the key, nor anything like one', () => {
		const { details } = failure('text', 401, {
			error: { message: `Incorrect API key provided: ${KEY}, not sk-ffffffff-0000`, code: 'invalid_api_key' },
		});
		expect(details.description).not.toMatch(/sk-[0-9a-f]/);
		expect(details.description).toContain('[key]');
		expect(redact('key: plain-secret!', ['plain-secret!'])).toBe('key: [key]');
	});

	it('shortens what the server says', () => {
		const { details } = failure('text', 400, { error: { message: 'y'.repeat(5_000) } });
		expect(details.description.length).toBeLessThan(1_000);
	});
});

describe('whether a failure can be retried', () => {
	test.each(allAnswers)('%s', (_, { details }) => {
		expect(details.retryable).toBe([429, 500, 502, 503, 504].includes(details.status ?? 0));
	});
	it('reads Retry-After', () => expect(failure('text', 429, '', '3').details.retryAfterMs).toBe(3_000));
});

describe('answers that are none of the formats', () => {
	test.each([
		['an HTML page', '<html><body>502 Bad Gateway</body></html>'],
		['nothing', ''],
		['cut-off JSON', '{"error": {"mess'],
		['a number', '7'],
		['null', 'null'],
		['a list', '[1,2]'],
		['nested nonsense', '{"error": ["x"], "msg": {"a": 1}}'],
	])('%s with status 502 is told as a failing gateway', (_, body) => {
		expect(failure('text', 502, body).details).toMatchObject({
			message: 'The gateway could not reach the service behind it',
			retryable: true,
		});
	});

	it('tells a web page from the gateway: the base URL is wrong', () => {
		const { details } = unreadableResponse(
			{ status: 200, body: '\n<!DOCTYPE html><html>' },
			{ charged: true },
		);
		expect(details.message).toBe(CONNECTION_TEXTS.webPage.message);
		expect(details.retryable).toBe(false);
	});

	it('says that a charge may stand when the answer of a charged call cannot be read', () => {
		const { details } = unreadableResponse({ status: 200, body: '{"id": "x", "cho' }, { charged: true });
		expect(details).toMatchObject({ mayBeCharged: true, delivery: 'unknown' });
		expect(details.description).toMatch(/may have been charged/);
	});

	it.each([true, false])(
		'does not call a list broken (charged: %s): it is JSON, but no object',
		(charged) => {
			const { details } = unreadableResponse({ status: 200, body: '[1]' }, { charged });
			expect(details.description).toMatch(/^It is not a JSON object/);
		},
	);

	it('does not follow a redirect with the key, and says so', () => {
		expect(failure('text', 302, '').details).toMatchObject({
			message: CONNECTION_TEXTS.redirect.message,
			retryable: false,
		});
	});

	it('makes one failure of any status and any bytes', () => {
		fc.assert(
			fc.property(
				fc.constantFrom<EndpointGroup>(
					'text',
					'messages',
					'media',
					'storage',
					'balance',
					'catalogue',
					'file',
				),
				fc.integer({ min: 100, max: 999 }),
				fc.oneof(
					fc.string({ unit: 'binary' }),
					fc.json(),
					fc.object().map((value) => JSON.stringify({ error: value })),
				),
				fc.option(fc.string(), { nil: undefined }),
				(group, status, body, retryAfter) => {
					const { details } = failure(group, status, body, retryAfter);
					expect(details.message).not.toBe('');
					expect(details.description).not.toBe('');
				},
			),
			{ numRuns: 1_000 },
		);
	});
});
