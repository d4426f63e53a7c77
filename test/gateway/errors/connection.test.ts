import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';

import { errorFromThrown } from '../../../nodes/shared/gateway/errors/fromConnection';
import { ApiError, StoppedError } from '../../../nodes/shared/gateway/errors/errors';

const networkError = (code: string, syscall?: string) =>
	Object.assign(new Error(code), { code, ...(syscall ? { syscall } : {}) });

/** A network error as n8n throws it: the HTTP client's error, with its configuration, inside a NodeApiError. */
function wrapped(error: Error): NodeApiError {
	const node = {
		id: '1',
		name: 'N',
		type: 't',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
	};
	return new NodeApiError(node, error as never);
}

function thrown(error: unknown): ApiError | StoppedError | undefined {
	return errorFromThrown(error, 'charge');
}

function details(error: unknown): ApiError['details'] {
	const converted = thrown(error);
	if (converted instanceof ApiError) return converted.details;
	throw new Error('it is not a network error');
}

describe('a network error', () => {
	const cases: Array<[string, unknown, 'notSent' | 'unknown', boolean]> = [
		['refused', networkError('ECONNREFUSED', 'connect'), 'notSent', true],
		['unknown host', networkError('ENOTFOUND', 'getaddrinfo'), 'notSent', true],
		['name service down', networkError('EAI_AGAIN', 'getaddrinfo'), 'notSent', true],
		['timeout of the connect', networkError('ETIMEDOUT', 'connect'), 'notSent', true],
		['unreachable at the connect', networkError('EHOSTUNREACH', 'connect'), 'notSent', true],
		[
			'all addresses refused',
			Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
			'notSent',
			true,
		],
		['untrusted certificate', networkError('DEPTH_ZERO_SELF_SIGNED_CERT'), 'notSent', false],
		['HTTPS to an HTTP port', networkError('EPROTO'), 'notSent', false],
		['an invalid address', networkError('ERR_INVALID_URL'), 'notSent', false],
		[
			'an address that n8n blocks',
			new Error('The request was blocked because it resolves to a restricted IP address'),
			'notSent',
			false,
		],
		[
			'a host name that n8n blocks',
			new Error('The request was blocked because the destination hostname is restricted'),
			'notSent',
			false,
		],
		['reset', networkError('ECONNRESET'), 'unknown', true],
		['broken pipe', networkError('EPIPE', 'write'), 'unknown', true],
		['silence', networkError('ECONNABORTED'), 'unknown', true],
		['timeout of a read', networkError('ETIMEDOUT', 'read'), 'unknown', true],
		['a cut-off body', new Error('aborted'), 'unknown', true],
		['a response that is not HTTP', networkError('HPE_INVALID_CONSTANT'), 'unknown', true],
	];
	test.each(cases)('%s', (_, error, outcome, retryable) => {
		expect(thrown(error)).toMatchObject({ details: { outcome, retryable } });
	});
	test.each(cases)('%s, wrapped by n8n', (_, error, outcome, retryable) => {
		expect(thrown(wrapped(error as Error))).toMatchObject({ details: { outcome, retryable } });
	});

	const codes: Array<[string, string[], 'notSent' | 'unknown', boolean, RegExp]> = [
		['refused', ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'], 'notSent', true, /reached/],
		[
			'certificate',
			[
				'CERT_HAS_EXPIRED',
				'ERR_TLS_CERT_ALTNAME_INVALID',
				'SELF_SIGNED_CERT_IN_CHAIN',
				'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
				'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
			],
			'notSent',
			false,
			/certificate/,
		],
		[
			'address',
			[
				'EPROTO',
				'ERR_INVALID_URL',
				'ERR_BAD_OPTION_VALUE',
				'ERR_INVALID_PROTOCOL',
				'ERR_UNESCAPED_CHARACTERS',
			],
			'notSent',
			false,
			/address/,
		],
		[
			'lost',
			[
				'ECONNRESET',
				'EPIPE',
				'ERR_STREAM_PREMATURE_CLOSE',
				'ERR_BAD_RESPONSE',
				'ERR_NETWORK',
				'EHOSTUNREACH',
				'ENETUNREACH',
				'ENETDOWN',
				'HPE_INVALID_CONSTANT',
				// After the TLS handshake: the request may have arrived.
				'ERR_SSL_WRONG_VERSION_NUMBER',
				'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
				'ERR_SSL_UNEXPECTED_EOF_WHILE_READING',
				'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
			],
			'unknown',
			true,
			/broke/,
		],
		['timeout', ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'], 'unknown', true, /in time/],
	];
	test.each(
		codes.flatMap(([kind, list, ...expected]) => list.map((code) => [kind, code, ...expected] as const)),
	)('%s: %s', (kind, code, outcome, retryable, message) => {
		expect(details(networkError(code))).toStrictEqual({
			message: expect.stringMatching(message) as string,
			description: expect.stringMatching(/\S/) as string,
			outcome,
			code: kind === 'timeout' ? 'timeout' : code.toLowerCase(),
			kind: 'charge',
			retryable,
		});
	});

	it.each(['connect', 'getaddrinfo'])('is not sent where the %s failed, whatever its code', (syscall) => {
		expect(details(networkError('ETIMEDOUT', syscall))).toMatchObject({ outcome: 'notSent' });
		expect(details(networkError('EMFILE', syscall))).toMatchObject({ outcome: 'notSent', code: 'emfile' });
	});

	it('is not sent where the connection was closed in the TLS handshake', () => {
		const message = 'Client network socket disconnected before secure TLS connection was established';
		const closed = Object.assign(new Error(message), { code: 'ECONNRESET' });
		const expected = { outcome: 'notSent', retryable: true };
		expect(details(closed)).toMatchObject(expected);
		expect(details(wrapped(closed))).toMatchObject(expected);
	});

	it('that combines several errors needs a code', () => {
		const tried = new AggregateError([networkError('ETIMEDOUT')]);
		expect(details(Object.assign(tried, { code: 'ETIMEDOUT' }))).toMatchObject({ outcome: 'notSent' });
		expect(thrown(new AggregateError([]))).toBeUndefined();
		expect(details(Object.assign(new AggregateError([]), { isAxiosError: true }))).toMatchObject({
			outcome: 'unknown',
		});
	});

	it.each([
		['the HTTP client’s error without a code', Object.assign(new Error('?'), { isAxiosError: true })],
		[
			'the HTTP client’s error with a code of its own',
			Object.assign(networkError('X'), { isAxiosError: true }),
		],
		['a cut-off body', new Error('aborted')],
	])('is a lost connection: %s', (_, error) => {
		const { code, ...others } = details(error);
		expect(['connection_lost', 'x']).toContain(code);
		expect(others).toMatchObject({ outcome: 'unknown', retryable: true });
	});

	it.each([
		[Object.assign(new Error('?'), { isAxiosError: 'yes' })],
		[Object.assign(new Error('?'), { code: 7 })],
		[Object.assign(new Error('?'), { code: 'Z_DATA_ERROR' })],
		[new Error('was aborted')],
		[{ message: 'aborted' }],
		[Object.assign(new Error('?'), { code: 'NOT_EPROTO' })],
		[Object.assign(new Error('?'), { code: 'X_HPE_' })],
		[new Error('?', { cause: 'ECONNRESET' })],
		[null],
		[undefined],
	])('is not %j', (error) => expect(thrown(error)).toBeUndefined());

	it.each([
		['ECONNRESET', 'read', 'ECONNRESET (read)'],
		['ECONNRESET', undefined, 'ECONNRESET'],
		['ECONNRESET', 7, 'ECONNRESET'],
	])('has the code %s and the system call %s in its cause', (code, syscall, cause) =>
		expect(thrown(Object.assign(networkError(code), { syscall }))?.cause).toStrictEqual(new Error(cause)),
	);

	it('without a code has a cause that says so', () => {
		const converted = thrown(Object.assign(new Error('?'), { isAxiosError: true }));
		expect(converted?.cause).toStrictEqual(new Error('network error'));
	});

	it('that is converted already is returned unchanged', () => {
		for (const known of [details(networkError('EPIPE')), new StoppedError('other item failed')]) {
			const error = known instanceof StoppedError ? known : new ApiError(known);
			expect(thrown(error)).toBe(error);
		}
	});

	describe('inside other errors', () => {
		const inside = (error: unknown, depth: number): unknown =>
			Array.from({ length: depth }).reduce<unknown>((cause) => new Error('outer', { cause }), error);

		it.each([1, 2, 3, 5])('is found %i levels deep', (depth) => {
			const connectionRefused = networkError('ECONNREFUSED', 'connect');
			expect(details(inside(connectionRefused, depth))).toStrictEqual(details(connectionRefused));
			expect(details(inside(wrapped(connectionRefused), depth - 1))).toStrictEqual(
				details(connectionRefused),
			);
			expect(details(inside(new Error('aborted'), depth))).toMatchObject({ code: 'connection_lost' });
		});

		it('is searched six levels deep, and once in a circle', () => {
			expect(thrown(inside(networkError('EPIPE'), 6))).toBeUndefined();
			const circle = new Error('circle');
			circle.cause = circle;
			expect(thrown(circle)).toBeUndefined();
		});

		it('is found in plain objects', () => {
			const plain = { cause: { cause: networkError('ECONNABORTED') } };
			expect(details(plain)).toMatchObject({ code: 'timeout' });
		});

		it('has the outermost code; an HTTP client’s error without a code does not hide an inner one', () => {
			const outer = Object.assign(new Error('outer', { cause: networkError('EPIPE') }), {
				code: 'ECONNREFUSED',
			});
			expect(details(outer)).toMatchObject({ code: 'econnrefused' });
			const client = Object.assign(new Error('?', { cause: networkError('ECONNREFUSED') }), {
				isAxiosError: true,
			});
			expect(details(client)).toMatchObject({ code: 'econnrefused' });
		});
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
		const error = Object.assign(networkError('ECONNRESET'), {
			isAxiosError: true,
			config: { headers: { Authorization: 'Bearer sk-secret' } },
		});
		const converted = thrown(wrapped(error));
		expect(converted).toBeInstanceOf(ApiError);
		expect(
			JSON.stringify([converted, (converted as ApiError).cause, (converted as ApiError).stack]),
		).not.toContain('secret');
	});

	it('is not any other error', () => {
		expect(thrown(new TypeError('x is not a function'))).toBeUndefined();
		expect(thrown('text')).toBeUndefined();
	});

	it('is recognized in any thrown value without an exception', () => {
		fc.assert(
			fc.property(fc.anything(), (value) => {
				const converted = thrown(value);
				expect(converted === undefined || converted instanceof Error).toBe(true);
			}),
		);
	});
});
