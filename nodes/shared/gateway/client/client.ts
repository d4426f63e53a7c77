import { createHash } from 'node:crypto';

import { abortable } from './abort';
import {
	isIdempotent,
	withRetries,
	type AttemptDependencies,
	type AttemptedRequest,
	type RetrySettings,
} from './attempts';
import { errorFromResponse, unreadableResponse } from '../errors/fromResponse';
import type { EndpointGroup } from '../errors/texts';
import {
	readStart,
	destroyBody,
	REQUEST_TIMEOUT_MS,
	type HttpResponse,
	type ByteStream,
	type HttpRequest,
	type Transport,
} from './transport';
import { ApiError, asError } from '../errors/errors';
import { asObject, parseJson, type Json, type JsonObject } from '../util/json';
import type { Origin } from '../errors/texts/origin';
import type { RateGate } from './rate/rateGate';
import { redirectedFile } from './redirect';
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
	/** Where its requests come from, so that hints name only options that exist; default: an action node. */
	origin?: Origin | undefined;
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
	/** Below the base URL, with its leading slash; parts already encoded. */
	path: string;
	json?: JsonObject;
	/** Opens the body for each attempt: a stream can be read only once. */
	openBody?: () => Promise<OpenedBody>;
	headers?: Record<string, string>;
	timeoutMs?: number;
	/** Whether it costs money. If it is not idempotent either, it is never sent again after a lost response or a 504. */
	charged?: boolean;
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
	 * @returns the JSON object of the response; an empty object for a 204
	 * @throws {ApiError} after the last retry, or when §7.6 forbids one
	 */
	async json(request: GatewayRequest): Promise<JsonObject> {
		return await this.parsed(request, asObject);
	}

	/**
	 * As {@link json}, for a response that may be an object or a list.
	 *
	 * @throws {ApiError} as {@link json}
	 */
	async jsonOrList(request: GatewayRequest): Promise<JsonObject | Json[]> {
		return await this.parsed(request, (body) => (Array.isArray(body) ? (body as Json[]) : asObject(body)));
	}

	/** @param read returns `undefined` for a body of another shape */
	private async parsed<T>(
		request: GatewayRequest,
		read: (body: unknown) => T | undefined,
	): Promise<T | JsonObject> {
		return await this.withRetries(request, this.gateOf(request), async () => {
			const httpRequest = await this.httpRequest(request);
			const response = await this.dependencies.transport
				.text(httpRequest)
				.finally(() => destroyBody(httpRequest.body));
			const date = httpDate(response.headers.date);
			if (date !== undefined) this.clockDifferenceMs = date - this.now();
			if (response.status < 200 || response.status > 299)
				throw this.errorResponse(request.group, response, httpRequest);
			if (response.status === 204) return {};
			const body = read(parseJson(response.body));
			if (body === undefined) throw unreadableResponse(response, { charged: httpRequest.charged });
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
		const { group, signal } = request;
		return await this.withRetries(request, this.gateOf(request), async () => {
			const httpRequest = await this.httpRequest(request);
			return await this.consumed(group, httpRequest, consume, signal).finally(() =>
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
		return await this.withRetries(
			httpRequest,
			undefined,
			async () => await this.consumed('file', httpRequest, consume),
		);
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
		if (response.status >= 200 && response.status <= 299) return { ...response, timeoutMs };
		response.body.destroy();
		throw this.errorResponse('file', { ...response, body: '' }, httpRequest);
	}

	private async consumed<T>(
		group: EndpointGroup,
		httpRequest: HttpRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
		signal?: AbortSignal,
	): Promise<T> {
		const response = await this.dependencies.transport.stream(httpRequest);
		const fileUrl = redirectedFile(httpRequest, response, this.settings.secrets);
		if (fileUrl !== undefined) {
			response.body.destroy();
			return await this.consumed('file', this.fileRequest(fileUrl, signal), consume, signal);
		}
		const { timeoutMs } = httpRequest;
		const watchdog = new Watchdog({ totalMs: timeoutMs, idleMs: timeoutMs }, this.dependencies);
		const read = async () => {
			if (response.status >= 200 && response.status <= 299) return await consume({ ...response, timeoutMs });
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
		return {
			method: 'GET',
			url,
			headers: {},
			...(signal ? { signal } : {}),
			timeoutMs: this.settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
			authenticated: false,
			charged: false,
		};
	}

	private async httpRequest(request: GatewayRequest): Promise<HttpRequest> {
		const { json, openBody } = request;
		const { content, headers }: Partial<OpenedBody> = (await openBody?.().catch(sourceError)) ?? {};
		const body = content ?? (json && JSON.stringify(json));
		return {
			method: request.method,
			url: this.settings.baseUrl + request.path,
			headers: {
				Accept: 'application/json, */*;q=0.5',
				...(json ? { 'Content-Type': 'application/json' } : {}),
				...request.headers,
				...headers,
			},
			...(body === undefined ? {} : { body }),
			...(request.signal ? { signal: request.signal } : {}),
			timeoutMs: this.settings.timeoutMs ?? request.timeoutMs ?? REQUEST_TIMEOUT_MS,
			authenticated: true,
			charged: (request.charged ?? false) && !isIdempotent(request),
		};
	}

	private errorResponse(
		group: EndpointGroup,
		response: HttpResponse<string>,
		{ charged, authenticated }: HttpRequest,
	): ApiError {
		const error = errorFromResponse({
			group,
			charged,
			status: response.status,
			body: response.body,
			retryAfter: response.headers['retry-after'],
			// Another clock than that of the gateway would make its dates wrong.
			now: httpDate(response.headers.date) ?? this.dependencies.now(),
			secrets: this.settings.secrets,
			origin: this.settings.origin,
		});
		const isRateLimit = response.status === 429 && authenticated;
		return isRateLimit ? error.with({ isRateLimit }) : error;
	}

	/** §5: the catalogues need no key, so they do not wait for the account's other requests. */
	private gateOf({ group }: GatewayRequest): RateGate | undefined {
		return group === 'catalogue' ? undefined : this.dependencies.gate;
	}

	private async withRetries<T>(
		request: AttemptedRequest,
		gate: RateGate | undefined,
		attempt: () => Promise<T>,
	): Promise<T> {
		return await withRetries(request, gate, this.settings, this.dependencies, attempt);
	}
}

/** Unix milliseconds. */
function httpDate(header: string | undefined): number | undefined {
	const time = Date.parse(header ?? '');
	return Number.isNaN(time) ? undefined : time;
}

function sourceError(error: unknown): never {
	throw error instanceof ApiError ? error.with({ isSource: true }) : asError(error);
}
