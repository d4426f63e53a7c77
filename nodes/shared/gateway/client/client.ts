import { createHash } from 'node:crypto';

import type { ApiError } from '../errors/errors';
import { errorFromResponse, unreadableResponse } from '../errors/fromResponse';
import type { EndpointGroup } from '../errors/texts';
import { asObject, parseJson, type JsonObject } from '../util/json';
import { abortable } from './abort';
import { withRetries, type AttemptDependencies, type AttemptedRequest, type RetrySettings } from './attempts';
import type { RateGate } from './rate/rateGate';
import { redirectedFile } from './redirect';
import {
	destroyBody,
	readStart,
	REQUEST_TIMEOUT_MS,
	type ByteStream,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from './transport';
import { Watchdog } from './watchdog';

/** What the client depends on; passed in so that tests can replace it. */
export interface ClientDependencies extends AttemptDependencies {
	transport: Transport;
	/** The rate limit of the account. */
	gate: RateGate;
	/** Waits even if the run ends, but not longer than until the signal is aborted. */
	sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** How the requests of a client behave. */
export interface RequestSettings extends RetrySettings {
	/** Replaces each request's own timeout, in milliseconds: the longest time of one exchange, body included. */
	timeoutMs?: number | undefined;
}

/** The settings of a client: whose gateway and key it uses, and how its requests behave. */
export interface ClientSettings extends RequestSettings {
	/** Ends in `/api/v1`, without a trailing slash. */
	baseUrl: string;
	/** Never shown: the API key. */
	secrets: readonly string[];
}

/** A body that is sent as it is read. */
export interface OpenedBody {
	content: ByteStream | Uint8Array;
	/** Headers that are known only when it is open. */
	headers?: Record<string, string>;
}

/** A request to an endpoint of the gateway. */
export interface GatewayRequest extends AttemptedRequest {
	group: EndpointGroup;
	/** Default: GET. */
	method?: HttpRequest['method'];
	/** Below the base URL, with its leading slash; parts already encoded. */
	path: string;
	json?: JsonObject;
	/** Opens the body for each attempt: a stream can be read only once. */
	openBody?: () => Promise<OpenedBody>;
	headers?: Record<string, string>;
	timeoutMs?: number;
	/** Limits the timeout of a poll in milliseconds, also the one that the user sets. */
	timeoutLimitMs?: number | undefined;
}

/**
 * Sends all requests: waits for a slot, retries (§7.6), and reads error responses (§7.1). Knows neither n8n nor any
 * endpoint.
 */
export class GatewayClient {
	/** The clock of the gateway, as its last response showed it, minus that of this server. */
	private clockDifferenceMs: number | undefined;

	constructor(
		readonly settings: ClientSettings,
		private readonly dependencies: ClientDependencies,
	) {}

	/** Identifies the account, its base URL and key, without showing them: it is stored with executions. */
	get account(): string {
		const { baseUrl, secrets } = this.settings;
		return createHash('sha256')
			.update(JSON.stringify([baseUrl, secrets[0]]))
			.digest('hex');
	}

	/** Waits; rejects if the run ends first. */
	async pause(milliseconds: number): Promise<void> {
		return await this.dependencies.pause(milliseconds);
	}

	/** Waits even if the run ends. May reject when the signal is aborted. */
	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		await this.dependencies.sleep(milliseconds, signal);
	}

	/** Current time in Unix milliseconds. */
	now(): number {
		return this.dependencies.now();
	}

	/**
	 * A time of this server on the gateway's clock, to the second, in Unix milliseconds.
	 *
	 * @returns `undefined` if no response has shown it
	 */
	gatewayTime(time: number): number | undefined {
		return this.clockDifferenceMs === undefined ? undefined : time + this.clockDifferenceMs;
	}

	/** A number in [0, 1), for jitter. */
	random(): number {
		return this.dependencies.random();
	}

	/**
	 * Sends a request.
	 *
	 * @param read reads the parsed body; `undefined` for one of another shape. Default: takes objects only.
	 * @returns the body of the response; an empty object for a 204
	 * @throws {ApiError} after the last retry, or when §7.6 forbids one
	 */
	async json(request: GatewayRequest): Promise<JsonObject>;
	async json<T>(request: GatewayRequest, read: (body: unknown) => T | undefined): Promise<T | JsonObject>;
	async json(request: GatewayRequest, read: (body: unknown) => unknown = asObject): Promise<unknown> {
		return await this.withRetries(request, async () => {
			const httpRequest = await this.httpRequest(request);
			const response = await this.dependencies.transport
				.text(httpRequest)
				.finally(() => destroyBody(httpRequest.body));
			const date = httpDate(response.headers.date);
			if (date !== undefined) this.clockDifferenceMs = date - this.now();
			if (!isSuccess(response)) throw this.errorResponse(request.group, response, httpRequest);
			if (response.status === 204) return {};
			const body = read(parseJson(response.body));
			if (body === undefined) throw unreadableResponse(response, request.kind);
			return body;
		});
	}

	/**
	 * Sends a request and passes the response to `consume` while its body arrives. A GET whose stream breaks is sent
	 * again, so `consume` may run several times.
	 *
	 * @throws {ApiError} as {@link json}
	 */
	async stream<T>(
		request: GatewayRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
	): Promise<T> {
		return await this.withRetries(request, async () => {
			const httpRequest = await this.httpRequest(request);
			return await this.consumed(request.group, httpRequest, consume).finally(() =>
				destroyBody(httpRequest.body),
			);
		});
	}

	/**
	 * Streams a file from any URL, without the key: result files are on other hosts.
	 *
	 * @throws {ApiError} as {@link json}
	 */
	async downloadUrl<T>(url: string, consume: (response: HttpResponse<ByteStream>) => Promise<T>): Promise<T> {
		const httpRequest = this.fileRequest(url);
		return await this.withRetries(httpRequest, async () => await this.consumed('file', httpRequest, consume));
	}

	/**
	 * Opens a file at any URL, without the key and in one attempt. The caller reads the body, or destroys it.
	 *
	 * @throws {ApiError} without a response, and for an error status
	 */
	async openUrl(url: string): Promise<HttpResponse<ByteStream>> {
		// The length of a body that is compressed on its way is not known.
		const httpRequest = { ...this.fileRequest(url), headers: { 'Accept-Encoding': 'identity' } };
		const response = await this.dependencies.transport.stream(httpRequest);
		const { timeoutMs } = httpRequest;
		if (isSuccess(response)) return { ...response, timeoutMs };
		response.body.destroy();
		throw this.errorResponse('file', { ...response, body: '' }, httpRequest);
	}

	private async consumed<T>(
		group: EndpointGroup,
		httpRequest: HttpRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
	): Promise<T> {
		const response = await this.dependencies.transport.stream(httpRequest);
		const { timeoutMs, signal } = httpRequest;
		const fileUrl = redirectedFile(httpRequest, response, this.settings.secrets);
		if (fileUrl !== undefined) {
			response.body.destroy();
			return await this.consumed('file', this.fileRequest(fileUrl, signal), consume);
		}
		const watchdog = new Watchdog({ totalMs: timeoutMs, idleMs: timeoutMs }, this.dependencies);
		const read = async () => {
			if (isSuccess(response)) return await consume({ ...response, timeoutMs });
			const body = await readStart(response.body, watchdog);
			throw this.errorResponse(group, { ...response, body }, httpRequest);
		};
		try {
			return await abortable(signal, read);
		} finally {
			watchdog.stop();
			response.body.destroy();
		}
	}

	/** The request for a file on any host, without the key. */
	private fileRequest(url: string, signal?: AbortSignal): HttpRequest {
		const timeoutMs = this.settings.timeoutMs ?? REQUEST_TIMEOUT_MS;
		return { kind: 'file', method: 'GET', url, headers: {}, signal, timeoutMs };
	}

	private async httpRequest(request: GatewayRequest): Promise<HttpRequest> {
		const { kind, json, openBody, signal, method = 'GET' } = request;
		const { content, headers }: Partial<OpenedBody> = (await openBody?.()) ?? {};
		const timeoutMs = this.settings.timeoutMs ?? request.timeoutMs ?? REQUEST_TIMEOUT_MS;
		return {
			kind,
			method,
			url: this.settings.baseUrl + request.path,
			headers: {
				Accept: 'application/json, */*;q=0.5',
				...(json ? { 'Content-Type': 'application/json' } : {}),
				...request.headers,
				...headers,
			},
			body: content ?? (json && JSON.stringify(json)),
			signal,
			timeoutMs: Math.min(timeoutMs, request.timeoutLimitMs ?? Infinity),
		};
	}

	private errorResponse(
		group: EndpointGroup,
		{ status, headers, body }: HttpResponse<string>,
		{ kind }: HttpRequest,
	): ApiError {
		// Another clock than that of the gateway would make its dates wrong.
		const now = httpDate(headers.date) ?? this.now();
		const { secrets } = this.settings;
		return errorFromResponse({ group, kind, status, body, retryAfter: headers['retry-after'], now, secrets });
	}

	private async withRetries<T>(request: AttemptedRequest, attempt: () => Promise<T>): Promise<T> {
		const hasNoKey = request.kind === 'file' || request.kind === 'catalogue';
		const gate = hasNoKey ? undefined : this.dependencies.gate;
		return await withRetries(request, gate, this.settings, this.dependencies, attempt);
	}
}

function isSuccess({ status }: HttpResponse<unknown>): boolean {
	return status >= 200 && status <= 299;
}

/** Unix milliseconds. */
function httpDate(header: string | undefined): number | undefined {
	const time = Date.parse(header ?? '');
	return Number.isNaN(time) ? undefined : time;
}
