import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';

import {
	statusInBody,
	parseErrorBody,
	errorFromResponse,
	parseRetryAfter,
	withServerMessage,
} from '../../../nodes/shared/gateway/errors/fromResponse';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { ApiError, type RequestKind, type StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { errorFromThrown } from '../../../nodes/shared/gateway/errors/fromConnection';
import { ENDPOINTS as KNOWN, type Endpoint } from '../../../nodes/shared/gateway/errors/endpoints';
import {
	type ErrorInfo,
	errorText,
	type Feature,
	problemText,
} from '../../../nodes/shared/gateway/errors/texts';
import { PROBLEMS, type ProblemName } from '../../../nodes/shared/gateway/errors/problems';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { OutputRequest, TextRequest } from '../../../nodes/shared/gateway/text/formats/request';
import { textBody, textCall } from '../../../nodes/shared/gateway/text/textCall';
import { STREAM_TEXTS } from '../../../nodes/shared/gateway/text/streamText';
import { toNodeError } from '../../../nodes/shared/run/nodeError';
import spec from '../../fixtures/spec/errors.json';
import { anyText } from '../../helpers/anyText';
import { someNode } from '../../helpers/someNode';

const KEY = 'sk-0a1b2c3d-1111-2222-3333-444455556666';

const KINDS: Readonly<Record<Endpoint, RequestKind>> = {
	chat: 'charge',
	responses: 'charge',
	messages: 'charge',
	createTask: 'keyed',
	fetchTask: 'poll',
	downloadTask: 'read',
	archiveTask: 'read',
	unarchiveTask: 'read',
	deleteTask: 'read',
	restoreTask: 'read',
	fetchLyrics: 'read',
	createSession: 'create',
	listTasks: 'read',
	listFiles: 'read',
	uploadFile: 'create',
	fetchFile: 'read',
	deleteFile: 'read',
	fetchBalance: 'read',
	listModels: 'catalogue',
	downloadUrl: 'file',
};

const ENDPOINTS = Object.keys(KINDS) as Endpoint[];

const proxyText = problemText('proxy', 'read');

function errorOf(endpoint: Endpoint, status: number, body: unknown, retryAfter?: string): ApiError {
	return errorFromResponse({
		endpoint,
		kind: KINDS[endpoint],
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
		errorOf('chat', status, openai(code, type)),
	]),
	...spec.messages.map(({ status, type }): [string, ApiError] => [
		`messages ${status} ${type}`,
		errorOf('messages', status, { type: 'error', error: { type, message: 'server words' } }),
	]),
	...spec.media.map((status): [string, ApiError] => [
		`media ${status}`,
		errorOf('fetchTask', status, envelope(status)),
	]),
	...spec.storage.map((status): [string, ApiError] => [
		`storage ${status}`,
		errorOf('uploadFile', status, { error: { message: 'server words', type: 'invalid_request' } }),
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
				description: expect.stringContaining(details.description) as string,
				httpCode: String(details.status),
				context: { itemIndex: 3 },
			});
		},
	);

	it('has a text for a status and code that the specification does not show', () => {
		expect(errorOf('chat', 418, openai('teapot', 'teapot_error')).details).toMatchObject({
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
		expect(errorOf('chat', 502, body).details).toStrictEqual({
			...PROBLEMS.proxy,
			...proxyText,
			kind: 'charge',
			status: 502,
			retryAfterMs: undefined,
		});
	});

	test.each(withWords)('%s with status 502 keeps its words', (_, body) => {
		expect(errorOf('fetchTask', 502, body).details).toMatchObject({
			message: proxyText.message,
			description: `${proxyText.description} It says: “upstream request timeout”.`,
			outcome: 'unknown',
		});
	});

	test.each([...bodies, ...withWords])('%s with a status below 500 says that nothing was done', (_, body) => {
		for (const status of [400, 404, 413, 429]) {
			const { outcome, code, message } = errorOf('chat', status, body).details;
			expect(outcome).toBe('rejected');
			expect(message).toBe(errorOf('chat', status, '').details.message);
			expect([undefined, '502', 'unreadable_answer']).toContain(code);
		}
	});

	it('is an error for any status and any bytes', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...ENDPOINTS),
				fc.integer({ min: 100, max: 999 }),
				fc.oneof(
					anyText(),
					fc.json(),
					fc.object().map((value) => JSON.stringify({ error: value })),
				),
				fc.option(fc.string(), { nil: undefined }),
				(endpoint, status, body, retryAfter) => {
					const { details } = errorOf(endpoint, status, body, retryAfter);
					expect(details.message).not.toBe('');
					expect(details.description).not.toBe('');
				},
			),
			{ numRuns: 300 },
		);
	});
});

describe('the message of an error', () => {
	const rejected = (endpoint: Endpoint, status: number, body: unknown) => {
		const { message, description } = errorOf(endpoint, status, body).details;
		return { message, description };
	};
	const request = 'The gateway did not accept the request. A parameter is missing';

	it.each<[string, object, string]>([
		['with the field', { message: 'input is required', param: 'input' }, 'input is required'],
		['without it', { message: 'Must be positive.', param: 'max_tokens' }, 'max_tokens: Must be positive'],
		['with a key', { message: `input: ${KEY} is no text`, param: 'input' }, 'input: [key] is no text'],
	])('is the gateway’s own words when it names a field: %s', (_, error, message) => {
		const body = { error: { type: 'invalid_request_error', code: 'invalid_request', ...error } };
		expect(rejected('chat', 400, body)).toStrictEqual({
			message,
			description: expect.stringContaining(request) as string,
		});
		expect(rejected('chat', 422, { error: { ...error, type: 'x' } }).message).toBe(message);
	});

	it('has the beginning of long words, whose rest is in the description', () => {
		const words = `input: ${'x'.repeat(300)}`;
		const { message, description } = rejected('createTask', 422, { code: 422, msg: words, data: null });
		expect(message).toBe(`${words.slice(0, 160)}…`);
		expect(description).toContain(`The gateway says: “${words}”`);
	});

	it.each<[string, number, object, string]>([
		[
			'no field',
			400,
			{ message: 'Bad body', code: 'invalid_request', param: null },
			'The gateway did not accept the request',
		],
		[
			'a code of its own',
			404,
			{ message: 'No m', code: 'model_not_found', param: 'model' },
			'The gateway does not know this model',
		],
		[
			'a status that is no bad request',
			402,
			{ message: 'No money', code: null, param: 'model' },
			'There is not enough money in the gateway wallet',
		],
	])('is our own text with %s', (_, status, error, message) => {
		const body = { error: { type: 'invalid_request_error', ...error } };
		expect(rejected('chat', status, body).message).toBe(message);
	});
});

describe('the body of an error', () => {
	const nothing = {
		serverMessage: undefined,
		code: undefined,
		status: undefined,
		type: undefined,
		param: undefined,
	};

	it.each([
		['a type', { error: { message: 'm', type: 't' } }, { isKnown: true, serverMessage: 'm', type: 't' }],
		['a code', { error: { message: 'm', code: 'c' } }, { isKnown: true, serverMessage: 'm', code: 'c' }],
		['a numeric code', { error: { message: 'm', code: 1001 } }, { serverMessage: 'm', code: '1001' }],
		['nulls', { error: { message: null, type: null, param: null, code: null } }, {}],
		['texts that are empty', { error: { message: '', type: '', param: '', code: '' } }, {}],
		['an error without anything', { error: {}, code: '502' }, {}],
	])('has %s in its error object', (_, body, read) => {
		expect(parseErrorBody(JSON.stringify(body))).toStrictEqual({ isKnown: false, ...nothing, ...read });
	});

	it.each([
		['the media envelope first', { code: 422, msg: 'a', message: 'b', error: 'c' }, true, 'a', 422],
		['an envelope without words', { code: '422', msg: '' }, true, undefined, 422],
		['an envelope of a success', { code: 200, msg: 'success' }, true, 'success'],
		['a code without msg', { code: 502, message: 'b' }, false, 'b'],
		['a msg without a code', { msg: 'a' }, false, 'a'],
		['a message next to other things', { message: 'b', error: 'c' }, false, 'b'],
		['an error that is a text', { error: 'c', code: 'not read' }, false, 'c'],
		['nothing to read', { msg: 1, message: {}, error: ['x'] }, false, undefined],
	])('has %s', (_, body, isKnown, serverMessage, status = undefined) =>
		expect(parseErrorBody(JSON.stringify(body))).toStrictEqual({
			...nothing,
			isKnown,
			serverMessage,
			status,
		}),
	);
});

it('problems have the codes on which workflows branch', () => {
	const codes = Object.entries(PROBLEMS).map(([name, { code }]) => [name, code]);
	expect(Object.fromEntries(codes)).toStrictEqual({
		refused: 'connection_refused',
		certificate: 'certificate',
		address: 'address',
		blocked: 'blocked_by_n8n',
		credential: 'credential_unreadable',
		redirect: 'redirected',
		circle: 'redirected',
		lost: 'connection_lost',
		timeout: 'timeout',
		notJson: 'unreadable_answer',
		proxy: 'unreadable_answer',
		tooLarge: 'response_too_large',
		webPage: 'web_page',
		empty: 'empty_file',
	});
});

it.each([
	[299, undefined],
	[300, 'redirected'],
	[399, 'redirected'],
	[400, undefined],
])('a response with status %i has the code %s', (status, code) => {
	expect(errorOf('chat', status, '').details.code).toBe(code);
});

describe('the message of the gateway', () => {
	const shownAfterHint = (message: string | undefined) => withServerMessage('Hint.', message);

	it.each([
		[undefined, 'Hint.'],
		['', 'Hint.'],
		['no', 'Hint. The gateway says: “no”.'],
		['No.', 'Hint. The gateway says: “No.”'],
		['No!', 'Hint. The gateway says: “No!”'],
		['Why?', 'Hint. The gateway says: “Why?”'],
		['A. B', 'Hint. The gateway says: “A. B”.'],
		['And so…', 'Hint. The gateway says: “And so…”'],
		['  a\r\n\t b  ', 'Hint. The gateway says: “a b”.'],
	])('%j follows the hint', (message, shown) => expect(shownAfterHint(message)).toBe(shown));

	it('is shown up to 600 characters', () => {
		expect(shownAfterHint('y'.repeat(600))).toContain(`“${'y'.repeat(600)}”.`);
		expect(shownAfterHint('y'.repeat(601))).toMatch(/“y{600}…”$/);
	});
});

/** Statuses that have their own text in every group. */
const STATUSES = [400, 401, 402, 403, 404, 408, 413, 422, 429, 499, 500, 502, 503, 504];

const textOf = (errorInfo: ErrorInfo) => {
	const { message, description } = errorText(errorInfo);
	return `${message}. ${description}`;
};

const asked = (feature: Feature): ErrorInfo => ({ endpoint: 'chat', features: [feature], status: 400 });

/** All texts of errors. */
const ALL_TEXTS = [
	...ENDPOINTS.flatMap((endpoint) =>
		[
			...[...STATUSES, 409, 410, 418, 599].map((status) => ({ status })),
			...spec.openai.map(({ status, code }) => ({ status, code })),
		].map((info) => errorText({ ...info, endpoint })),
	),
	...(Object.keys(PROBLEMS) as ProblemName[]).flatMap((name) => {
		return (['read', 'file'] as const).map((kind) => problemText(name, kind));
	}),
	...Object.values(STREAM_TEXTS),
];

it('every error has a message and a hint', () => {
	expect(ALL_TEXTS.length).toBeGreaterThan(200);
	for (const text of ALL_TEXTS) {
		expect(text).toMatchObject({
			message: expect.stringMatching(/^\S.{10,}/) as string,
			description: expect.stringMatching(/^\S.{9,}/) as string,
		});
		expect(text.message + text.description).not.toContain('undefined');
		// What is charged depends on the request: it is the last sentence, see `chargeText`.
		expect(text.description).not.toMatch(/charged|[Nn]othing was sent/);
	}
});

it.each<[of: string, error: ErrorInfo, message: RegExp]>([
	[
		'code of a feature',
		{ ...asked('jsonSchema'), code: 'provider_bad_request' },
		/^The provider of the model/,
	],
	['code of a feature', { ...asked('previousResponse'), code: 'model_not_found' }, /previous response/],
	['code', { endpoint: 'messages', status: 400, code: 'context_length_exceeded' }, /longer than the model/],
	['code', { ...asked('jsonSchema'), code: 'context_length_exceeded' }, /longer than the model/],
	['status of a feature', { ...asked('jsonSchema'), endpoint: 'messages' }, /did not accept the request/],
	[
		'status of the endpoint',
		{ endpoint: 'createTask', status: 404, code: 'not_found' },
		/session of the task/,
	],
	['status of the group', { endpoint: 'createSession', status: 404, code: 'x' }, /no such media task/],
	['status', { endpoint: 'createTask', status: 402, code: '404' }, /not enough money/],
	['name of another field', { endpoint: 'createTask', status: 402, code: 'constructor' }, /not enough money/],
	['status that is not listed', { endpoint: 'createTask', status: 418 }, /with status 418$/],
	['status of another server', { endpoint: 'downloadUrl', status: 402 }, /^The server of the file .* 402$/],
])('the first text that there is counts: that of the %s, for %j', (_, error, message) => {
	expect(errorText(error).message).toMatch(message);
});

it('errors of Messages have no codes (§7.5): most of their texts say what the status can mean; a code says more', () => {
	const isSame = (info: Omit<ErrorInfo, 'endpoint'>) =>
		textOf({ ...info, endpoint: 'messages' }) === textOf({ ...info, endpoint: 'chat' });
	const own = [...STATUSES, 409, 410, 418, 599].filter((status) => !isSame({ status }));
	expect(own.sort()).toStrictEqual([400, 404, 409, 410, 422]);
	expect(textOf({ endpoint: 'messages', status: 400 })).toMatch(/empty wallet/);
	expect(isSame({ status: 400, code: 'context_length_exceeded' })).toBe(true);
});

it.each(ENDPOINTS)(
	'the hint after the time limit of the gateway names the options that help: %s',
	(endpoint) => {
		for (const code of [undefined, 'gateway_timeout']) {
			const { description } = errorText({ endpoint, status: 504, code });
			const isText = KNOWN[endpoint].group === 'text';
			expect(/'Stream'.*15 minutes.*'Max Tokens'/.test(description)).toBe(isText);
			expect(/'Max Tokens'|shorter response|input/.test(description)).toBe(isText);
		}
	},
);

describe('Retry-After', () => {
	const now = Date.parse('2026-03-01T12:00:00Z');
	const cases: Array<[string | undefined, number | undefined]> = [
		[undefined, undefined],
		['', undefined],
		['  ', undefined],
		['0', 0],
		['7', 7_000],
		[' 7 ', 7_000],
		['1.5', 1_500],
		['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
		['12.25', 12_250],
		['12.', undefined],
		['9'.repeat(400), undefined],
		['01 Mar 2026 12:00:30 GMT', 30_000],
		['Sun, 01 Mar 2026 12:00:30 +0000', undefined],
		['SUN, 01 MAR 2026 12:00:30 GMT', 30_000],
		['Sun, 01 Mar 2026 11:59:00 GMT', 0],
		['-5', undefined],
		['1e3', undefined],
		['2026-03-01T12:00:30Z', undefined],
		['soon', undefined],
		['12 monkeys', undefined],
		// Mistakes: a Unix time in place of seconds, and the end of time.
		['1767225600', undefined],
		['Fri, 31 Dec 9999 23:59:59 GMT', undefined],
	];
	test.each(cases)('%j means %j ms', (header, expected) =>
		expect(parseRetryAfter(header, now)).toBe(expected),
	);

	it('reads any text without an exception, and never returns a negative or infinite pause', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string(),
					fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
				),
				(header) => {
					const delay = parseRetryAfter(header, now) ?? 0;
					expect(Number.isFinite(delay) && delay >= 0).toBe(true);
				},
			),
		);
	});
});

const networkError = (code: string, syscall?: string) =>
	Object.assign(new Error(code), { code, ...(syscall ? { syscall } : {}) });

/** A network error as n8n throws it: the HTTP client's error, with its configuration, inside a NodeApiError. */
function wrapped(error: Error): NodeApiError {
	return new NodeApiError(someNode, error as never);
}

const aggregate = (code: string) => Object.assign(new AggregateError([networkError(code)]), { code });
const blocked = (why: string) => new Error(`The request was blocked because ${why}`);
const closedInHandshake = Object.assign(
	new Error('Client network socket disconnected before secure TLS connection was established'),
	{ code: 'ECONNRESET' },
);

function thrown(error: unknown): ApiError | StoppedError | undefined {
	return errorFromThrown(error, 'charge');
}

function details(error: unknown): ApiError['details'] {
	const converted = thrown(error);
	if (converted instanceof ApiError) return converted.details;
	throw new Error('it is not a network error');
}

describe('a network error', () => {
	it.each<[string, Error, 'notSent' | 'unknown', boolean]>([
		['timeout of the connect', networkError('ETIMEDOUT', 'connect'), 'notSent', true],
		['unreachable at the connect', networkError('EHOSTUNREACH', 'connect'), 'notSent', true],
		['any code at the look-up', networkError('EMFILE', 'getaddrinfo'), 'notSent', true],
		['all addresses refused', aggregate('ECONNREFUSED'), 'notSent', true],
		['all addresses timed out', aggregate('ETIMEDOUT'), 'notSent', true],
		['a blocked address', blocked('it resolves to a restricted IP address'), 'notSent', false],
		['a blocked host name', blocked('the destination hostname is restricted'), 'notSent', false],
		['a connection closed in the handshake', closedInHandshake, 'notSent', true],
		['timeout of a read', networkError('ETIMEDOUT', 'read'), 'unknown', true],
		['broken at a write', networkError('EPIPE', 'write'), 'unknown', true],
		['a cut-off body', new Error('aborted'), 'unknown', true],
	])('%s, also wrapped by n8n', (_, error, outcome, retryable) => {
		expect(thrown(error)).toMatchObject({ details: { outcome, retryable } });
		expect(thrown(wrapped(error))).toMatchObject({ details: { outcome, retryable } });
	});

	type Codes = [
		kind: string,
		codes: string,
		outcome: 'notSent' | 'unknown' | 'rejected',
		retryable: boolean,
		message: RegExp,
	];
	const http = 'ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE ERR_NETWORK HPE_INVALID_CONSTANT';
	// After the TLS handshake: the request may have arrived.
	const tls = 'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_UNEXPECTED_EOF_WHILE_READING';
	const tlsCertificate = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
	const chain = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY SELF_SIGNED_CERT_IN_CHAIN';
	const expired = 'CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID';
	const url = 'EPROTO ERR_INVALID_URL ERR_BAD_OPTION_VALUE ERR_INVALID_PROTOCOL ERR_UNESCAPED_CHARACTERS';
	const codes: Codes[] = [
		['refused', 'ECONNREFUSED ENOTFOUND EAI_AGAIN', 'notSent', true, /reached/],
		['certificate', `${expired} ${chain}`, 'notSent', false, /certificate/],
		['address', url, 'notSent', false, /address/],
		['redirects in a loop', 'ERR_FR_TOO_MANY_REDIRECTS', 'rejected', false, /endless loop/],
		['lost', 'ECONNRESET EPIPE EHOSTUNREACH ENETUNREACH ENETDOWN', 'unknown', true, /broke/],
		['lost', `${http} ${tls} ${tlsCertificate}`, 'unknown', true, /broke/],
		['timeout', 'ECONNABORTED ETIMEDOUT ESOCKETTIMEDOUT', 'unknown', true, /in time/],
	];
	test.each(
		codes.flatMap(([kind, list, ...expected]) =>
			list.split(' ').map((code) => [kind, code, ...expected] as const),
		),
	)('%s: %s', (kind, code, outcome, retryable, message) => {
		expect(thrown(wrapped(networkError(code)))).toMatchObject({ details: { outcome, retryable } });
		expect(details(networkError(code))).toStrictEqual({
			message: expect.stringMatching(message) as string,
			description: expect.stringMatching(/\S/) as string,
			outcome,
			code: kind === 'timeout' ? 'timeout' : code.toLowerCase(),
			kind: 'charge',
			retryable,
		});
	});

	it.each([
		['connection_lost', 'network error', new Error('?')],
		['connection_lost', 'network error', new AggregateError([])],
		['x', 'X', networkError('X')],
		['econnreset', 'ECONNRESET (read)', networkError('ECONNRESET', 'read')],
		['econnreset', 'ECONNRESET', Object.assign(networkError('ECONNRESET'), { syscall: 7 })],
	])('of the HTTP client is a lost connection, whatever its code: %s, %s', (code, cause, error) => {
		const converted = thrown(Object.assign(error, { isAxiosError: true }));
		expect(converted).toMatchObject({ details: { code, outcome: 'unknown', retryable: true } });
		expect(converted?.cause).toStrictEqual(new Error(cause));
	});

	it.each([
		[Object.assign(new Error('?'), { isAxiosError: 'yes' })],
		[Object.assign(new Error('?'), { code: 7 })],
		[networkError('Z_DATA_ERROR')],
		[networkError('NOT_EPROTO')],
		[networkError('X_HPE_')],
		[new AggregateError([])],
		[new Error('was aborted')],
		[{ message: 'aborted' }],
		[new Error('?', { cause: 'ECONNRESET' })],
		[new TypeError('x is not a function')],
		['text'],
		[null],
	])('is not %j', (error) => expect(thrown(error)).toBeUndefined());

	it('an error inside other errors has the outermost code; an HTTP client’s error without a code does not hide an inner one', () => {
		const outer = Object.assign(new Error('outer', { cause: networkError('EPIPE') }), {
			code: 'ECONNREFUSED',
		});
		expect(details(outer)).toMatchObject({ code: 'econnrefused' });
		const client = Object.assign(new Error('?', { cause: networkError('ECONNREFUSED') }), {
			isAxiosError: true,
		});
		expect(details(client)).toMatchObject({ code: 'econnrefused' });
	});

	it('names the server of a file instead of the gateway', () => {
		const converted = errorFromThrown(networkError('ECONNREFUSED', 'connect'), 'file');
		expect(converted?.message).toBe('The server of the file could not be reached');
	});

	it('is a StoppedError when the execution was cancelled', () => {
		expect(thrown(wrapped(networkError('ERR_CANCELED')))).toMatchObject({
			name: 'StoppedError',
			reason: 'cancelled',
			outcome: 'unknown',
		});
	});

	it('keeps nothing of the original error but its code: its configuration has the key', () => {
		const config = { headers: { Authorization: 'Bearer sk-secret' } };
		const error = Object.assign(networkError('ECONNRESET'), { isAxiosError: true, config });
		const converted = thrown(wrapped(error));
		expect(converted).toBeInstanceOf(ApiError);
		expect(JSON.stringify([converted, converted?.cause, converted?.stack])).not.toContain('secret');
	});
});

// report: a model that has no JSON Schema answers 400, and nobody can know what to do about it.
describe('the way out of a JSON Schema that a model does not have', () => {
	const WAY_OUT = /'Output Format' to 'JSON Object'/;
	const schema: OutputRequest = { kind: 'jsonSchema', name: 'answer', schema: { type: 'object' } };
	const object: OutputRequest = { kind: 'jsonObject', name: 'answer' };
	const words = 'response_format is not supported';

	function detailsOf(format: string, output: OutputRequest, status: number, code?: string, extraBody = {}) {
		const request: TextRequest = {
			model: 'm',
			conversation: { kind: 'messages', messages: [{ role: 'user', text: 'Hi' }] },
			tools: [],
			output,
			fields: {},
			stream: false,
		};
		const call = textCall(textFormat(format), textBody(textFormat(format), request, extraBody));
		const error = { message: words, type: 'invalid_request_error', param: null, code };
		const body = JSON.stringify({ error });
		return errorFromResponse({ ...call, status, body, now: 0, secrets: [] }).details;
	}

	it.each([
		['chat', 'invalid_request'],
		['chat', 'provider_bad_request'],
		['chat', undefined],
		['chat', 'acme_unsupported'],
		['responses', 'invalid_request'],
		['responses', 'provider_bad_request'],
	])('%s: stands behind the words of the gateway, with the code %s', (format, code) => {
		const { message, description } = detailsOf(format, schema, 400, code);
		expect(message).toBe(words);
		expect(description).toMatch(WAY_OUT);
	});

	it.each<[string, OutputRequest, number, string, object]>([
		['chat', object, 400, 'invalid_request', {}],
		['chat', { kind: 'text' }, 400, 'provider_bad_request', {}],
		['responses', object, 400, 'invalid_request', {}],
		['messages', schema, 400, 'invalid_request', {}],
		['chat', schema, 400, 'context_length_exceeded', {}],
		['chat', schema, 422, 'content_too_large', {}],
		['responses', schema, 404, 'model_not_found', {}],
		['chat', schema, 400, 'invalid_request', { response_format: null }],
		['chat', schema, 400, 'invalid_request', { response_format: { type: 'json_object' } }],
	])('%s with %j: is not there, with %i %s and %j', (format, output, status, code, extraBody) => {
		const { message, description } = detailsOf(format, output, status, code, extraBody);
		expect(message + description).not.toMatch(WAY_OUT);
	});
});

test.each<[endpoint: Endpoint, body: JsonObject]>([
	['listModels', { data: [{ id: 'acme/writer' }] }],
	['fetchBalance', { RUB: '1', USD: '0' }],
	['fetchFile', { files: [{ id: 'a' }] }],
	['fetchFile', { id: 'a' }],
])('%s: an error beside what was asked for takes nothing from it', (endpoint, body) => {
	const error = { code: 'no_providers', message: 'x' };
	expect(statusInBody(endpoint, { ...body, error })).toBeUndefined();
	expect(statusInBody(endpoint, { error })).toBe(503);
});
