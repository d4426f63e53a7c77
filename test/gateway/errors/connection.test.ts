import { NodeApiError } from 'n8n-workflow';

import { errorFromThrown } from '../../../nodes/shared/gateway/errors/fromConnection';
import type { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { someNode } from '../../helpers/someNode';

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
		outcome: 'notSent' | 'unknown',
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
		[new Error('?'), 'connection_lost', 'network error'],
		[new AggregateError([]), 'connection_lost', 'network error'],
		[networkError('X'), 'x', 'X'],
		[networkError('ECONNRESET', 'read'), 'econnreset', 'ECONNRESET (read)'],
		[Object.assign(networkError('ECONNRESET'), { syscall: 7 }), 'econnreset', 'ECONNRESET'],
	])('of the HTTP client is a lost connection, whatever its code: %s', (error, code, cause) => {
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

	describe('inside other errors', () => {
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
		const config = { headers: { Authorization: 'Bearer sk-secret' } };
		const error = Object.assign(networkError('ECONNRESET'), { isAxiosError: true, config });
		const converted = thrown(wrapped(error));
		expect(converted).toBeInstanceOf(ApiError);
		expect(JSON.stringify([converted, converted?.cause, converted?.stack])).not.toContain('secret');
	});
});
