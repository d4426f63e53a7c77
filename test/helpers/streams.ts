import { textFormat } from '../../nodes/shared/gateway/text/formats';
import type { OutputRequest } from '../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import type { ByteStream, HttpResponse, Transport } from '../../nodes/shared/gateway/client/transport';
import { streamText } from '../../nodes/shared/gateway/text/streamText';
import { scriptedClient } from './client';

/** Looked up once: a global is slow to look up in jest's sandbox. */
const resolved = Promise.resolve.bind(Promise);

/** Splits bytes into chunks of a size. */
export function chunksOf(bytes: Uint8Array, size: number): Uint8Array[] {
	return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
		bytes.slice(index * size, (index + 1) * size),
	);
}

interface StreamedResponse {
	body: JsonObject;
	/** The text deltas, in order. */
	shown: string[];
}

/** Source of a stream: text or chunks of bytes, or a stream of its own. */
export type StreamSource = string | Uint8Array[] | ByteStream;

/** Reads a streamed response through the client, as the nodes do. */
export async function readStream(
	format: string,
	source: StreamSource,
	options: {
		output?: OutputRequest;
		headers?: Record<string, string>;
		timeoutMs?: number;
		maxBytes?: number;
		signal?: AbortSignal;
		onText?: (text: string) => Promise<void>;
	} = {},
): Promise<StreamedResponse> {
	const shown: string[] = [];
	const body = toStream(source);
	const headers = options.headers ?? { 'content-type': 'text/event-stream; charset=utf-8' };
	const response: HttpResponse<ByteStream> = { status: 200, headers, body };
	const unused = () => Promise.reject(new Error('not used'));
	const transport: Transport = async (_, read) => await read(response, () => body.destroy());
	const settings = { timeoutMs: options.timeoutMs, secrets: [] };
	const { client } = scriptedClient([], settings, {
		dependencies: { transport, now: () => Date.now() },
		pause: unused,
	});
	const wire = textFormat(format);
	const { maxBytes, signal } = options;
	const result = await streamText(client, {
		format: wire,
		output: options.output ?? { kind: 'text' },
		request: {
			endpoint: 'chat',
			kind: 'charge',
			method: 'POST',
			path: wire.path,
			json: {},
			maxBytes,
			signal,
		},
		onText: async (text) => {
			shown.push(text);
			await options.onText?.(text);
		},
	});
	return { body: result, shown };
}

function toStream(source: StreamSource): ByteStream {
	if (typeof source === 'string') return inChunks([new TextEncoder().encode(source)]);
	return Array.isArray(source) ? inChunks(source) : source;
}

/** A `Readable` is too slow: tests read hundreds of thousands of chunks. */
function inChunks(list: Uint8Array[]): ByteStream {
	const values = list.values();
	return {
		destroy: () => undefined,
		[Symbol.asyncIterator]: () => ({ next: () => resolved(values.next()) }),
	};
}

/** Server-sent events of these payloads; a string is written as it is. */
export function events(...payloads: Array<JsonObject | string>): string {
	return payloads
		.map((payload) => `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`)
		.join('');
}
