/** Invalid responses: web pages of proxies, truncated bodies, and wrong types. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { FaultAction, RawBody, RetryAfter } from './types';

type RawAction = Extract<FaultAction, { kind: 'raw' }>;

export function retryAfterText(value: RetryAfter | undefined): string | null {
	return value === undefined ? null : String(value);
}

export async function rawResponse(reply: FastifyReply, action: RawAction): Promise<void> {
	// A Buffer keeps fastify from adding a charset, or from serializing.
	await reply.send(rawPayload(reply, action));
}

/** Sets the status and the headers of an invalid response, and returns its body. */
export function rawPayload(reply: FastifyReply, action: RawAction): Buffer {
	const { text, contentType } = rawBody(action.body, action.status);
	const retryAfter = retryAfterText(action.retryAfter);
	if (retryAfter !== null) reply.header('retry-after', retryAfter);
	reply.code(action.status).header('content-type', contentType);
	return Buffer.from(text);
}

function rawBody(body: RawBody, status: number): { text: string; contentType: string } {
	if (typeof body === 'object') return body;
	switch (body) {
		case 'html':
			return {
				text: `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>nginx</body></html>\n`,
				contentType: 'text/html; charset=utf-8',
			};
		case 'empty':
			return { text: '', contentType: 'application/json; charset=utf-8' };
	}
}

/** The first part of a payload, announced at its full length; then `end` is awaited. */
export function partOfPayload(
	reply: FastifyReply,
	payload: unknown,
	afterBytes: number | undefined,
	end: () => Promise<void>,
): unknown {
	if (payload instanceof Readable) return Readable.from(firstBytes(payload, afterBytes ?? 1024, end));
	if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
		void end();
		return payload;
	}
	const whole = Buffer.from(payload);
	const part = whole.subarray(0, Math.min(afterBytes ?? whole.length >> 1, whole.length - 1));
	reply.header('content-length', whole.length);
	return Readable.from(firstBytes(Readable.from([part]), part.length, end));
}

async function* firstBytes(
	source: Readable,
	limit: number,
	end: () => Promise<void>,
): AsyncGenerator<Buffer> {
	let rest = limit;
	for await (const chunk of source as AsyncIterable<Buffer | string>) {
		const part = Buffer.from(chunk).subarray(0, rest);
		rest -= part.length;
		if (part.length > 0) yield part;
		if (rest <= 0) break;
	}
	await end();
}

/** A payload byte by byte; `pause` is awaited after each. */
export function dripPayload(reply: FastifyReply, payload: unknown, pause: () => Promise<void>): unknown {
	if (payload instanceof Readable) return Readable.from(drops(payload, pause));
	if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
	const whole = Buffer.from(payload);
	reply.header('content-length', whole.length);
	return Readable.from(drops(Readable.from([whole]), pause));
}

async function* drops(source: Readable, pause: () => Promise<void>): AsyncGenerator<Buffer> {
	for await (const chunk of source as AsyncIterable<Buffer | string>) {
		const bytes = Buffer.from(chunk);
		for (let index = 0; index < bytes.length && !source.destroyed; index += 1) {
			yield bytes.subarray(index, index + 1);
			await pause();
		}
	}
}

/** Ends a response too early. The written part needs time to leave before the socket is destroyed. */
export async function cutLate(cut: () => void): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, 20));
	cut();
	// The response must not end normally.
	await new Promise((resolve) => setTimeout(resolve, 20));
}
