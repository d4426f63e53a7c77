import { errorFromThrown } from '../../nodes/shared/gateway/errors/fromConnection';
import type { ApiError } from '../../nodes/shared/gateway/errors/errors';
import { StoppedError } from '../../nodes/shared/gateway/errors/errors';
import { errorClassesOf, versions } from './versions';

// n8n's HTTP helper wraps the errors of its HTTP client in a NodeApiError. Before n8n-workflow 2.34, this class deletes
// the cause.

const node = {
	id: '1',
	name: 'Gateway',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** An error of the HTTP client, which copies code and system call of Node.js's own error. */
function clientError(message: string, code?: string, syscall?: string): Error {
	return Object.assign(new Error(message), {
		name: 'AxiosError',
		isAxiosError: true,
		...(code === undefined ? {} : { code }),
		...(syscall === undefined ? {} : { syscall }),
		config: { headers: { Authorization: 'Bearer sk-secret' } },
	});
}

const IN_HANDSHAKE = 'Client network socket disconnected before secure TLS connection was established';

const errors: Array<[message: string, code?: string, syscall?: string]> = [
	['read ECONNRESET', 'ECONNRESET', 'read'],
	['socket hang up', 'ECONNRESET'],
	['aborted', 'ECONNRESET'],
	[IN_HANDSHAKE, 'ECONNRESET'],
	['connect ECONNREFUSED 127.0.0.1:443', 'ECONNREFUSED', 'connect'],
	['getaddrinfo ENOTFOUND gateway.test', 'ENOTFOUND', 'getaddrinfo'],
	['getaddrinfo EAI_AGAIN gateway.test', 'EAI_AGAIN', 'getaddrinfo'],
	['connect ETIMEDOUT 192.0.2.1:443', 'ETIMEDOUT', 'connect'],
	['connect EHOSTUNREACH 192.0.2.1:443', 'EHOSTUNREACH', 'connect'],
	['connect EMFILE 192.0.2.1:443', 'EMFILE', 'connect'],
	['read ETIMEDOUT', 'ETIMEDOUT', 'read'],
	['timeout of 300000ms exceeded', 'ECONNABORTED'],
	['timeout of 300000ms exceeded', 'ETIMEDOUT'],
	['write EPIPE', 'EPIPE', 'write'],
	['stream has been aborted', 'ERR_BAD_RESPONSE'],
	['Network Error', 'ERR_NETWORK'],
	['Parse Error: Expected HTTP/', 'HPE_INVALID_CONSTANT'],
	['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	['certificate has expired', 'CERT_HAS_EXPIRED'],
	['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
	["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'],
	['write EPROTO 80:error:0A00010B:SSL routines::wrong version number', 'EPROTO', 'write'],
	['80:error:0A000126:SSL routines::unexpected eof', 'ERR_SSL_UNEXPECTED_EOF_WHILE_READING'],
	['Invalid URL', 'ERR_INVALID_URL'],
	['Invalid character in header content ["x"]', 'ERR_INVALID_CHAR'],
	['canceled', 'ERR_CANCELED'],
	['Proxy connection ended before receiving CONNECT response'],
	['The gateway took 503 ms'],
];

/** What a charged call makes of an error. */
function reading(error: unknown): unknown {
	const read = errorFromThrown(error, 'charge');
	if (read instanceof StoppedError) return read.reason;
	return read && { details: read.details, cause: (read.cause as Error).message };
}

describe.each(versions)('an error of n8n-workflow %s', (version) => {
	const { NodeApiError, NodeOperationError } = errorClassesOf(version);

	test.each(errors)('is read like the error that it wraps: %s (%s %s)', (...facts) => {
		const error = clientError(...facts);
		expect(reading(error)).toBeDefined();
		expect(reading(new NodeApiError(node, error))).toStrictEqual(reading(error));
	});

	it('is not a lost connection when it was made from a response, or by a node', () => {
		const response = { message: 'Not found', statusCode: 404, code: 'ECONNRESET' };
		expect(reading(new NodeApiError(node, response))).toBeUndefined();
		expect(reading(new NodeOperationError(node, new Error('A field is missing')))).toBeUndefined();
	});
});

it('of addresses that all time out, one says that nothing was sent, unless n8n has deleted which call failed', () => {
	const outcomes = versions.map((version) => {
		const { NodeApiError } = errorClassesOf(version);
		const error = Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' });
		return (errorFromThrown(new NodeApiError(node, error), 'charge') as ApiError).details.outcome;
	});
	const keepsCause = versions.indexOf('2.34.0');
	expect(outcomes.slice(0, keepsCause)).toStrictEqual(Array(keepsCause).fill('unknown'));
	expect(new Set(outcomes.slice(keepsCause))).toStrictEqual(new Set(['notSent']));
});
