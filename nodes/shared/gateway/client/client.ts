import { createHash } from 'node:crypto';

import { ENDPOINTS } from '../errors/endpoints';
import { ApiError, asError, StoppedError, type RequestKind } from '../errors/errors';
import { errorFromResponse, problemError, statusInBody } from '../errors/fromResponse';
import { withoutKeys } from '../errors/secrets';
import type { ErrorInfo } from '../errors/texts';
import { asObject, parseJson, wireText, type JsonObject } from '../util/json';
import { abortable, type Limiter, type RunSignal } from './limits';
import type { RateGate, WaitMeter } from './rateGate';
import { pauseMs, retryDelayMs } from './retry';
import {
	isSuccess,
	readBody,
	REQUEST_TIMEOUT_MS,
	type ByteStream,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from './transport';

export interface RequestSettings {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
	/** How long a request waits while the gateway refuses it. Default: 15 minutes. */
	rateLimitWaitMs?: number | undefined;
	/** The longest time of one exchange, body included, in milliseconds. */
	timeoutMs?: number | undefined;
}

/** The slots of polls and catalogues, of files at other URLs, and of other requests. */
export type Slots = Record<'reads' | 'files' | 'requests', Pick<Limiter, 'run'>>;

export interface ClientDependencies {
	transport: Transport;
	gate: RateGate;
	waitMeter?: WaitMeter | undefined;
	slots: Slots;
	run: RunSignal;
	/** Waits even if the run ends, but not longer than until the signal is aborted. */
	sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
	/** Unix milliseconds. */
	now: () => number;
	/** A number in [0, 1). */
	random: () => number;
}

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
	return createHash('sha256').update(account).digest('hex').slice(0, 32);
}

/** A request to an endpoint of the gateway. Its method is GET unless it says another. */
export interface GatewayRequest
	extends Pick<HttpRequest, 'kind' | 'signal'>,
		Pick<RequestSettings, 'rateLimitWaitMs'>,
		Pick<ErrorInfo, 'endpoint' | 'features'>,
		Partial<Pick<HttpRequest, 'method' | 'headers' | 'timeoutMs'>> {
	/** The longest response to a text, in bytes. */
	maxBytes?: number | undefined;
	/** Below the base URL, with its leading slash; parts already encoded. A URL for the kind `file`. */
	path: string;
	json?: JsonObject;
	/** Opens the body for each attempt, a stream can be read only once, with headers that are known only then. */
	openBody?: () => Promise<{ content: ByteStream | Uint8Array; headers?: Record<string, string> }>;
	takesList?: boolean;
}

const FILE_REQUEST = { endpoint: 'downloadUrl', kind: 'file' } as const;

interface OpenResponse extends HttpResponse<ByteStream> {
	close: () => void;
}

interface Progress {
	sent: number;
	failures: number;
	refusals: number;
	/** How long it may still wait for the rate limit, in milliseconds. */
	waitLeftMs: number;
	/** Whether an exchange is in flight: when nobody waits for it any more, it goes on. */
	isSending: boolean;
	/** Whether an attempt may have had its effect. */
	mayHaveEffect: boolean;
	/** Whether the gateway did not say of an attempt that it is free. */
	chargeUnsaid: boolean;
}

/** Sends all requests: waits for a slot, retries (§7.6), reads error responses (§7.1). Knows neither n8n nor any endpoint. */
export class GatewayClient {
	readonly account: string;
	/** The run that the requests are for. */
	readonly run: RunSignal;
	readonly sleep: ClientDependencies['sleep'];
	readonly now: ClientDependencies['now'];
	readonly random: ClientDependencies['random'];

	constructor(
		readonly settings: ClientSettings,
		private readonly dependencies: ClientDependencies,
	) {
		this.account = accountOf(settings);
		this.run = dependencies.run;
		this.sleep = dependencies.sleep;
		this.now = dependencies.now;
		this.random = dependencies.random;
	}

	/** @throws {StoppedError} as soon as the run ends */
	async pause(milliseconds: number): Promise<void> {
		await this.run.until(async (signal) => await this.sleep(milliseconds, signal));
	}

	/** Returns the body of the response; an empty object for a 204, except to a GET; a list as `list`. */
	async json(request: GatewayRequest): Promise<JsonObject> {
		return await this.send(request, async (httpRequest) => {
			const { kind } = request;
			const response = await this.dependencies.transport(
				httpRequest,
				async (received) => await this.read(received, kind),
			);
			if (!isSuccess(response)) throw this.errorResponse(request, response);
			if (response.status === 204 && httpRequest.method !== 'GET') return {};
			const parsed = parseJson(response.body);
			const body = request.takesList && Array.isArray(parsed) ? { list: parsed } : asObject(parsed);
			if (body === undefined) throw problemError('notJson', kind, { status: response.status });
			// §7.1: an error may have the status of a success.
			const status = statusInBody(request.endpoint, body);
			if (status !== undefined) throw this.errorResponse(request, { ...response, status });
			return body;
		});
	}

	/** Passes the response to `consume`, which may run several times: a GET whose stream breaks is sent again. */
	async stream<T>(
		request: GatewayRequest,
		consume: (response: HttpResponse<ByteStream>) => Promise<T>,
	): Promise<T> {
		return await this.send(request, async (httpRequest) => {
			const { close, ...response } = await this.opened(request, httpRequest);
			return await abortable(request.signal, async () => await consume(response)).finally(close);
		});
	}

	/** Streams a file from any URL, without the key: result files are on other hosts. */
	async downloadUrl<T>(url: string, consume: (response: HttpResponse<ByteStream>) => Promise<T>): Promise<T> {
		return await this.stream({ ...FILE_REQUEST, path: url }, consume);
	}

	private async opened(request: GatewayRequest, httpRequest: HttpRequest): Promise<OpenResponse> {
		const sentAt = this.now();
		const response = await this.dependencies.transport<OpenResponse | HttpResponse<string>>(
			httpRequest,
			async (opened, close) =>
				isSuccess(opened) ? { ...opened, close } : await this.read(opened, request.kind),
		);
		const { timeoutMs } = httpRequest;
		if ('close' in response) return { ...response, timeoutMs, spentMs: this.now() - sentAt };
		const { location = '' } = response.headers;
		const isLink = response.status >= 300 && response.status < 400 && /^\S/.test(location);
		if (request.kind !== 'read' || !isLink || !URL.canParse(location, httpRequest.url))
			throw this.errorResponse(request, response);
		// A file elsewhere, such as in the gateway's storage. The key stays here.
		const link = new URL(location, httpRequest.url).href;
		const file = { ...FILE_REQUEST, path: link, signal: request.signal };
		return { ...(await this.opened(file, await this.httpRequest(file))), link };
	}

	private async read(response: HttpResponse<ByteStream>, kind: RequestKind): Promise<HttpResponse<string>> {
		const read = await readBody(response, kind);
		return { ...read, body: withoutKeys(read.body, this.settings.secrets) };
	}

	private async httpRequest(request: GatewayRequest): Promise<HttpRequest> {
		const { endpoint, kind, json, openBody, signal, method = 'GET' } = request;
		const opened = await openBody?.();
		return {
			kind,
			isOfPayer: ENDPOINTS[endpoint].isOfPayer ?? false,
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
			timeoutMs: request.timeoutMs ?? this.settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
		};
	}

	/** The error that a response reports (§7.1). */
	errorResponse(request: GatewayRequest, response: HttpResponse<string>): ApiError {
		const { secrets } = this.settings;
		const retryAfter = response.headers['retry-after'];
		return errorFromResponse({ ...request, ...response, retryAfter, now: this.now(), secrets });
	}

	/** Sends a request, with retries (§7.6); a 429 has a time limit of its own. Errors have the outcome of all attempts. */
	private async send<T>(
		request: GatewayRequest,
		exchange: (httpRequest: HttpRequest) => Promise<T>,
	): Promise<T> {
		const { kind, signal, rateLimitWaitMs = Infinity } = request;
		const { reads, files, requests } = this.dependencies.slots;
		const others = kind === 'file' ? files : requests;
		const slots = kind === 'poll' || kind === 'catalogue' ? reads : others;
		const waitLeftMs = Math.min(rateLimitWaitMs, this.settings.rateLimitWaitMs ?? 15 * 60_000);
		const progress: Progress = {
			sent: 0,
			failures: 0,
			refusals: 0,
			waitLeftMs,
			isSending: false,
			mayHaveEffect: false,
			chargeUnsaid: false,
		};
		try {
			for (;;) {
				try {
					return await abortable(signal, async () => {
						return await slots.run(async () => await this.attempt(request, progress, exchange));
					});
				} catch (error) {
					if (!(error instanceof ApiError)) throw asError(error);
					await this.pauseAfter(error, request, progress);
				}
			}
		} catch (error) {
			throw lastError(error, progress);
		}
	}

	private async attempt<T>(
		request: GatewayRequest,
		progress: Progress,
		exchange: (httpRequest: HttpRequest) => Promise<T>,
	): Promise<T> {
		const { kind, signal } = request;
		// A file is elsewhere, and a catalogue works without a key: they do not count for the account.
		const gate = kind === 'file' || kind === 'catalogue' ? undefined : this.dependencies.gate;
		// The wait for the slot may have been long.
		if (signal?.aborted) throw new StoppedError('not waited for');
		this.run.throwIfAborted(kind);
		const number = gate ? await this.passed(gate, signal, progress) : 0;
		progress.sent += 1;
		progress.isSending = true;
		let error: unknown;
		let body: HttpRequest['body'];
		try {
			const httpRequest = await this.httpRequest(request);
			body = httpRequest.body;
			return await exchange(httpRequest);
		} catch (thrown) {
			error = thrown;
			progress.mayHaveEffect ||= thrown instanceof ApiError && thrown.details.outcome === 'unknown';
			// When its signal ends it, it may still reach the gateway.
			if (!signal?.aborted) progress.isSending = false;
			throw asError(thrown);
		} finally {
			// A server may respond before it has read all of it.
			if (typeof body === 'object' && 'destroy' in body) body.destroy();
			gate?.ended(number, error);
		}
	}

	/** Waits while the account pauses. Returns the number of the request; 0 when its time for waiting is over: then it is sent anyway. */
	private async passed(gate: RateGate, signal: AbortSignal | undefined, progress: Progress): Promise<number> {
		while (progress.waitLeftMs > 0) {
			const passed = gate.pass();
			if (typeof passed === 'number') return passed;
			await this.waitForLimit(passed.waitMs, signal, progress);
		}
		return 0;
	}

	/** @throws {ApiError} `error`, if it is the last one */
	private async pauseAfter(error: ApiError, { kind, signal }: GatewayRequest, progress: Progress) {
		progress.chargeUnsaid ||= error.details.chargeUnsaid === true;
		const { isRateLimit, retryAfterMs = 0 } = error.details;
		const random = this.random();
		// A poll is sent again by its caller.
		if (kind === 'poll') throw error;
		if (isRateLimit) {
			if (progress.waitLeftMs <= retryAfterMs) throw error;
			progress.refusals += 1;
			await this.waitForLimit(pauseMs(retryAfterMs, progress.refusals, random), signal, progress);
			return;
		}
		progress.failures += 1;
		const delayMs = retryDelayMs(kind, error, { ...progress, ...this.settings }, random);
		if (delayMs === undefined) throw error;
		await abortable(signal, async () => await this.pause(delayMs));
	}

	private async waitForLimit(milliseconds: number, signal: AbortSignal | undefined, progress: Progress) {
		const waitMs = Math.min(milliseconds, progress.waitLeftMs);
		progress.waitLeftMs -= waitMs;
		const wait = abortable(signal, async () => await this.pause(waitMs));
		await (this.dependencies.waitMeter?.during(wait) ?? wait);
	}
}

function lastError(error: unknown, { sent, isSending, mayHaveEffect, chargeUnsaid }: Progress): Error {
	const isUnknown = isSending || mayHaveEffect;
	if (error instanceof StoppedError) return isUnknown ? new StoppedError(error.reason, 'unknown') : error;
	if (!(error instanceof ApiError)) return asError(error);
	const { details } = error;
	return error.with({
		description: sent > 1 ? `${details.description} It was tried ${sent} times.` : details.description,
		outcome: isUnknown ? 'unknown' : details.outcome,
		...(chargeUnsaid ? { chargeUnsaid } : {}),
	});
}
