import { sleep, type IHttpRequestOptions } from 'n8n-workflow';

import { fileLimits, TimeLimitError, withinLimits, type TimeLimits } from '../gateway/client/limits';
import type { ByteStream, HttpRequest, HttpResponse, Transport } from '../gateway/client/transport';
import { asError, StoppedError } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { problemError } from '../gateway/errors/fromResponse';
import { CREDENTIAL, type CredentialReader, type N8nContext } from './credential';
import { ignoreErrors, reportChunks } from './streams';

/**
 * Sends requests with n8n's HTTP helpers, which add the credential and proxies. Closes the connection when its time is
 * over, or when a signal is aborted: that of the request, or `cancel`, that of the execution.
 */
export function n8nTransport(
	context: N8nContext,
	credential: CredentialReader,
	cancel?: AbortSignal,
): Transport {
	return async (httpRequest, read) => {
		const { kind, isOfPayer, signal: ofRequest } = httpRequest;
		const own = new AbortController();
		const signal = AbortSignal.any([own.signal, cancel, ofRequest].filter((one) => one !== undefined));
		try {
			const limits = { ...limitsOf(httpRequest), signal };
			return await withinLimits(limits, { now: Date.now, sleep }, async (touch) => {
				const options = { ...httpOptions(httpRequest, touch), abortSignal: signal };
				let received: unknown;
				if (kind === 'file') received = await context.helpers.httpRequest(options);
				else {
					// n8n's database may be busy.
					const data = await credential(isOfPayer).catch((error: unknown) => {
						throw problemError('credential', kind, {}, asError(error));
					});
					const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
					// n8n replaces the signal of the request by that of its caller.
					const getExecutionCancelSignal = { value: () => signal };
					const signed: N8nContext = Object.create(context, { getExecutionCancelSignal });
					const { httpRequestWithAuthentication: send } = signed.helpers;
					received = await send.call(signed, CREDENTIAL, options, { credentialsDecrypted });
				}
				const response = toResponse(received);
				const { body } = response;
				return await read(response, () => {
					body.destroy();
					// n8n's client leaves the connection open until the next bytes.
					if (!body.readableEnded) own.abort();
				});
			});
		} catch (error) {
			own.abort();
			const reason = cancel?.aborted ? 'cancelled' : ofRequest?.aborted ? 'not waited for' : undefined;
			if (reason) throw asError(new StoppedError(reason, 'unknown'));
			if (error instanceof TimeLimitError) throw problemError('timeout', kind);
			throw errorFromThrown(error, kind) ?? asError(error);
		}
	};
}

/** The slowest upload whose progress is not known, in bytes per second: nobody can tell it from one that hangs. */
const MIN_UNSEEN_SPEED = 32_000;

function limitsOf({ body, timeoutMs }: HttpRequest): TimeLimits {
	if (body === undefined || typeof body === 'string') return { totalMs: timeoutMs, idleMs: Infinity };
	if (!(body instanceof Uint8Array)) return fileLimits(timeoutMs);
	// n8n does not report the progress of bytes in memory.
	const unseenMs = (body.length / MIN_UNSEEN_SPEED) * 1_000;
	return { totalMs: timeoutMs + Math.ceil(unseenMs), idleMs: Infinity };
}

function httpOptions(
	{ method, url, headers, body, kind }: HttpRequest,
	touch: () => void,
): IHttpRequestOptions {
	const isInMemory = typeof body === 'string' || body instanceof Uint8Array;
	return {
		method,
		url,
		headers,
		...(body === undefined ? {} : { body: isInMemory ? body : reportChunks(body, touch) }),
		// None: the exchange has limits of its own, and those of the client count from its start for a body.
		timeout: 0,
		// Streamed, so that time and memory are bounded.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// The key must not leave the gateway's origin; and following a redirect buffers a streamed body.
		disableFollowRedirect: kind !== 'file',
	};
}

function toResponse(received: unknown): HttpResponse<ByteStream> {
	const {
		statusCode: status,
		headers,
		...rest
	} = received as {
		statusCode: number;
		headers: HttpResponse<ByteStream>['headers'];
		body: ByteStream;
	};
	// The stream may fail when it is no longer read.
	return { status, headers, body: ignoreErrors(rest.body) };
}
