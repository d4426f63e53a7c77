import type { ClientDependencies, ClientSettings } from '../../nodes/shared/gateway/client/client';
import { RateGate } from '../../nodes/shared/gateway/client/rateGate';
import { isSuccess, type HttpRequest, type Transport } from '../../nodes/shared/gateway/client/transport';
import { byteStream, testClient } from './client';
import { VirtualClock } from './virtualClock';

/** The response of a simulated gateway. */
export interface Answer {
	status?: number;
	headers?: Record<string, string>;
	body?: string;
	latencyMs?: number;
}

/**
 * Clients that share one gate, in virtual time, against a simulated gateway.
 *
 * @param serve returns the response to a request
 * @param networkMs until a request arrives
 */
export function virtualGateway(
	serve: (request: HttpRequest, now: number) => Answer,
	random = () => 0.5,
	networkMs = 0,
) {
	const clock = new VirtualClock();
	const newGate = () => new RateGate({ now: clock.now, random });
	const gate = newGate();
	const log: Array<{ at: number; url: string; status: number; body: unknown }> = [];
	const start = clock.now();
	const exchange = async (request: HttpRequest) => {
		if (networkMs > 0) await clock.sleep(networkMs * (0.5 + random()));
		const at = clock.now() - start;
		const { status = 200, headers = {}, body = '{}', latencyMs = 100 } = serve(request, clock.now());
		log.push({ at, url: request.url, status, body: request.body });
		await clock.sleep(latencyMs);
		return { status, headers, body };
	};
	const transport: Transport = {
		text: exchange,
		stream: async (request) => {
			const response = await exchange(request);
			return isSuccess(response) ? { ...response, body: byteStream(response.body) } : response;
		},
	};
	const { sleep, now } = clock;
	const common = { transport, gate, pause: sleep, sleep, now, random };
	const client = (settings: Partial<ClientSettings> = {}, dependencies: Partial<ClientDependencies> = {}) =>
		testClient(settings, { ...common, ...dependencies });
	return { clock, log, client, newGate, seconds: () => (clock.now() - start) / 1000 };
}

/** The body of a 429 (§7.3). */
export const limitBody = (code = 'rate_limit_exceeded') =>
	JSON.stringify({ error: { message: 'limit', type: 'rate_limit_error', param: null, code } });

/** Does work `count` times, at most `max` at a time. */
export async function pool(count: number, max: number, work: (n: number) => Promise<void>) {
	let next = 0;
	await Promise.all(
		Array.from({ length: max }, async () => {
			while (next < count) {
				const n = next;
				next += 1;
				await work(n);
			}
		}),
	);
}
