import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	ISupplyDataFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { asError, InvalidInputError } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { problemError } from '../gateway/errors/fromResponse';
import type { RequestKind } from '../gateway/errors/errors';
import { asObject, asText } from '../gateway/util/json';
import { compareDecimals } from '../gateway/util/money';
import {
	isSuccess,
	MAX_RESPONSE_BYTES,
	type HttpResponse,
	type ByteStream,
	type HttpRequest,
	type Transport,
} from '../gateway/client/transport';
import { fileLimits, type TimeLimits } from '../gateway/client/limits';
import { exchange, type Connection } from './exchange';
import { NO_KEY_AFTER_REDIRECT } from './features';
import { ignoreErrors, reportChunks, type Readable } from './streams';

/** The credential's name, as workflows store it. */
const CREDENTIAL = 'aiGatewayApi';

/** The n8n functions of a node from which requests can be sent. */
export type N8nContext =
	| IExecuteFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ISupplyDataFunctions
	| IWebhookFunctions;

export interface TransportSettings {
	credential: CredentialReader;
	/** The signal of the execution. */
	cancelSignal?: AbortSignal | undefined;
}

/** Sends requests with n8n's HTTP helpers, which add the credential, proxies and the execution's cancel signal. */
export function n8nTransport(
	context: N8nContext,
	{ credential, cancelSignal }: TransportSettings,
): Transport {
	/** Sends a request, and reads its response with `read`. */
	const send = async <Body>(
		httpRequest: HttpRequest,
		read: (response: HttpResponse<unknown>, connection: Connection) => Promise<Body>,
	): Promise<HttpResponse<Body>> => {
		const { kind, signal: unwanted } = httpRequest;
		const settings = { kind, limits: limitsOf(httpRequest), cancel: cancelSignal, unwanted };
		return await exchange(settings, async (connection) => {
			const response = toResponse(await sendOnce(httpRequest, connection));
			return { ...response, body: await read(response, connection) };
		});
	};
	const sendOnce = async (httpRequest: HttpRequest, { signal, touch }: Connection): Promise<unknown> => {
		const options = { ...requestOptions(httpRequest, touch), abortSignal: signal };
		if (httpRequest.kind === 'file') return await context.helpers.httpRequest(options);
		// n8n replaces the signal of the request by that of its caller.
		const caller: N8nContext = Object.create(context, { getExecutionCancelSignal: { value: () => signal } });
		// n8n's database may be busy.
		const credentialsDecrypted = await credential().catch((error: unknown) => {
			throw problemError('credential', httpRequest.kind, {}, asError(error));
		});
		const decrypted = { credentialsDecrypted };
		return await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIAL, options, decrypted);
	};
	return {
		text: async (httpRequest) =>
			await send(httpRequest, async (response) => await readText(response, httpRequest.kind)),
		stream: async (httpRequest) =>
			await send<ByteStream | string>(httpRequest, async (response, { close }) => {
				if (!isSuccess(response)) return await readText(response, httpRequest.kind);
				return closing(response.body as ByteStream, close);
			}),
	};
}

/** The stream of a response. It may fail when it is no longer read, and destroying it closes its connection at once. */
function closing(body: ByteStream, close: () => void): ByteStream {
	const stream = ignoreErrors(body);
	const destroy = stream.destroy.bind(stream);
	stream.destroy = (error) => {
		const destroyed = destroy(error);
		close();
		return destroyed;
	};
	return stream;
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

/** @throws {ApiError} for a body over the limit, and for network errors */
async function readText({ body }: HttpResponse<unknown>, kind: RequestKind): Promise<string> {
	if (typeof body === 'string') return body;
	if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return '';
	try {
		return await decoded(ignoreErrors(body as ByteStream), kind);
	} catch (error) {
		const known = errorFromThrown(error, kind);
		if (known) throw known;
		// Bytes that cannot be decompressed are no text.
		return '';
	}
}

async function decoded(body: ByteStream, kind: RequestKind): Promise<string> {
	const decoder = new TextDecoder();
	const parts: string[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > MAX_RESPONSE_BYTES) throw problemError('tooLarge', kind);
		parts.push(decoder.decode(chunk, { stream: true }));
	}
	return parts.join('') + decoder.decode();
}

/** How long a credential is reused. A wait of hours must notice a new key. */
const CREDENTIAL_LIFE_MS = 60_000;

/** Returns the credential of a node, decrypted. */
export type CredentialReader = () => Promise<ICredentialsDecrypted>;

/**
 * Caches the credential of an item, whose fields may be expressions. n8n's HTTP helper otherwise reads it from the database
 * and decrypts it for each request.
 */
export function credentialReader(context: N8nContext, itemIndex = 0): CredentialReader {
	let known: { time: number; credential: Promise<ICredentialsDecrypted> } | undefined;
	return async () => {
		const now = Date.now();
		if (!known || now - known.time >= CREDENTIAL_LIFE_MS) {
			known = { time: now, credential: readCredential(context, itemIndex) };
		}
		const current = known;
		try {
			return await current.credential;
		} catch (error) {
			if (known === current) known = undefined;
			throw asError(error);
		}
	};
}

async function readCredential(context: N8nContext, itemIndex: number): Promise<ICredentialsDecrypted> {
	const { id, name = '' } = context.getNode().credentials?.[CREDENTIAL] ?? {};
	const data = await context.getCredentials(CREDENTIAL, itemIndex);
	return { id: id ?? '', name, type: CREDENTIAL, data };
}

/** @param touch is called when a part of a streamed body is sent */
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
		...NO_KEY_AFTER_REDIRECT,
	};
}

function toResponse(received: unknown): HttpResponse<unknown> {
	const response = received as { statusCode: number; headers?: unknown; body?: unknown };
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(asObject(response.headers) ?? {})) {
		if (value !== undefined && value !== null) headers[name.toLowerCase()] = String(value);
	}
	return { status: response.statusCode, headers, body: response.body };
}

/** The address of the gateway, and the texts to remove from errors. */
export interface GatewayAddress {
	/** Without a trailing slash. */
	baseUrl: string;
	secrets: readonly string[];
	/** Decimal text in rubles. */
	minBalanceRub?: string;
}

/**
 * Reads the address from the credential.
 *
 * @throws {InvalidInputError} when its base URL is no web address, or its minimum balance no amount
 */
export async function gatewayAddress(credential: CredentialReader): Promise<GatewayAddress> {
	const { baseUrl, apiKey, minBalanceRub } = (await credential()).data ?? {};
	const address = readAddress({ baseUrl: asText(baseUrl) ?? '', apiKey: asText(apiKey) ?? '' });
	const min = String(minBalanceRub ?? '').trim();
	if (min === '') return address;
	if (compareDecimals(min, '0') !== undefined) return { ...address, minBalanceRub: min };
	throw new InvalidInputError(
		"'Minimum Balance (Rubles)' in the AI Gateway credential is not an amount",
		'Enter a number, such as 100 or 99.50, or leave it empty.',
		'minBalanceRub',
	);
}

/**
 * Checks the fields of the credential. White space around the base URL and slashes after it are removed.
 *
 * @throws {InvalidInputError} when the base URL is no web address, or has a user name, or the key has characters that
 *   no key has
 */
export function readAddress({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): GatewayAddress {
	const address = baseUrl.trim().replace(/\/+$/, '');
	if (!/^https?:\/\/[^\s/]+/i.test(address) || !URL.canParse(address)) {
		throw new InvalidInputError(
			'The base URL in the AI Gateway credential is not a web address',
			'Enter the address of the gateway’s API: it begins with https:// and ends in /api/v1. Check its host name and port.',
			'baseUrl',
		);
	}
	const { username, password } = new URL(address);
	if (username || password) {
		throw new InvalidInputError(
			'The base URL in the AI Gateway credential has a user name or a password',
			'They would be sent in place of the API key. Remove them, and the @ after them.',
			'baseUrl',
		);
	}
	const key = apiKey.trim();
	if (!/^[\x21-\x7e]*$/.test(key)) {
		throw new InvalidInputError(
			'The API key in the AI Gateway credential has characters that no key has',
			'It may be the shortened form that the web application shows later. Enter the full key as it was shown when it was created.',
			'apiKey',
		);
	}
	return { baseUrl: address, secrets: key ? [key] : [] };
}
