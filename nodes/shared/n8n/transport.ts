import { sleep, type IHttpRequestOptions } from 'n8n-workflow';

import { fileLimits, TimeLimitError, withinLimits, type TimeLimits } from '../gateway/client/limits';
import {
	isSuccess,
	MAX_OTHER_BYTES,
	type HttpResponse,
	type ByteStream,
	type HttpRequest,
	type Transport,
} from '../gateway/client/transport';
import { asError, StoppedError } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { problemError } from '../gateway/errors/fromResponse';
import { costsMoney } from '../gateway/errors/policy';
import { CREDENTIAL, type CredentialReader, type N8nContext } from './credential';
import { ignoreErrors, reportChunks, whenDestroyed, type Readable } from './streams';

/**
 * Sends requests with n8n's HTTP helpers, which add the credential and proxies. Closes the connection when its time is
 * over, or when a signal is aborted: that of the request, or `cancel`, that of the execution.
 */
export function n8nTransport(
	context: N8nContext,
	credential: CredentialReader,
	cancel?: AbortSignal,
): Transport {
	const exchange = async <T>(
		httpRequest: HttpRequest,
		read: (response: HttpResponse<ByteStream>, own: AbortController) => Promise<T>,
	): Promise<T> => {
		const { kind, signal: ofRequest } = httpRequest;
		const own = new AbortController();
		const signal = AbortSignal.any([own.signal, cancel, ofRequest].filter((one) => one !== undefined));
		try {
			const limits = { ...limitsOf(httpRequest), signal };
			return await withinLimits(limits, { now: Date.now, sleep }, async (touch) => {
				const options = { ...requestOptions(httpRequest, touch), abortSignal: signal };
				if (kind === 'file') return await read(toResponse(await context.helpers.httpRequest(options)), own);
				// n8n's database may be busy.
				const data = await credential(costsMoney(kind)).catch((error: unknown) => {
					throw problemError('credential', kind, {}, asError(error));
				});
				const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
				// n8n replaces the signal of the request by that of its caller.
				const getExecutionCancelSignal = { value: () => signal };
				const caller: N8nContext = Object.create(context, { getExecutionCancelSignal });
				const { httpRequestWithAuthentication: send } = caller.helpers;
				const sent = send.call(caller, CREDENTIAL, options, { credentialsDecrypted });
				return await read(toResponse(await sent), own);
			});
		} catch (error) {
			own.abort();
			const reason = cancel?.aborted ? 'cancelled' : ofRequest?.aborted ? 'not waited for' : undefined;
			if (reason) throw asError(new StoppedError(reason, 'unknown'));
			if (error instanceof TimeLimitError) throw problemError('timeout', kind);
			throw errorFromThrown(error, kind) ?? asError(error);
		}
	};
	return {
		text: async (httpRequest) =>
			await exchange(httpRequest, async (response) => await withText(response, httpRequest)),
		stream: async (httpRequest) =>
			await exchange<HttpResponse<ByteStream | string>>(httpRequest, async (response, own) => {
				if (!isSuccess(response)) return await withText(response, httpRequest);
				const { body } = response;
				// n8n's client leaves the connection open until the next bytes.
				whenDestroyed(body, () => !body.readableEnded && own.abort());
				return response;
			}),
	};
}

/** The slowest upload whose progress is not known, in bytes per second: nobody can tell it from one that hangs. */
const MIN_UNSEEN_SPEED = 32_000;

function limitsOf({ body, timeoutMs }: HttpRequest): TimeLimits {
	if (isStream(body)) return fileLimits(timeoutMs);
	// n8n does not report the progress of bytes in memory.
	const unseenMs = body instanceof Uint8Array ? (body.length / MIN_UNSEEN_SPEED) * 1_000 : 0;
	return { totalMs: timeoutMs + Math.ceil(unseenMs), idleMs: Infinity };
}

function isStream(body: HttpRequest['body']): body is Readable {
	return typeof body === 'object' && !(body instanceof Uint8Array);
}

/** @throws {ApiError} for a body over the limit, for network errors, and for bytes that cannot be decompressed */
async function withText(
	response: HttpResponse<ByteStream>,
	{ kind }: HttpRequest,
): Promise<HttpResponse<string>> {
	const parts: Uint8Array[] = [];
	let length = 0;
	try {
		// Bytes of compressed responses are counted, and kept, as they are unpacked.
		for await (const chunk of response.body) {
			length += chunk.length;
			if (length > MAX_OTHER_BYTES) throw problemError('tooLarge', kind);
			parts.push(chunk);
		}
		return { ...response, body: new TextDecoder().decode(Buffer.concat(parts)) };
	} catch (error) {
		throw errorFromThrown(error, kind) ?? problemError('notJson', kind);
	}
}

function requestOptions(
	{ method, url, headers, body, kind }: HttpRequest,
	touch: () => void,
): IHttpRequestOptions {
	return {
		method,
		url,
		headers,
		...(body === undefined ? {} : { body: isStream(body) ? reportChunks(body, touch) : body }),
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
	const { statusCode: status, ...rest } = received as {
		statusCode: number;
		headers: HttpResponse<ByteStream>['headers'];
		body: ByteStream;
	};
	// The stream may fail when it is no longer read.
	return { status, headers: rest.headers, body: ignoreErrors(rest.body) };
}
