import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebhookContext } from 'n8n-core';
import type { Logger } from 'n8n-workflow';

import { startGateway, type Gateway } from '../../sandbox/gateway/gateway';
import { binaryStorage } from '../helpers/engine';
import { freshRateGates } from '../helpers/rateGates';
import { Clock, passTime } from '../helpers/time';
import { Execution, type Surroundings } from './execution';
import { asked, charges, deleteTasks, OTHER_ACCOUNT, prepareGateway, type Charge } from './gateway';
import { edited, type History } from './history';
import { SentRequests, type SentRequest } from './requests';

/** What can be seen of a history from outside. */
export interface Observation {
	/** The execution, and its retries. */
	executions: Execution[];
	wasCancelled: boolean;
	charges: Charge[];
	asked: ReturnType<typeof asked>;
	sent: SentRequest[];
	/** The origin of the gateway's API. */
	origin: string;
	/** The lines of n8n's log. */
	log: string[];
}

/** The channel on which Node.js tells of each request that a server receives. */
const RECEIVED = 'http.server.request.start';

/** How long work in the background of an execution may go on, in milliseconds. */
const REST_MS = 120_000;

/** How long a person needs to read an error and to press *Retry*, in milliseconds. */
const READING_MS = 60_000;

/** A gateway, and the server of an n8n that receives its callbacks. */
export class Simulation {
	private readonly log: string[] = [];
	private readonly requests: SentRequests;
	private execution: Execution | undefined;
	private count = 0;
	private received = 0;
	private onReceived: (count: number) => void = () => undefined;
	private readonly note = (message: unknown): void => {
		if (message !== null && Reflect.get(Object(message), 'server') === this.n8n) return;
		this.onReceived((this.received += 1));
	};

	private constructor(
		private readonly gateway: Gateway,
		private readonly n8n: Server,
	) {
		this.requests = new SentRequests(gateway.apiKey);
		subscribe(RECEIVED, this.note);
		n8n.on('request', (request: IncomingMessage, response: ServerResponse) => {
			void this.receive(request, response);
		});
	}

	static async start(): Promise<Simulation> {
		await binaryStorage();
		const n8n = createServer();
		await new Promise<void>((resolve) => n8n.listen(0, '127.0.0.1', resolve));
		return new Simulation(await startGateway({ balance: '1000000.00' }), n8n);
	}

	async close(): Promise<void> {
		this.requests.restore();
		unsubscribe(RECEIVED, this.note);
		this.n8n.closeAllConnections();
		await new Promise((resolve) => this.n8n.close(resolve));
		await this.gateway.close();
	}

	/** Lets a history happen. */
	async play(history: History): Promise<Observation> {
		const { gateway, requests, log } = this;
		const { port } = this.n8n.address() as AddressInfo;
		// The timers of the last history are gone.
		freshRateGates();
		const random = jest.spyOn(Math, 'random').mockImplementation(randomNumbers());
		// The logger of every context.
		const logger = Reflect.get(WebhookContext.prototype, 'logger', {}) as Logger;
		const logged = (['warn', 'error'] as const).map((level) =>
			jest.spyOn(logger, level).mockImplementation((...[message]) => void log.push(String(message))),
		);
		try {
			await prepareGateway(gateway, history);
			requests.clear();
			log.splice(0);
			const { baseUrl, apiKey, control } = gateway;
			control.setBalance('1000000.00', OTHER_ACCOUNT);
			const { key: other } = control.createKey({ account: OTHER_ACCOUNT });
			const surroundings: Surroundings = {
				credential: { baseUrl, apiKey },
				keyOf: keyOf(history, [apiKey, other]),
				n8nUrl: `http://127.0.0.1:${port}`,
			};
			const executions: Execution[] = [];
			const play = async (written: History, before?: Execution): Promise<Execution> => {
				const execution = new Execution(written, (this.count += 1), surroundings, before);
				executions.push(execution);
				this.execution = execution;
				await execution.play();
				if (execution.isLost) requests.isCancelled = false;
				return execution;
			};
			this.schedule(history);
			let execution = await play(history);
			for (const edit of history.retries) {
				if (requests.isCancelled || !execution.canBeRetried) break;
				await deleteTasks(gateway, history, [apiKey, other]);
				await passTime(READING_MS);
				execution = await play(edited(execution.history, edit), execution);
			}
			// What follows belongs to no run that could be cancelled.
			const sent = [...requests.all];
			await Clock.current.drained(REST_MS);
			return {
				executions,
				wasCancelled: requests.isCancelled,
				charges: charges(gateway, requests.answered, executions),
				asked: asked(gateway, requests.answered),
				sent: [...sent, ...requests.all.slice(sent.length).map((one) => ({ ...one, afterCancel: false }))],
				origin: new URL(baseUrl).origin,
				log: [...log],
			};
		} finally {
			requests.destroyOpen();
			await Clock.current.drained(1_000);
			await gateway.control.reset();
			Clock.current.clearTimers();
			for (const spy of [random, ...logged]) spy.mockRestore();
		}
	}

	/** Prepares what happens during the executions. */
	private schedule({ stop }: History): void {
		const { requests } = this;
		let hasStopped = false;
		const end = (): void => {
			if (hasStopped || !this.execution?.cancel()) return;
			hasStopped = true;
			requests.isCancelled = true;
			this.execution.isLost = stop?.by === 'crash';
		};
		requests.onRequest = (count) => {
			if (stop && 'sent' in stop && count === stop.sent) end();
		};
		this.received = 0;
		this.onReceived = (count) => {
			if (stop && 'received' in stop && count === stop.received) end();
		};
		requests.onAnswer = (count) => {
			if (stop && 'answered' in stop && count === stop.answered) void ticks(stop.ticks).then(end);
		};
		if (stop && 'afterMs' in stop) setTimeout(end, stop.afterMs);
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body: unknown = await json(request).catch(() => ({}));
		const { searchParams, pathname } = new URL(request.url ?? '/', 'http://n8n');
		const reply = (status: number, content: unknown): void => {
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
		};
		const isCurrent = pathname.includes(`/execution-${this.count}/`);
		if (!this.execution || !isCurrent) return reply(404, { message: 'There is no such execution' });
		await this.execution.receive({ query: Object.fromEntries(searchParams), body, reply });
	}
}

async function ticks(count: number): Promise<void> {
	for (let done = 0; done < count; done += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The API key of an item, as the credential of a history gives it. */
function keyOf({ accounts }: History, keys: [string, string]): Surroundings['keyOf'] {
	const reads = new Map<number, number>();
	return (_, index) => {
		const count = reads.get(index) ?? 0;
		reads.set(index, count + 1);
		const turn = { one: 0, byItem: index, byRead: count }[accounts];
		return keys[turn % 2] ?? '';
	};
}

/** The same numbers in each history, in place of `Math.random`. */
function randomNumbers(): () => number {
	let state = 1;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
