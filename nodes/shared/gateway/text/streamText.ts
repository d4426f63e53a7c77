import { TimeLimitError, withinLimits, type TimeLimits } from '../client/limits';
import type { GatewayClient, GatewayRequest } from '../client/client';
import {
	largeSlot,
	MAX_TEXT_BYTES,
	REQUEST_TIMEOUT_MS,
	STREAM_TIMEOUT_MS,
	type ByteStream,
	type HttpResponse,
} from '../client/transport';
import { ApiError, asError, StoppedError, UNREADABLE } from '../errors/errors';
import { errorFromThrown } from '../errors/fromConnection';
import { problemError } from '../errors/fromResponse';
import type { ErrorText } from '../errors/texts';
import { asObject, parseJson, type JsonObject } from '../util/json';
import { excerpt } from '../util/text';
import { readReceipt, withReceivedText } from './formats/completion';
import type { CompletionStream, TextFormat } from './formats/format';
import type { OutputRequest } from './formats/request';
import { DONE, SseParser } from './sse';

export interface StreamRequest {
	format: TextFormat;
	output: OutputRequest;
	/** Its body asks for a stream. */
	request: GatewayRequest;
	/** Receives each text as it arrives; the stream waits for it. */
	onText: (text: string) => void | Promise<void>;
}

/**
 * Sends a request and reads its completion while it arrives (§6), for at most 15 minutes (§8): the body as it
 * would be without streaming. The error for a stream that breaks, stalls or ends early has the text received
 * so far.
 */
export async function streamText(client: GatewayClient, options: StreamRequest): Promise<JsonObject> {
	const totalMs = client.settings.timeoutMs ?? STREAM_TIMEOUT_MS;
	const limits = { totalMs, idleMs: Math.min(totalMs, REQUEST_TIMEOUT_MS) };
	const headers = { ...options.request.headers, Accept: 'text/event-stream, application/json;q=0.9' };
	return await client.stream({ ...options.request, headers }, async (response) => {
		return await new StreamReader(client, options, response).read(limits);
	});
}

/** The fewest bytes of a stream that are read between two looks at what is kept of it. */
const CHECKED_BYTES = 4 * 1024 * 1024;

/** Also reads a complete response, which a gateway that does not stream sends: it is charged. */
class StreamReader {
	private readonly completion: CompletionStream;
	private readonly parser = new SseParser((data) => this.readData(data));
	private readonly decoder = new TextDecoder();
	/** The body, if it is not an event stream: the gateway does not stream, or a proxy responds. */
	private whole: string | undefined;
	private received = '';
	private fresh = '';
	private sawDone = false;
	private readBytes = 0;
	private nextCheck = MAX_TEXT_BYTES;
	private slot: Promise<void> | undefined;
	/** Aborted when nobody reads any more. */
	private readonly over = new AbortController();

	constructor(
		private readonly client: GatewayClient,
		private readonly options: StreamRequest,
		private readonly source: HttpResponse<ByteStream>,
	) {
		this.completion = options.format.createStream(options.output);
		if (/json|html/i.test(source.headers['content-type'] ?? '')) this.whole = '';
	}

	async read(limits: TimeLimits): Promise<JsonObject> {
		try {
			// A stream that is destroyed while it waits for bytes does not always end or throw.
			const { signal } = this.options.request;
			await withinLimits({ ...limits, signal }, this.client, async (touch) => await this.readChunks(touch));
		} catch (error) {
			this.over.abort('over');
			// Text that came before the error in the same chunk was received, too.
			await this.show();
			if (error instanceof StoppedError || !this.isComplete()) throw this.toError(error);
		} finally {
			this.over.abort('over');
		}
		if (this.whole !== undefined) return this.wholeBody(this.whole);
		if (!this.isComplete()) throw this.toError(streamError('ended'));
		return this.completion.body();
	}

	private isComplete(): boolean {
		return this.completion.isComplete(this.sawDone);
	}

	private async readChunks(touch: () => void): Promise<void> {
		for await (const bytes of this.source.body) {
			this.readBytes += bytes.length;
			if (this.readBytes >= this.nextCheck) await this.checkLength();
			if (this.over.signal.aborted) return;
			touch();
			if (this.whole === undefined) this.parser.push(bytes);
			else this.whole += this.decoder.decode(bytes, { stream: true });
			await this.show();
			if (this.sawDone || this.completion.isFinished) return;
		}
		this.parser.end();
		await this.show();
	}

	/** Limits what is kept of a stream: its events are much longer, so not each time. */
	private async checkLength(): Promise<void> {
		const { maxBytes = MAX_TEXT_BYTES } = this.options.request;
		const assembled = Buffer.byteLength(JSON.stringify(this.completion.body()));
		const kept = this.whole === undefined ? assembled + this.parser.length : this.readBytes;
		if (kept > maxBytes) {
			// A part of a text keeps all of it in memory.
			this.received = [...excerpt(this.received)].join('');
			throw problemError('tooLarge', 'charge');
		}
		this.nextCheck = this.readBytes + Math.max(maxBytes - kept, CHECKED_BYTES);
		if (maxBytes > MAX_TEXT_BYTES) await (this.slot ??= largeSlot(this.over.signal));
	}

	private wholeBody(text: string): JsonObject {
		const body = asObject(parseJson(text));
		if (body) return body;
		throw problemError('notJson', 'charge', { status: this.source.status });
	}

	private readData(data: string): void {
		// Only objects belong to a completion: a proxy may send empty events to keep the connection alive.
		if (this.sawDone || this.completion.isFinished || !/^\s*(\{|\[DONE\])/.test(data)) return;
		if (data.trim() === DONE) {
			this.sawDone = true;
			return;
		}
		const event = asObject(parseJson(data));
		// An event that is not JSON may be a part of the completion.
		if (!event) throw streamError('unreadable');
		this.fresh += this.completion.read(event);
	}

	/** Passes on all text of a chunk in one call: a call for each event takes more time. */
	private async show(): Promise<void> {
		const text = this.fresh;
		if (text === '') return;
		this.fresh = '';
		this.received += text;
		await this.options.onText(text);
	}

	private toError(thrown: unknown): ApiError | StoppedError {
		const error = readError(thrown);
		if (error instanceof StoppedError) return error;
		const receipt = readReceipt(this.completion.body(), this.options.format.usage);
		const { secrets } = this.client.settings;
		return withReceivedText(error, { text: this.received, receipt, secrets });
	}
}

function readError(error: unknown): ApiError | StoppedError {
	if (error instanceof TimeLimitError) return streamError(error.limit);
	const known = errorFromThrown(error, 'charge');
	// Not a network error: bytes that cannot be decompressed, an event that is too long.
	if (known === undefined) return streamError('unreadable', asError(error));
	return known === error || known instanceof StoppedError ? known : streamError('cut', known);
}

export const STREAM_TEXTS = {
	cut: {
		code: 'connection_lost',
		message: 'The connection broke in the middle of the response',
		description: 'The response is incomplete.',
	},
	ended: {
		code: 'stream_incomplete',
		message: 'The response ended before it was complete',
		description: 'The event that ends a response, or a part of the response, did not come.',
	},
	idle: {
		code: 'timeout',
		message: 'The gateway stopped sending in the middle of the response',
		description: 'Nothing more came, so the node stopped waiting.',
	},
	total: {
		code: 'timeout',
		message: 'The response took too long',
		description:
			"A streamed response may take 15 minutes, or as long as the option 'Timeout (Seconds)' says. Ask for a shorter response, or raise the option.",
	},
	unreadable: {
		code: UNREADABLE,
		message: 'A part of the streamed response could not be read',
		description: 'The response may be incomplete, so the node does not output it.',
	},
} satisfies Record<string, ErrorText & { code: string }>;

export function streamError(problem: keyof typeof STREAM_TEXTS, cause?: Error): ApiError {
	return new ApiError({ ...STREAM_TEXTS[problem], outcome: 'unknown', retryable: true }, cause);
}
