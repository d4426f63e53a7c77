import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	ISupplyDataFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { errorFromThrown } from '../gateway/errors/fromConnection';
import { asError, InvalidInputError } from '../gateway/errors/errors';
import { asObject, asText } from '../gateway/util/json';
import type { HttpResponse, ByteStream, HttpRequest, Transport } from '../gateway/client/transport';
import type { Origin } from '../gateway/errors/texts/origin';
import { ignoreErrors } from './streams';

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
	/** Where requests come from; an action node by default. */
	origin?: Origin | undefined;
}

/** Sends requests with n8n's HTTP helpers, which add the credential, proxies and the execution's cancel signal. */
export function n8nTransport(
	context: N8nContext,
	{ credential, cancelSignal, origin }: TransportSettings,
): Transport {
	const send = async (httpRequest: HttpRequest): Promise<HttpResponse<unknown>> => {
		const options = requestOptions(httpRequest);
		try {
			const response: unknown = httpRequest.authenticated
				? await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options, {
						credentialsDecrypted: await credential(),
					})
				: await context.helpers.httpRequest({
						...options,
						...(cancelSignal ? { abortSignal: cancelSignal } : {}),
					});
			return toResponse(response);
		} catch (error) {
			const { charged, authenticated } = httpRequest;
			throw errorFromThrown(error, { charged, file: !authenticated, origin }) ?? error;
		}
	};
	return {
		async text(httpRequest) {
			const response = await send(httpRequest);
			return { ...response, body: typeof response.body === 'string' ? response.body : '' };
		},
		async stream(httpRequest) {
			const response = await send(httpRequest);
			// The HTTP client destroys a stream at its timeout, even when it is no longer read.
			return { ...response, body: ignoreErrors(response.body as ByteStream) };
		},
	};
}

/** How long a credential is reused. A wait of hours must notice a new key. */
const CREDENTIAL_LIFE_MS = 10_000;

/** Returns the credential of a node, decrypted. */
export type CredentialReader = () => Promise<ICredentialsDecrypted>;

/** Caches the credential, which n8n's HTTP helper otherwise reads from the database and decrypts for each request. */
export function credentialReader(context: N8nContext): CredentialReader {
	let known: { time: number; credential: Promise<ICredentialsDecrypted> } | undefined;
	return async () => {
		const now = Date.now();
		if (!known || now - known.time >= CREDENTIAL_LIFE_MS) {
			known = { time: now, credential: readCredential(context) };
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

async function readCredential(context: N8nContext): Promise<ICredentialsDecrypted> {
	const { id, name = '' } = context.getNode().credentials?.[CREDENTIAL] ?? {};
	return { id: id ?? '', name, type: CREDENTIAL, data: await context.getCredentials(CREDENTIAL) };
}

function requestOptions(httpRequest: HttpRequest): IHttpRequestOptions {
	return {
		method: httpRequest.method,
		url: httpRequest.url,
		headers: httpRequest.headers,
		...(httpRequest.body === undefined ? {} : { body: httpRequest.body }),
		timeout: httpRequest.timeoutMs,
		encoding: httpRequest.responseType,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// The key must not leave the gateway's origin; and following a redirect buffers a streamed body.
		disableFollowRedirect: httpRequest.authenticated,
		sendCredentialsOnCrossOriginRedirect: false,
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
}

/**
 * Reads the address from the credential.
 *
 * @throws {InvalidInputError} when its base URL is no web address
 */
export async function gatewayAddress(credential: CredentialReader): Promise<GatewayAddress> {
	const { baseUrl, apiKey } = (await credential()).data ?? {};
	return readAddress({ baseUrl: asText(baseUrl) ?? '', apiKey: asText(apiKey) ?? '' });
}

/**
 * Checks the fields of the credential. White space around the base URL and slashes after it are removed.
 *
 * @throws {InvalidInputError} when the base URL is no web address, or the key has characters that no key has
 */
export function readAddress({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): GatewayAddress {
	const address = baseUrl.trim().replace(/\/+$/, '');
	if (!/^https?:\/\/[^\s/]+/i.test(address)) {
		throw new InvalidInputError(
			'The base URL in the AI Gateway credential is not a web address',
			'Enter the address of the gateway’s API: it begins with https:// and ends in /api/v1.',
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
