import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';

import { failureFromThrown } from '../../../nodes/shared/gateway/connection';
import { ApiFailure, Stopped } from '../../../nodes/shared/gateway/failure';

const networkError = (code: string, syscall?: string) =>
	Object.assign(new Error(code), { code, ...(syscall ? { syscall } : {}) });

/** As n8n hands it over: the HTTP client's error, with its configuration, inside a NodeApiError. */
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

function thrown(error: unknown, charged = true): ApiFailure | Stopped | undefined {
	return failureFromThrown(error, { charged });
}

describe('what a thrown network error means', () => {
	const cases: Array<[string, unknown, 'never' | 'unknown', boolean]> = [
		['refused', networkError('ECONNREFUSED', 'connect'), 'never', true],
		['unknown host', networkError('ENOTFOUND', 'getaddrinfo'), 'never', true],
		['name service down', networkError('EAI_AGAIN', 'getaddrinfo'), 'never', true],
		['timeout of the connect', networkError('ETIMEDOUT', 'connect'), 'never', true],
		['unreachable at the connect', networkError('EHOSTUNREACH', 'connect'), 'never', true],
		['all addresses refused', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'never', true],
		['untrusted certificate', networkError('DEPTH_ZERO_SELF_SIGNED_CERT'), 'never', false],
		['https to a port that speaks http', networkError('EPROTO'), 'never', false],
		['an address that is none', networkError('ERR_INVALID_URL'), 'never', false],
		['reset', networkError('ECONNRESET'), 'unknown', true],
		['broken pipe', networkError('EPIPE', 'write'), 'unknown', true],
		['silence', networkError('ECONNABORTED'), 'unknown', true],
		['timeout of a read', networkError('ETIMEDOUT', 'read'), 'unknown', true],
		['a cut-off body', new Error('aborted'), 'unknown', true],
		['an answer that is no HTTP', networkError('HPE_INVALID_CONSTANT'), 'unknown', true],
	];
	test.each(cases)('%s', (_, error, arrival, retryable) => {
		expect(thrown(error)).toMatchObject({ details: { arrival, retryable } });
	});
	test.each(cases)('%s, wrapped by n8n', (_, error, arrival, retryable) => {
		expect(thrown(wrapped(error as Error))).toMatchObject({ details: { arrival, retryable } });
	});

	it('says that a charge may stand only where the request may have arrived', () => {
		expect(thrown(networkError('ECONNRESET'))).toMatchObject({ details: { mayBeCharged: true } });
		expect(thrown(networkError('ECONNRESET'), false)).toMatchObject({ details: { mayBeCharged: false } });
		expect(thrown(networkError('ECONNREFUSED'))).toMatchObject({ details: { mayBeCharged: false } });
	});

	it('does not blame the gateway for the server of a file', () => {
		const failure = failureFromThrown(networkError('ECONNREFUSED', 'connect'), {
			charged: false,
			file: true,
		});
		expect(failure?.message).toBe('The server of the file could not be reached');
	});

	it('knows a cancelled execution', () => {
		expect(thrown(wrapped(networkError('ERR_CANCELED')))).toBeInstanceOf(Stopped);
	});

	it('keeps nothing of the original but its code: its configuration holds the key', () => {
		const error = Object.assign(networkError('ECONNRESET'), {
			isAxiosError: true,
			config: { headers: { Authorization: 'Bearer sk-secret' } },
		});
		const failure = thrown(wrapped(error));
		expect(failure).toBeInstanceOf(ApiFailure);
		expect(
			JSON.stringify([failure, (failure as ApiFailure).cause, (failure as ApiFailure).stack]),
		).not.toContain('secret');
	});

	it('leaves errors that are not the network’s alone', () => {
		expect(thrown(new TypeError('x is not a function'))).toBeUndefined();
		expect(thrown('text')).toBeUndefined();
	});

	it('takes anything that can be thrown', () => {
		fc.assert(
			fc.property(fc.anything(), (value) => {
				const failure = thrown(value);
				expect(failure === undefined || failure instanceof Error).toBe(true);
			}),
		);
	});
});
