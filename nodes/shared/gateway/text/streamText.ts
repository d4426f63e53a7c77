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
import { problemError, statusInBody } from '../errors/fromResponse';
import { withoutKeys } from '../errors/secrets';
import type { ErrorText } from '../errors/texts';
import { asObject, compact, parseJson, type JsonObject, canonicalJson } from '../util/json';
import { excerpt } from '../util/text';
import {
	readReceipt,
	unlessEmpty,
	withReceivedText,
	type Completion,
	type ModelOutput,
} from './formats/completion';
import type { CompletionStream, TextFormat } from './formats/format';
import type { OutputRequest } from './formats/request';
import { ThoughtFilter } from './formats/thoughts';
import { Frame } from './frame';
import { DONE, SseParser } from './sse';

export interface StreamRequest {
	format: TextFormat;
	output: OutputRequest;
	request: GatewayRequest;
	/** Receives each text as it arrives; the stream waits for it. For a request that asks for a stream. */
	onText?: (text: string) => void | Promise<void>;
}

/**
 * Sends a request and reads its completion while it arrives, as JSON or as events (§6), whichever comes: the body as it
 * would be without streaming. A stream may take 15 minutes (§8). The error for a response that breaks,
 * stalls or ends early has what came of it.
 */
export async function streamText(client: GatewayClient, options: StreamRequest): Promise<JsonObject> {
	const { request, onText } = options;
	const isStream = onText !== undefined;
	const totalMs = client.settings.timeoutMs ?? (isStream ? STREAM_TIMEOUT_MS : REQUEST_TIMEOUT_MS);
	const accept = isStream && { Accept: 'text/event-stream, application/json;q=0.9' };
	const headers = { ...request.headers, ...accept };
	return await client.stream({ ...request, headers }, async (response) => {
		const idleMs = Math.min(totalMs, REQUEST_TIMEOUT_MS);
		// Files may have taken longer on their way to the gateway.
		const leftMs = request.openBody ? totalMs : totalMs - (response.spentMs ?? 0);
		const limits = isStream ? { totalMs, idleMs } : { totalMs: leftMs, idleMs: Infinity };
		return await new ResponseReader(client, options, response).read(limits);
	});
}

const TOO_LARGE = problemError('tooLarge', 'charge').details.code;

/** The fewest bytes of a stream that are read between two looks at what is kept of it. */
const CHECKED_BYTES = 4 * 1024 * 1024;

class ResponseReader {
	private readonly completion: CompletionStream;
	private readonly parser = new SseParser((data) => this.readData(data));
	private readonly decoder = new TextDecoder();
	private readonly frame = new Frame((text) => withoutKeys(text, this.client.settings.secrets));
	private received = '';
	private fresh = '';
	private readonly thoughts = new ThoughtFilter();
	/** The first event that is not JSON. It may be a part of the completion. */
	private unread: string | undefined;
	private sawEvent = false;
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
			if (error instanceof StoppedError || !this.whole()) throw this.toError(error);
		} finally {
			this.over.abort('over');
		}
		const { kind } = this.frame;
		if (kind === 'other') throw problemError('notJson', 'charge', { status: this.source.status });
		const body = this.whole();
		const isUnreadable = kind === 'json' || this.unread !== undefined;
		if (!body) throw this.toError(streamError(isUnreadable ? 'unreadable' : 'ended'));
		const { client, source, options } = this;
		// §7.1: an error may have the status of a success.
		if (kind === 'json' && statusInBody(options.request.endpoint, body) !== undefined)
			throw client.errorResponse(options.request, { ...source, body: this.frame.json });
		return body;
	}

	/** The body, if all of it has come. */
	private whole(): JsonObject | undefined {
		if (this.frame.kind !== 'events') return this.frame.body();
		if (this.unread !== undefined) return undefined;
		return this.completion.isComplete(this.sawDone) ? this.completion.body() : undefined;
	}

	private async readChunks(touch: () => void): Promise<void> {
		for await (const bytes of this.source.body) {
			this.readBytes += bytes.length;
			if (this.readBytes >= this.nextCheck) await this.checkLength();
			if (this.over.signal.aborted) return;
			touch();
			const { frame } = this;
			if (frame.kind !== 'events') frame.add(this.decoder.decode(bytes, { stream: true }));
			if (frame.kind === undefined || frame.kind === 'events') this.parser.push(bytes);
			await this.show();
			if (this.sawDone || this.completion.isFinished) return;
		}
		this.frame.end();
		if (this.frame.kind === 'events') this.parser.end();
		await this.show();
	}

	/** Limits what is kept of a stream: its events are much longer, so not each time. */
	private async checkLength(): Promise<void> {
		const { maxBytes = MAX_TEXT_BYTES } = this.options.request;
		const assembled = Buffer.byteLength(JSON.stringify(this.completion.body()));
		const isWhole = this.frame.kind === 'json' || this.frame.kind === 'other';
		const kept = isWhole ? this.readBytes : assembled + this.parser.length;
		if (kept > maxBytes) {
			// A part of a text keeps all of it in memory.
			const shorten = (text: string) => [...excerpt(text)].join('');
			this.received = shorten(this.received);
			this.frame.cut(shorten);
			throw problemError('tooLarge', 'charge');
		}
		this.nextCheck = this.readBytes + Math.max(maxBytes - kept, CHECKED_BYTES);
		if (maxBytes > MAX_TEXT_BYTES) await (this.slot ??= largeSlot(this.over.signal));
	}

	private readData(received: string): void {
		const data = withoutKeys(received, this.client.settings.secrets);
		// Only objects belong to a completion: a proxy may send empty events to keep the connection alive.
		if (this.sawDone || this.completion.isFinished || !/^\s*(\{|\[DONE\])/.test(data)) return;
		if (data.trim() === DONE) {
			// Before the first event, it ends nothing.
			this.sawDone = this.sawEvent;
			return;
		}
		this.sawEvent = true;
		const event = asObject(parseJson(data));
		if (event) this.fresh += this.thoughts.add(this.completion.read(event));
		else this.unread ??= data;
	}

	/** Passes on all text of a chunk in one call: a call for each event takes more time. */
	private async show(): Promise<void> {
		const text = this.fresh;
		if (text === '') return;
		this.fresh = '';
		this.received += text;
		await this.options.onText?.(text);
	}

	private toError(thrown: unknown): ApiError | StoppedError {
		const error = readError(thrown, this.options.onText !== undefined);
		if (error instanceof StoppedError) return error;
		const receipt = readReceipt(this.completion.body(), this.options.format.usage);
		const { secrets } = this.client.settings;
		if (error.details.code === TOO_LARGE)
			return withReceivedText(error, { text: this.frame.json || this.received, receipt, secrets });
		const { text = '', reasoning, toolCalls = [], raw } = this.soFar() ?? {};
		const extra = compact({
			reasoning: reasoning || undefined,
			toolCalls: unlessEmpty(toolCalls),
			raw,
			unreadEvent: this.unread ?? ((this.frame.kind === 'events' && this.parser.unread) || undefined),
			...error.details.extra,
		});
		// Some text comes only at the end of its part.
		const received = this.received.length >= text.length ? this.received : text;
		return withReceivedText(error.with({ extra }), { text: this.frame.json || received, receipt, secrets });
	}

	private soFar(): Completion | undefined {
		try {
			return this.options.format.readCompletion(this.completion.body(), this.options.output);
		} catch {
			// Nothing has come that can be read.
			return undefined;
		}
	}
}

function readError(error: unknown, isStream: boolean): ApiError | StoppedError {
	if (error instanceof TimeLimitError)
		return isStream ? streamError(error.limit) : problemError('timeout', 'charge');
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
		message: 'A part of the response could not be read',
		description: 'The response may be incomplete, so the node does not output it.',
	},
} satisfies Record<string, ErrorText & { code: string }>;

export function streamError(problem: keyof typeof STREAM_TEXTS, cause?: Error): ApiError {
	return new ApiError(
		{ ...STREAM_TEXTS[problem], outcome: 'unknown', kind: 'charge', retryable: true },
		cause,
	);
}

const OTHER_TEXT = 'The text above is not complete. The whole text:';

/**
 * What is to be shown of a completion of which `shown` was streamed: the rest, or, where the streamed text is another one,
 * the whole. Events may be lost on their way, and the closing one repeats their text (§6.1).
 */
export function restToShow(shown: string, { text, refusal }: ModelOutput): string {
	const whole = text + refusal;
	if (whole.startsWith(shown)) return whole.slice(shown.length);
	// White space, the order of text and refusal, and how JSON is written make no other text.
	const written = (one: string) => one.replace(/\s/g, '');
	const isSame = [whole, refusal + text].map(written).some((one) => one === '' || one === written(shown));
	if (isSame || canonicalJson(parseJson(shown)) === canonicalJson(parseJson(whole) ?? whole)) return '';
	return `\n\n${OTHER_TEXT}\n\n${whole}`;
}
