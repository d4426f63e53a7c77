import { createHash } from 'node:crypto';

import type { ApiError } from '../errors/errors';
import { errorFromResponse, problemError, statusInBody } from '../errors/fromResponse';
import type { EndpointGroup, StatusTexts } from '../errors/texts';
import { asObject, parseJson, wireText, type JsonObject } from '../util/json';
import { abortable } from './limits';
import { Attempts, type AttemptDependencies, type AttemptedRequest, type RequestSettings } from './attempts';
import {
	isSuccess,
	REQUEST_TIMEOUT_MS,
	type ByteStream,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from './transport';

/** What the client depends on; passed in so that tests can replace it. */
export interface ClientDependencies extends AttemptDependencies {
	transport: Transport;
	/** Waits for something; rejects with {@link StoppedError} as soon as the run ends. */
	until: (wait: Promise<void>) => Promise<void>;
	/** Waits even if the run ends, but not longer than until the signal is aborted. */
	sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The settings of a client: whose gateway and key it uses, and how its requests behave. */
export interface ClientSettings extends RequestSettings {
	/** Ends in `/api/v1`, without a trailing slash. */
	baseUrl: string;
	/** Never shown: the API key first. */
	secrets: readonly string[];
	/** What calls are to leave on the account, as decimal text in rubles. */
	minBalanceRub?: string | undefined;
}

/** Identifies an account, without its key: it is stored with executions. */
export function accountOf({ baseUrl, secrets }: Pick<ClientSettings, 'baseUrl' | 'secrets'>): string {
	// The URL in one spelling.
	const account = JSON.stringify([new URL(baseUrl).href, secrets[0] ?? '']);
	return createHash('sha256').update(account).digest('hex');
}

/** A request to an endpoint of the gateway. Its method is GET unless it says another. */
export interface GatewayRequest
	extends AttemptedRequest,
		Partial<Pick<HttpRequest, 'method' | 'headers' | 'timeoutMs' | 'maxBytes'>> {
	group: EndpointGroup;
	texts?: StatusTexts | undefined;
	/** Below the base URL, with its leading slash; parts already encoded. A URL for the kind `file`. */
	path: string;
	json?: JsonObject;
	/** Opens the body for each attempt, a stream can be read only once, with headers that are known only then. */
	openBody?: () => Promise<{ content: ByteStream | Uint8Array; headers?: Record<string, string> }>;
	takesList?: boolean;
}

const FILE = { group: 'file', kind: 'file' } as const;

/** Sends all requests: waits for a slot, retries (§7.6), reads error responses (§7.1). Knows neither n8n nor any endpoint. */
export class GatewayClient {
	/** Identifies the account, see {@link accountOf}. */
	readonly account: string;
	/** Waits; rejects if the run ends first. */
	readonly pause: ClientDependencies['pause'];
	readonly until: ClientDependencies['until'];
	readonly sleep: ClientDependencies['sleep'];
	readonly now: ClientDependencies['now'];
	readonly random: ClientDependencies['random'];

	constructor(
		readonly settings: ClientSettings,
		private readonly dependencies: ClientDependencies,
	) {
		this.account = accountOf(settings);
		this.pause = dependencies.pause;
		this.until = dependencies.until;
		this.sleep = dependencies.sleep;
		this.now = dependencies.now;
		this.random = dependencies.random;
	}

	/** Returns the body of the response; an empty object for a 204, except to a GET; a list as `list`. */
	async json(request: GatewayRequest): Promise<JsonObject> {
		return await this.withRetries(request, async (httpRequest) => {
			const response = await this.dependencies.transport.text(httpRequest);
			if (!isSuccess(response)) throw this.errorResponse(request, response);
			if (response.status === 204 && httpRequest.method !== 'GET') return {};
			const parsed = parseJson(response.body);
			const body = request.takesList && Array.isArray(parsed) ? { list: parsed } : asObject(parsed);
			if (body === undefined) throw problemError('notJson', request.kind, { status: response.status });
			// §7.1: an error may have the status of a success.
			const status = statusInBody(request.group, body);
			if (status !== undefined) throw this.errorResponse(request, { ...response, status });
			return body;
		});
	}

	/**
	 * Passes the response to `consume` while its body arrives. A GET whose stream breaks is sent again, so `consume` may
	 * run several times.
	 */
	async stream<T>(
		request: GatewayRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
	): Promise<T> {
		return await this.withRetries(request, async (httpRequest) => {
			const response = await this.opened(request, httpRequest);
			return await abortable(request.signal, async () => await consume(response)).finally(() =>
				response.body.destroy(),
			);
		});
	}

	/** Streams a file from any URL, without the key: result files are on other hosts. */
	async downloadUrl<T>(url: string, consume: (response: HttpResponse<ByteStream>) => Promise<T>): Promise<T> {
		return await this.stream({ ...FILE, path: url }, consume);
	}

	private async opened(request: GatewayRequest, httpRequest: HttpRequest): Promise<HttpResponse<ByteStream>> {
		const { body, ...response } = await this.dependencies.transport.stream(httpRequest);
		if (typeof body !== 'string') return { ...response, body, timeoutMs: httpRequest.timeoutMs };
		const { location = '' } = response.headers;
		const isLink = response.status >= 300 && response.status < 400 && /^\S/.test(location);
		if (request.kind !== 'read' || !isLink || !URL.canParse(location, httpRequest.url))
			throw this.errorResponse(request, { ...response, body });
		// A file elsewhere, such as in the gateway's storage. The key stays here.
		const link = new URL(location, httpRequest.url).href;
		const file = { ...FILE, path: link, signal: request.signal };
		return { ...(await this.opened(file, await this.httpRequest(file))), link };
	}

	private async httpRequest(request: GatewayRequest): Promise<HttpRequest> {
		const { kind, json, openBody, signal, method = 'GET' } = request;
		const opened = await openBody?.();
		return {
			kind,
			method,
			url: kind === 'file' ? request.path : this.settings.baseUrl + request.path,
			headers: {
				...(kind === 'file' ? {} : { Accept: 'application/json, */*;q=0.5' }),
				...(json ? { 'Content-Type': 'application/json' } : {}),
				...request.headers,
				...opened?.headers,
			},
			body: opened?.content ?? (json && wireText(json)),
			signal,
			maxBytes: request.maxBytes,
			timeoutMs: request.timeoutMs ?? this.settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
		};
	}

	private errorResponse(request: GatewayRequest, response: HttpResponse<string>): ApiError {
		const { secrets } = this.settings;
		const retryAfter = response.headers['retry-after'];
		return errorFromResponse({ ...request, ...response, retryAfter, now: this.now(), secrets });
	}

	private async withRetries<T>(
		request: GatewayRequest,
		exchange: (httpRequest: HttpRequest) => Promise<T>,
	): Promise<T> {
		const attempt = async () => {
			const httpRequest = await this.httpRequest(request);
			const { body } = httpRequest;
			return await exchange(httpRequest).finally(() => {
				// A server may respond before it has read all of it.
				if (typeof body === 'object' && 'destroy' in body) body.destroy();
			});
		};
		return await new Attempts(request, this.settings, this.dependencies, attempt).run();
	}
}
