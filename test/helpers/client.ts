import { Limiter, RunSignal } from '../../nodes/shared/gateway/client/limits';
import { RateGate } from '../../nodes/shared/gateway/client/rateGate';
import { ApiError, StoppedError } from '../../nodes/shared/gateway/errors/errors';
import { problemError } from '../../nodes/shared/gateway/errors/fromResponse';
import type { ProblemName } from '../../nodes/shared/gateway/errors/problems';
import {
	type HttpResponse,
	type ByteStream,
	type HttpRequest,
	type Transport,
} from '../../nodes/shared/gateway/client/transport';
import {
	GatewayClient,
	type ClientSettings,
	type ClientDependencies,
	type Slots,
} from '../../nodes/shared/gateway/client/client';

/** What a scripted transport does with one request: responds, or throws. */
export type Step = { status?: number; headers?: Record<string, string>; body?: string } | ProblemName | Error;

interface ScriptedClient {
	client: GatewayClient;
	/** The requests that were sent. */
	sent: HttpRequest[];
	/** The pauses, in milliseconds. */
	pauses: number[];
	/** The clock, moved by pauses. */
	clock: { now: number };
}

/**
 * A client on a scripted transport and a clock that only pauses move.
 *
 * @param steps responses in order; the last one repeats. An error without a body is the gateway's own.
 * @param options.stopAt the time at which the execution is cancelled: a pause that would pass it rejects
 * @param options.dependencies replaces dependencies of the client
 * @param options.pause replaces its pauses
 */
export function scriptedClient(
	steps: Step[],
	settings: Partial<ClientSettings> = {},
	options: {
		stopAt?: number;
		random?: () => number;
		dependencies?: Partial<ClientDependencies>;
		pause?: (milliseconds: number) => Promise<void>;
	} = {},
): ScriptedClient {
	const sent: HttpRequest[] = [];
	const pauses: number[] = [];
	const clock = { now: 1_000_000 };
	const next = (request: HttpRequest): HttpResponse<string> => {
		const step = steps[Math.min(sent.length, steps.length - 1)];
		sent.push(request);
		if (step === undefined) throw new Error('the script has no step');
		if (step instanceof Error) throw step;
		if (typeof step === 'string') throw problemError(step, request.kind);
		const { status = 200, headers = {} } = step;
		return { status, headers, body: step.body ?? (status >= 500 ? gatewayFailure(status) : '{}') };
	};
	const transport = textTransport(async (request) => await Promise.resolve().then(() => next(request)));
	const pause = (milliseconds: number): Promise<void> => {
		if (options.stopAt !== undefined && clock.now + milliseconds > options.stopAt) {
			return Promise.reject(new StoppedError('cancelled'));
		}
		pauses.push(milliseconds);
		clock.now += milliseconds;
		return Promise.resolve();
	};
	const random = options.random ?? (() => 0.5);
	// Time limits read the clock, which only pauses move.
	const now = () => clock.now;
	const gate = testGate(now, random);
	const client = testClient(settings, { transport, gate, now, random, ...options.dependencies });
	return { client: Object.assign(client, { pause: options.pause ?? pause }), sent, pauses, clock };
}

/** A client on a transport, without limits. */
export function testClient(
	settings: Partial<ClientSettings>,
	dependencies: Partial<ClientDependencies> & Pick<ClientDependencies, 'transport'>,
): GatewayClient {
	const sleep = async (milliseconds: number) =>
		await new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());
	return new GatewayClient(
		{ baseUrl: 'https://gateway.test/api/v1', secrets: ['secret-key'], maxRetries: 3, ...settings },
		{
			gate: testGate(),
			slots: slots(),
			run: new RunSignal(),
			sleep,
			now: () => Date.now(),
			random: () => 0.5,
			...dependencies,
		},
	);
}

/** A transport whose responses are texts. */
export function textTransport(respond: (request: HttpRequest) => Promise<HttpResponse<string>>): Transport {
	return async (request, read) => {
		const response = await respond(request);
		const body = byteStream(response.body);
		return await read({ ...response, body }, () => body.destroy());
	};
}

/** Slots for all kinds of requests. */
export function slots(all: Slots['requests'] = new Limiter(Infinity)): Slots {
	return { reads: all, files: all, requests: all };
}

/** A gate of its own for a client, in the time of the test unless given. */
export function testGate(now = () => Date.now(), random = () => 0.5): RateGate {
	return new RateGate({ now }, random);
}

/** The gate of an account whose pause does not end. */
export function closedGate(): RateGate {
	return Object.assign(testGate(), { pass: () => ({ waitMs: 1_000 }) });
}

/** The body of an error that the gateway itself sends: the media envelope (§7.1). */
export function gatewayFailure(status: number): string {
	return JSON.stringify({ code: status, msg: '', data: null });
}

/** Text as a stream of bytes, in chunks of up to 7 bytes. */
export function byteStream(text: string): ByteStream & { destroyed: boolean } {
	const bytes = new TextEncoder().encode(text);
	return {
		destroyed: false,
		destroy() {
			this.destroyed = true;
		},
		async *[Symbol.asyncIterator]() {
			for (let start = 0; start < bytes.length; start += 7) {
				await Promise.resolve();
				yield bytes.slice(start, start + 7);
			}
		},
	};
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
	return await promise.then(
		() => {
			throw new Error('it did not reject');
		},
		(error: unknown) => error,
	);
}

/** The `ApiError` that a promise rejects with. */
export async function apiErrorOf(promise: Promise<unknown>): Promise<ApiError> {
	const error = await rejection(promise);
	if (error instanceof ApiError) return error;
	throw error;
}
