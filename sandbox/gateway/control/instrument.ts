/** Puts the request log, latency and faults around the routes of a server. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayContext } from '../context';
import { ApiError, errorFormatOf, renderError } from '../errors';
import {
	cutLate,
	dripPayload,
	partOfPayload,
	rawPayload,
	rawResponse,
	retryAfterText,
} from './brokenResponses';
import { noFaults, type FaultPlan } from './faults';
import { apiPrefix } from './requestLog';
import { drawDuration } from './settings';
import type { FaultAction, RequestRecord } from './types';

export interface RequestTrace {
	readonly record: RequestRecord;
	plan: FaultPlan;
}

const traces = new WeakMap<IncomingMessage, RequestTrace>();

/** The trace of a request of an instrumented server. */
export function traceOf(request: FastifyRequest): RequestTrace {
	const trace = traces.get(request.raw);
	if (!trace) throw new Error('The request belongs to no instrumented server');
	return trace;
}

/** Adds the hooks to this (encapsulated) part of the server. */
export function instrument(app: FastifyInstance, context: GatewayContext, host: 'api' | 'files'): void {
	app.addHook('onRequest', async (request, reply) => {
		const record = context.log.start(request, host);
		traces.set(request.raw, { record, plan: noFaults() });
		reply.header('x-request-id', record.id);
		reply.raw.on('close', () => noteEnd(context, record, reply));
		return Promise.resolve();
	});
	app.addHook('preHandler', async (request, reply) => {
		const trace = traceOf(request);
		context.log.noteBody(trace.record, request.body);
		trace.plan = context.faults.plan(trace.record);
		trace.record.faults = trace.plan.ids;
		await delay(context, request, trace);
		await act(request, reply, trace);
	});
	app.addHook('onSend', (request, reply, payload, done) => {
		// Without a call of `done` there is no response.
		if (hangsAfterEffect(request, payload)) return;
		const send = (): void => done(null, disturbPayload(request, reply, payload));
		context.holds.pass(traceOf(request).record).then(send).catch(done);
	});
}

function noteEnd(context: GatewayContext, record: RequestRecord, reply: FastifyReply): void {
	if (record.outcome === 'running') {
		const finished = reply.raw.writableFinished;
		record.outcome = finished ? 'finished' : 'aborted';
		record.status = finished ? reply.raw.statusCode : 499;
	}
	context.log.end(record);
}

/** Latency and `delay` faults; §8: not longer than the ceiling, unless a stream was requested. */
async function delay(context: GatewayContext, request: FastifyRequest, trace: RequestTrace): Promise<void> {
	const latency = context.settings.latency(trace.record.group);
	const total = trace.plan.delays.reduce((sum, { ms }) => sum + drawDuration(ms), latency);
	const { requestCeilingMs } = context.settings.current;
	const tooLong = total > requestCeilingMs && !asksForStream(request.body);
	await pause(tooLong ? requestCeilingMs : total, request.raw);
	if (request.raw.socket.destroyed) throw new ApiError('client_closed_request');
	if (tooLong) throw new ApiError('gateway_timeout');
}

function asksForStream(body: unknown): boolean {
	return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}

/** Waits until the time is over or the client has closed the connection. */
export async function pause(ms: number, request: IncomingMessage): Promise<void> {
	if (ms <= 0 || request.socket.destroyed) return;
	await new Promise<void>((resolve) => {
		const finish = (): void => {
			clearTimeout(timer);
			request.socket.off('close', finish);
			resolve();
		};
		const timer = setTimeout(finish, ms);
		request.socket.once('close', finish);
	});
}

async function act(request: FastifyRequest, reply: FastifyReply, trace: RequestTrace): Promise<void> {
	const { action } = trace.plan;
	if (action && 'afterEffect' in action && action.afterEffect) return;
	switch (action?.kind) {
		case undefined:
		case 'pass':
		case 'cutBody':
		case 'stallBody':
		case 'dripBody':
		case 'loseResponse':
			return;
		case 'error': {
			const retryAfter = retryAfterText(action.retryAfter);
			throw new ApiError(action.code, action.message, retryAfter === null ? {} : { retryAfter });
		}
		case 'raw':
			await rawResponse(reply, action);
			return;
		case 'cutBefore':
			reply.hijack();
			cutConnection(request, trace);
			return;
		case 'hang':
			reply.hijack();
			return;
		case 'redirect':
			await reply
				.code(action.status ?? 307)
				.header('location', action.location)
				.send('');
	}
}

/** Destroys the connection, and records that this is intended. */
export function cutConnection(request: FastifyRequest, trace: RequestTrace): void {
	trace.record.outcome = 'cut';
	request.raw.socket.destroy();
}

function hangsAfterEffect(request: FastifyRequest, payload: unknown): boolean {
	const { action } = traceOf(request).plan;
	const hangs = action?.kind === 'hang' && action.afterEffect === true;
	if (hangs && payload instanceof Readable) payload.destroy();
	return hangs;
}

/** What follows the effect, for responses that fastify writes; event streams implement them themselves. */
function disturbPayload(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
	const trace = traceOf(request);
	const { action } = trace.plan;
	const cut = (): void => cutConnection(request, trace);
	const isBody = payload instanceof Readable || typeof payload === 'string' || Buffer.isBuffer(payload);
	const body = isBody ? payload : '';
	switch (action?.kind) {
		case 'loseResponse':
			if (payload instanceof Readable) payload.destroy();
			cut();
			return '';
		case 'cutBody':
			return partOfPayload(reply, body, action.afterBytes, async () => await cutLate(cut));
		case 'stallBody':
			return partOfPayload(reply, body, action.afterBytes, async () => await closed(request));
		case 'dripBody':
			return dripPayload(reply, body, async () => await pause(drawDuration(action.everyMs), request.raw));
		case 'raw':
			return action.afterEffect ? rawPayload(reply, action) : payload;
		case 'error':
			return action.afterEffect ? errorPayload(request, reply, action) : payload;
		default:
			return payload;
	}
}

async function closed(request: FastifyRequest): Promise<void> {
	const { socket } = request.raw;
	if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
}

/** An error in place of the response (§7). */
function errorPayload(
	request: FastifyRequest,
	reply: FastifyReply,
	action: Extract<FaultAction, { kind: 'error' }>,
): string {
	const format = errorFormatOf(request.url.slice(apiPrefix.length));
	const { status, body } = renderError(new ApiError(action.code, action.message), format);
	const retryAfter = retryAfterText(action.retryAfter);
	if (retryAfter !== null) reply.header('retry-after', retryAfter);
	reply.code(status).header('content-type', 'application/json; charset=utf-8');
	return JSON.stringify(body);
}
