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
	return typeof text === 'string' ? Buffer.from(text) : text;
}

function rawBody(body: RawBody, status: number): Exclude<RawBody, string> {
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
	payload: Readable | string | Buffer,
	afterBytes: number | undefined,
	end: () => Promise<void>,
): Readable {
	const length = announced(reply, payload);
	const limit = length === undefined ? (afterBytes ?? 1024) : Math.min(afterBytes ?? length >> 1, length - 1);
	return untilItsEnd(firstBytes(streamOf(payload), limit, end));
}

/** A payload byte by byte; `pause` is awaited after each. */
export function dripPayload(
	reply: FastifyReply,
	payload: Readable | string | Buffer,
	pause: () => Promise<void>,
): Readable {
	announced(reply, payload);
	return untilItsEnd(drops(streamOf(payload), pause));
}

/** A stream that is not destroyed: fastify 5.12 fails where that of an error response ends before its headers are sent. */
function untilItsEnd(parts: AsyncGenerator<Buffer>): Readable {
	const stream = Readable.from(parts);
	stream.destroy = () => stream;
	return stream;
}

/** Sets the length of a payload that is no stream. */
function announced(reply: FastifyReply, payload: Readable | string | Buffer): number | undefined {
	if (payload instanceof Readable) return undefined;
	const { length } = Buffer.from(payload);
	reply.header('content-length', length);
	return length;
}

function streamOf(payload: Readable | string | Buffer): Readable {
	return payload instanceof Readable ? payload : Readable.from([Buffer.from(payload)]);
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

async function* drops(source: Readable, pause: () => Promise<void>): AsyncGenerator<Buffer> {
	for await (const chunk of source as AsyncIterable<Buffer | string>) {
		for (const byte of Buffer.from(chunk)) {
			if (source.destroyed) return;
			yield Buffer.of(byte);
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
