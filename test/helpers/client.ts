import { ApiError, StoppedError } from '../../nodes/shared/gateway/errors/errors';
import type {
	HttpResponse,
	ByteStream,
	HttpRequest,
	Transport,
} from '../../nodes/shared/gateway/client/transport';
import {
	GatewayClient,
	type ClientSettings,
	type ClientDependencies,
} from '../../nodes/shared/gateway/client/client';

/** What a scripted transport does with one exchange. */
export type Step = { status?: number; headers?: Record<string, string>; body?: string } | Error;

export interface ScriptedClient {
	client: GatewayClient;
	/** The exchanges that were carried out. */
	sent: HttpRequest[];
	/** The pauses that were made, in milliseconds. */
	pauses: number[];
	/** The clock, moved by pauses. */
	clock: { now: number };
}

/**
 * A client on a scripted transport and a clock that only pauses move.
 *
 * @param steps answers in order; the last one repeats
 * @param options.stopAt makes the pause that would pass this moment reject, as a cancellation does
 * @param options.dependencies replaces parts of what the client works with
 */
export function scriptedClient(
	steps: Step[],
	settings: Partial<ClientSettings> = {},
	options: {
		stopAt?: number;
		random?: () => number;
		dependencies?: Partial<ClientDependencies>;
	} = {},
): ScriptedClient {
	const sent: HttpRequest[] = [];
	const pauses: number[] = [];
	const clock = { now: 1_000_000 };
	const next = (exchange: HttpRequest): HttpResponse<string> => {
		const step = steps[Math.min(sent.length, steps.length - 1)];
		sent.push(exchange);
		if (step === undefined) throw new Error('the script has no step');
		if (step instanceof Error) throw step;
		return { status: step.status ?? 200, headers: step.headers ?? {}, body: step.body ?? '{}' };
	};
	const transport: Transport = {
		text: (exchange) => Promise.resolve().then(() => next(exchange)),
		stream: (exchange) =>
			Promise.resolve().then(() => {
				const answer = next(exchange);
				return { ...answer, body: byteStream(answer.body) };
			}),
	};
	const pause = (milliseconds: number): Promise<void> => {
		if (options.stopAt !== undefined && clock.now + milliseconds > options.stopAt) {
			return Promise.reject(new StoppedError('cancelled'));
		}
		pauses.push(milliseconds);
		clock.now += milliseconds;
		return Promise.resolve();
	};
	const client = new GatewayClient(
		{ baseUrl: 'https://gateway.test/api/v1', secrets: ['secret-key'], maxRetries: 3, ...settings },
		{
			transport,
			withSlot: async (work) => await work(),
			pause,
			// Watchdogs of streams look at the clock, which only pauses move.
			sleep: async (milliseconds) =>
				await new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
			now: () => clock.now,
			random: options.random ?? (() => 0.5),
			...options.dependencies,
		},
	);
	return { client, sent, pauses, clock };
}

/** Text as a stream of bytes, in portions of up to 7. */
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

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
	return await promise.then(
		() => {
			throw new Error('it did not reject');
		},
		(error: unknown) => error,
	);
}

/** The failure that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
	const error = await rejection(promise);
	if (error instanceof ApiError) return error;
	throw error;
}
