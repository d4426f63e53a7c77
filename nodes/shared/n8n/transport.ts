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
import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, asText } from '../gateway/util/json';
import type { HttpResponse, ByteStream, HttpRequest, Transport } from '../gateway/client/transport';
import type { Origin } from '../gateway/errors/texts/origin';
import { ignoreErrors } from './streams';

/** The credential's name, as workflows store it. */
export const CREDENTIAL = 'aiGatewayApi';

/** The n8n functions of a node from which requests can be sent. */
export type N8nContext =
	| IExecuteFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ISupplyDataFunctions
	| IWebhookFunctions;

/** What a transport works with. */
export interface TransportSettings {
	credential: CredentialReader;
	/** The execution's. */
	cancelSignal?: AbortSignal | undefined;
	/** Where it sends from; an action node when it does not say. */
	origin?: Origin | undefined;
}

/** Sends through n8n's HTTP helper, which brings the credential, proxies and the execution's cancel signal. */
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
			// The HTTP client breaks a stream at its timeout, also when nobody reads it any more.
			return { ...response, body: ignoreErrors(response.body as ByteStream) };
		},
	};
}

/** For so long a credential that was read is used: a wait of hours notices a new key. */
const CREDENTIAL_LIFE_MS = 10_000;

/** Gives the credential of a node, decrypted. */
export type CredentialReader = () => Promise<ICredentialsDecrypted>;

/**
 * Reads the credential for the address and for n8n's HTTP helper, which otherwise asks the database for it, and decrypts
 * it, at each request.
 */
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
			throw error;
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
		// The key stays with the gateway's own address; and a followed redirect would hold a streamed body in memory.
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

/** Where the gateway is, and what must never be shown. */
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
 * Reads the fields of the credential; blanks around and slashes after the base URL are tolerated.
 *
 * @throws {InvalidInputError} when the base URL is no web address
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
