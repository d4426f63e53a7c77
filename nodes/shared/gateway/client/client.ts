import { throwIfAborted, abortable } from './abort';
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
import { ApiError } from '../errors/errors';
import { asObject, parseJson, type Json, type JsonObject } from '../util/json';
import type { Origin } from '../errors/texts/origin';
import { MAX_RETRY_AFTER_MS, retryDelayMs } from './retry';
import { Watchdog } from './watchdog';

/** What the client needs from its surroundings; passed in so that its decisions can be tested. */
export interface ClientDependencies {
	transport: Transport;
	/** Runs `work` when one of the slots for parallel requests is free. */
	withSlot: <T>(work: () => Promise<T>) => Promise<T>;
	/** Waits; rejects with {@link StoppedError} when the run ends meanwhile. */
	pause: (milliseconds: number) => Promise<void>;
	/** Waits, whatever happens to the run: requests in flight go on to their end. */
	sleep: (milliseconds: number) => Promise<void>;
	/** Unix milliseconds. */
	now: () => number;
	/** A number in [0, 1). */
	random: () => number;
}

/** How the requests of a client behave. */
export interface RequestSettings {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
	/** Replaces each request's own timeout, in milliseconds. */
	timeoutMs?: number | undefined;
}

export interface ClientSettings extends RequestSettings {
	/** Ends in `/api/v1`, without a trailing slash. */
	baseUrl: string;
	/** Never shown: the API key. */
	secrets: readonly string[];
	/** Where it asks from, so that advice names only options that there are; an action node when it does not say. */
	origin?: Origin | undefined;
}

/** A request to an endpoint of the gateway. */
export interface GatewayRequest {
	group: EndpointGroup;
	method: HttpRequest['method'];
	/** Below the base URL, with its leading slash; parts already encoded. */
	path: string;
	json?: JsonObject;
	/** Opens the body anew for each attempt: a stream is used up by one. */
	openBody?: () => Promise<ByteStream | Uint8Array>;
	headers?: Record<string, string>;
	/** Milliseconds; §8 sets the ceiling of a request at 300 s. */
	timeoutMs?: number;
	/** Milliseconds after which the answer is of no use, whatever timeout the user has set. */
	timeoutLimitMs?: number | undefined;
	/** Whether sending it twice does what sending it once does. Default: true for GET and DELETE only. */
	idempotent?: boolean;
	/** Replaces the item's number of retries, for callers that repeat on their own. */
	maxRetries?: number | undefined;
	/** Statuses above 499 after which it surely had no effect; of the others that is not known. */
	statusesWithoutEffect?: ReadonlySet<number> | undefined;
	/**
	 * Tells that nobody waits for the answer any more: nothing is sent then, pauses end, and a stream is given up. A
	 * whole answer that is under way cannot be called off.
	 */
	signal?: AbortSignal | undefined;
	/** Whether it costs money. A charged request that is not repeatable is never sent again when its answer is lost. */
	charged?: boolean;
}

/** How a request may be tried again. */
interface Retrying extends Pick<GatewayRequest, 'maxRetries' | 'signal' | 'statusesWithoutEffect'> {
	idempotent: boolean;
}

/**
 * The only place that sends. Adds what every request needs: slots, retries (§7.6), reading of errors (§7.1).
 * Knows neither n8n nor any endpoint.
 */
export class GatewayClient {
	constructor(
		readonly settings: ClientSettings,
		private readonly dependencies: ClientDependencies,
	) {}

	/** Waits; rejects when the run ends meanwhile. */
	async pause(milliseconds: number): Promise<void> {
		return await this.dependencies.pause(milliseconds);
	}

	/** Waits, whatever happens to the run. */
	async sleep(milliseconds: number): Promise<void> {
		await this.dependencies.sleep(milliseconds);
	}

	/** Present time in Unix milliseconds. */
	now(): number {
		return this.dependencies.now();
	}

	/** A number in [0, 1), for jitter. */
	random(): number {
		return this.dependencies.random();
	}

	/**
	 * Sends a request and gives the JSON object of the answer; an empty one for an empty 204.
	 *
	 * @throws {ApiError} when retries did not help or §7.6 forbids them
	 */
	async json(request: GatewayRequest): Promise<JsonObject> {
		return await this.parsed(request, asObject);
	}

	/**
	 * As {@link json}, for an answer whose shape the specification does not show: an object or a list.
	 *
	 * @throws {ApiError} as {@link json}
	 */
	async jsonOrList(request: GatewayRequest): Promise<JsonObject | Json[]> {
		return await this.parsed(request, (body) => (Array.isArray(body) ? (body as Json[]) : asObject(body)));
	}

	/** @param read gives the body as it is expected; `undefined` for one that is not as expected */
	private async parsed<T>(
		request: GatewayRequest,
		read: (body: unknown) => T | undefined,
	): Promise<T | JsonObject> {
		return await this.withRetries(retryingOf(request), async () => {
			const httpRequest = await this.httpRequest(request, 'text');
			const response = await this.dependencies.transport
				.text(httpRequest)
				.finally(() => destroyBody(httpRequest.body));
			if (response.status < 200 || response.status > 299) throw this.errorResponse(request.group, response);
			if (response.status === 204) return {};
			const body = read(parseJson(response.body));
			if (body === undefined) throw unreadableResponse(response, { charged: httpRequest.charged });
			return body;
		});
	}

	/**
	 * Sends a request and hands the answer's bytes to `consume` as they arrive. A GET whose stream breaks is sent
	 * anew, so `consume` may then be called several times.
	 *
	 * @throws {ApiError} as {@link json}
	 */
	async stream<T>(
		request: GatewayRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
	): Promise<T> {
		const { group, signal } = request;
		return await this.withRetries(retryingOf(request), async () => {
			const httpRequest = await this.httpRequest(request, 'stream');
			return await this.consumed(group, httpRequest, consume, signal).finally(() =>
				destroyBody(httpRequest.body),
			);
		});
	}

	/** Streams a file from any address, without the key: result files lie on other hosts. */
	async downloadUrl<T>(url: string, consume: (response: HttpResponse<ByteStream>) => Promise<T>): Promise<T> {
		const httpRequest: HttpRequest = {
			method: 'GET',
			url,
			headers: {},
			timeoutMs: this.settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
			authenticated: false,
			responseType: 'stream',
			charged: false,
		};
		return await this.withRetries(
			{ idempotent: true },
			async () => await this.consumed('file', httpRequest, consume),
		);
	}

	private async consumed<T>(
		group: EndpointGroup,
		httpRequest: HttpRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
		signal?: AbortSignal,
	): Promise<T> {
		const response = await this.dependencies.transport.stream(httpRequest);
		const { timeoutMs } = httpRequest;
		// n8n's HTTP client watches over the headers alone where it follows no redirect.
		const watchdog = new Watchdog({ totalMs: timeoutMs, idleMs: timeoutMs }, this.dependencies);
		const read = async () => {
			if (response.status >= 200 && response.status <= 299)
				return await consume({ ...response, idleTimeoutMs: timeoutMs });
			throw this.errorResponse(group, { ...response, body: await readStart(response.body, watchdog) });
		};
		try {
			return await abortable(signal, read);
		} finally {
			watchdog.stop();
			response.body.destroy();
		}
	}

	private async httpRequest(
		request: GatewayRequest,
		responseType: HttpRequest['responseType'],
	): Promise<HttpRequest> {
		const { json, openBody } = request;
		const body = openBody ? await openBody() : json && JSON.stringify(json);
		return {
			method: request.method,
			url: this.settings.baseUrl + request.path,
			headers: {
				Accept: 'application/json, */*;q=0.5',
				...(json ? { 'Content-Type': 'application/json' } : {}),
				...request.headers,
			},
			...(body === undefined ? {} : { body }),
			timeoutMs: Math.min(
				this.settings.timeoutMs ?? request.timeoutMs ?? REQUEST_TIMEOUT_MS,
				request.timeoutLimitMs ?? Infinity,
			),
			authenticated: true,
			responseType,
			charged: (request.charged ?? false) && !isIdempotent(request),
		};
	}

	private errorResponse(group: EndpointGroup, response: HttpResponse<string>): ApiError {
		return errorFromResponse({
			group,
			status: response.status,
			body: response.body,
			retryAfter: response.headers['retry-after'],
			now: this.dependencies.now(),
			secrets: this.settings.secrets,
			origin: this.settings.origin,
		});
	}

	private async withRetries<T>(
		{ idempotent, maxRetries = this.settings.maxRetries, signal, statusesWithoutEffect }: Retrying,
		attempt: () => Promise<T>,
	): Promise<T> {
		const inSlot = async () => {
			// Waiting for the slot may have taken long.
			throwIfAborted(signal);
			return await attempt();
		};
		let mayHaveTakenEffect = false;
		for (let failures = 1; ; failures += 1) {
			const outcome = await outcomeOf(
				abortable(signal, async () => await this.dependencies.withSlot(inSlot)),
			);
			if ('value' in outcome) return outcome.value;
			const { error } = outcome;
			if (!(error instanceof ApiError)) throw error;
			const { delivery, retryable, retryAfterMs, status = 0 } = error.details;
			const delay = retryDelayMs(
				{ failures, maxRetries, delivery, retryable, retryAfterMs, idempotent },
				this.dependencies.random(),
			);
			if (delay === undefined)
				throw withAttempts(mayHaveTakenEffect ? error.with({ mayHaveTakenEffect }) : error, failures);
			mayHaveTakenEffect ||= delivery === 'unknown' || (status >= 500 && !statusesWithoutEffect?.has(status));
			await abortable(signal, async () => await this.dependencies.pause(delay));
		}
	}
}

/** Says how often it was tried, and which pause the gateway asks for when it is too long to be waited for. */
function withAttempts(failure: ApiError, tries: number): ApiError {
	const { description, retryAfterMs = 0 } = failure.details;
	const notes = [
		...(tries > 1 ? [`It was tried ${tries} times.`] : []),
		...(retryAfterMs > MAX_RETRY_AFTER_MS
			? [`The gateway asks to wait ${Math.ceil(retryAfterMs / 60_000)} minutes before the next try.`]
			: []),
	];
	return notes.length === 0 ? failure : failure.with({ description: [description, ...notes].join(' ') });
}

function retryingOf(request: GatewayRequest): Retrying {
	const { maxRetries, signal, statusesWithoutEffect } = request;
	return { idempotent: isIdempotent(request), maxRetries, signal, statusesWithoutEffect };
}

function isIdempotent(request: GatewayRequest): boolean {
	return request.idempotent ?? (request.method === 'GET' || request.method === 'DELETE');
}

async function outcomeOf<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
	return await promise.then(
		(value) => ({ value }),
		(error: unknown) => ({ error }),
	);
}
