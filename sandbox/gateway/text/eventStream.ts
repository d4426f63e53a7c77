/** Sends the events of a text stream (§6), with the faults of control. */
import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayContext } from '../context';
import { cutConnection, pause, traceOf, type RequestTrace } from '../control/instrument';
import { drawDuration } from '../control/settings';
import type { StreamFault } from '../control/types';
import type { JsonObject } from '../jsonSchema';
import { EventWriter } from './eventWriter';

export interface StreamEvent {
	/** `final` events end the response; `done` is the frame after the last event. */
	kind: 'meta' | 'delta' | 'final' | 'done';
	data: JsonObject | '[DONE]';
	/** Runs when the event is written: the charge. */
	before?: () => void;
}

/** The differences of the three formats apart from the events themselves. */
export interface StreamDialect {
	/** §6.3: an `event:` line names the type. */
	named: boolean;
	/** §6.1: events carry a `sequence_number`. */
	numbered: boolean;
	error: (message: string) => JsonObject;
	/** The keep-alive event, where there is one. */
	ping: JsonObject | null;
	unknown: JsonObject;
}

/** Sends the events and ends the connection; resolves when nothing more will be written. */
export async function sendStream(
	context: GatewayContext,
	request: FastifyRequest,
	reply: FastifyReply,
	events: readonly StreamEvent[],
	dialect: StreamDialect,
): Promise<void> {
	const trace = traceOf(request);
	const { action } = trace.plan;
	reply.hijack();
	if (action?.kind === 'loseResponse') {
		for (const event of events) event.before?.();
		cutConnection(request, trace);
		return;
	}
	await context.holds.pass(trace.record);
	reply.raw.writeHead(200, {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-cache',
		connection: 'keep-alive',
		'x-request-id': trace.record.id,
	});
	reply.raw.flushHeaders();
	const faults = { ...context.settings.current.stream, ...trace.plan.stream };
	const writer = new EventWriter(reply.raw, {
		...faults,
		cutAfterBytes: action?.kind === 'cutBody' ? (action.afterBytes ?? 1024) : undefined,
		cut: () => cutConnection(request, trace),
	});
	const pass = async (deltas: number) => await context.holds.pass(trace.record, deltas);
	await new Streaming(request, trace, writer, faults, dialect, pass).run(events);
}

class Streaming {
	private written = 0;
	private sequence = 0;

	constructor(
		private readonly request: FastifyRequest,
		private readonly trace: RequestTrace,
		private readonly writer: EventWriter,
		private readonly faults: StreamFault,
		private readonly dialect: StreamDialect,
		/** Waits if the stream is held after so many deltas. */
		private readonly pass: (deltas: number) => Promise<void>,
	) {}

	async run(events: readonly StreamEvent[]): Promise<void> {
		const { missingEnd } = this.faults;
		let deltas = 0;
		for (const event of events) {
			if (this.writer.gone || (await this.stopsHere())) return;
			if (missingEnd && (event.kind === 'done' || event.kind === 'final')) continue;
			if (event.kind === 'delta') await pause(drawDuration(this.faults.deltaDelayMs ?? 0), this.request.raw);
			if (this.writer.gone) return;
			if (isNth(this.written, this.faults.noiseEvery)) await this.noise();
			await this.send(event);
			if (event.kind === 'delta') await this.pass((deltas += 1));
		}
		this.writer.end();
	}

	/** True when a fault ends the stream before the next event. */
	private async stopsHere(): Promise<boolean> {
		const { cutAfter, errorAfter, stallAfter } = this.faults;
		if (cutAfter === this.written) {
			await pause(20, this.request.raw);
			cutConnection(this.request, this.trace);
			return true;
		}
		if (errorAfter === this.written) {
			// There is no charge then (§6.1).
			await this.put(this.dialect.error('The provider failed in the middle of the answer'));
			this.writer.end();
			return true;
		}
		if (stallAfter === this.written) {
			await once(this.request.raw.socket, 'close');
			return true;
		}
		return false;
	}

	private async noise(): Promise<void> {
		await this.writer.frame(': keep-alive');
		if (this.dialect.ping) await this.put(this.dialect.ping);
		await this.put(this.dialect.unknown);
	}

	private async send(event: StreamEvent): Promise<void> {
		if (event.data === '[DONE]') {
			await this.writer.frame('data: [DONE]');
			return;
		}
		event.before?.();
		const twice = isNth(this.written, this.faults.duplicateEvery);
		await this.put(event.data, twice ? 2 : 1);
		this.written += 1;
	}

	/** Numbers the event and writes it, twice for a duplicate. */
	private async put(data: JsonObject, copies = 1): Promise<void> {
		const numbered = this.dialect.numbered ? { ...data, sequence_number: this.sequence } : data;
		this.sequence += 1;
		const line = `data: ${JSON.stringify(numbered)}`;
		for (let copy = 0; copy < copies; copy += 1) {
			if (this.dialect.named) await this.writer.frame(`event: ${String(data.type)}`, line);
			else await this.writer.frame(line);
		}
	}
}

function isNth(count: number, every: number | undefined): boolean {
	return every !== undefined && every > 0 && (count + 1) % every === 0;
}
