import { abortable } from '../client/abort';
import { errorFromThrown } from '../errors/fromConnection';
import { connectionError, unreadableResponse } from '../errors/fromResponse';
import { asError, StoppedError, type ApiError } from '../errors/errors';
import type { CompletionStream, TextFormat } from './formats/format';
import type { OutputRequest } from './formats/request';
import { asObject, parseJson, type JsonObject } from '../util/json';
import {
	REQUEST_TIMEOUT_MS,
	STREAM_TIMEOUT_MS,
	type HttpResponse,
	type ByteStream,
} from '../client/transport';
import type { GatewayClient, GatewayRequest } from '../client/client';
import { DONE, SseParser } from './sse';
import { streamError, withReceivedText } from './streamErrors';
import { Watchdog } from '../client/watchdog';

/** A call whose answer is to come as a stream. */
export interface StreamRequest {
	format: TextFormat;
	output: OutputRequest;
	/** The call; its body asks for a stream. */
	request: GatewayRequest;
	/** Is given each text as it arrives; the stream waits for it. */
	onText: (text: string) => Promise<void>;
}

/** An answer in one piece that came instead of a stream is read up to this length. */
const MAX_BODY_CHARACTERS = 64 * 1024 * 1024;

/**
 * Makes a call and reads its answer while it arrives (§6), for at most 15 minutes (§8).
 *
 * @returns the body as it would have come without streaming
 * @throws {ApiError} for an error frame, a stream that breaks, falls silent, or ends too early: with the text that
 *   had been received
 */
export async function streamText(client: GatewayClient, call: StreamRequest): Promise<JsonObject> {
	const totalMs = client.settings.timeoutMs ?? STREAM_TIMEOUT_MS;
	const limits = { totalMs, idleMs: Math.min(totalMs, REQUEST_TIMEOUT_MS) };
	const headers = { ...call.request.headers, Accept: 'text/event-stream, application/json;q=0.9' };
	return await client.stream({ ...call.request, headers }, async (answer) => {
		return await new StreamReader(client, call, answer, new Watchdog(limits, client)).read();
	});
}

/**
 * The reading of one stream: bytes → events → JSON → the format's meaning. A gateway that does not stream gives the
 * answer, or an error, in one piece: it is paid for, so it is read as well.
 */
class StreamReader {
	private readonly answer: CompletionStream;
	private readonly parser = new SseParser({ onEvent: ({ data }) => this.readData(data) });
	private readonly decoder = new TextDecoder();
	private hasBegun = false;
	/** The body, when it is no event stream. */
	private whole: string | undefined;
	/** What has been shown, for the error of a stream that breaks. */
	private received = '';
	/** What the portion at hand adds. */
	private fresh = '';
	private sawDone = false;
	/** The last event may lack its end. */
	private isAtEnd = false;
	/** The stream itself has told of a failure. */
	private hasFailed = false;

	constructor(
		private readonly client: GatewayClient,
		private readonly call: StreamRequest,
		private readonly source: HttpResponse<ByteStream>,
		private readonly watchdog: Watchdog,
	) {
		this.answer = call.format.createStream(call.output);
	}

	async read(): Promise<JsonObject> {
		try {
			// A stream that is destroyed while it waits for bytes does not always say so: n8n's are made of others.
			await abortable(
				this.call.request.signal,
				async () => await Promise.race([this.readPortions(), this.watchdog.watch()]),
			);
		} catch (error) {
			// What came in the same portion before the failure was received, too.
			await this.show();
			if (error instanceof StoppedError || this.hasFailed || !this.isComplete()) throw this.failure(error);
		} finally {
			this.watchdog.stop();
		}
		if (this.whole !== undefined) return this.wholeBody(this.whole);
		if (!this.isComplete()) throw this.failure(this.watchdog.expired ? undefined : streamError('ended'));
		return this.answer.body();
	}

	private isComplete(): boolean {
		return this.answer.isComplete(this.sawDone);
	}

	private async readPortions(): Promise<void> {
		for await (const bytes of this.source.body) {
			if (this.watchdog.expired) return;
			this.watchdog.touch();
			this.whole ??= this.isEventStream(bytes) ? undefined : '';
			if (this.whole === undefined) this.parser.push(bytes);
			else if (!this.addToWhole(bytes)) return;
			await this.show();
			if (this.sawDone || this.answer.isFinished()) return;
		}
		this.isAtEnd = true;
		this.parser.end();
		await this.show();
	}

	/**
	 * Told by the header; where that says something else, by the first character: JSON and web pages have their own.
	 * Blanks before it, with which a proxy may keep the connection alive, are no part of either.
	 */
	private isEventStream(bytes: Uint8Array): boolean {
		if (this.hasBegun || /event-stream/i.test(this.source.headers['content-type'] ?? '')) return true;
		const beginning = Buffer.from(bytes).toString().trimStart();
		this.hasBegun = beginning !== '';
		return !/^[{[<]/.test(beginning);
	}

	private addToWhole(bytes: Uint8Array): boolean {
		this.whole = (this.whole ?? '') + this.decoder.decode(bytes, { stream: true });
		return this.whole.length <= MAX_BODY_CHARACTERS;
	}

	private wholeBody(text: string): JsonObject {
		if (this.watchdog.expired) throw overdue();
		const object = asObject(parseJson(text));
		if (!object) throw unreadableResponse({ status: this.source.status, body: text }, CHARGED);
		return object;
	}

	private readData(data: string): void {
		// What is no object is no part of an answer: an empty event, a heartbeat of a proxy.
		if (this.sawDone || this.answer.isFinished() || !/^\s*(\{|\[DONE\])/.test(data)) return;
		if (data.trim() === DONE) {
			this.sawDone = true;
			return;
		}
		const event = asObject(parseJson(data));
		if (event) this.readEvent(event);
		// An unknown event is passed over; one that cannot be read may have been a part of the answer.
		else if (!this.isAtEnd) throw streamError('unreadable');
	}

	private readEvent(event: JsonObject): void {
		this.hasFailed = true;
		this.fresh += this.answer.read(event);
		this.hasFailed = false;
	}

	/** Hands on all that one portion brought at once: a chunk of the network, not a word, is what costs time. */
	private async show(): Promise<void> {
		const text = this.fresh;
		if (text === '') return;
		this.fresh = '';
		this.received += text;
		await this.call.onText(text);
	}

	/** @param error what ended the reading; nothing for a limit that was passed */
	private failure(error: unknown): ApiError | StoppedError {
		if (error instanceof StoppedError) return error;
		const { expired } = this.watchdog;
		if (this.whole !== undefined) return expired ? overdue() : wholeFailure(error);
		const failure = expired ? streamError(expired) : readingFailure(error);
		if (failure instanceof StoppedError) return failure;
		return withReceivedText(failure, {
			text: this.received,
			// What cannot be read may be the event with which the charge was made.
			mayBeCharged: this.answer.mayBeCharged() || failure.details.code === 'unreadable_answer',
			secrets: this.client.settings.secrets,
		});
	}
}

const CHARGED = { charged: true };

/** An answer in one piece that did not come to its end in time. */
function overdue(): ApiError {
	return connectionError({ kind: 'timeout' }, CHARGED);
}

/** The gateway had begun to answer: whatever broke an answer in one piece, it may be charged. */
function wholeFailure(error: unknown): ApiError | StoppedError {
	return errorFromThrown(error, CHARGED) ?? connectionError({ kind: 'lost' }, CHARGED, asError(error));
}

function readingFailure(error: unknown): ApiError | StoppedError {
	const failure = errorFromThrown(error, CHARGED);
	// Not the network's: bytes that cannot be unpacked, an event that does not end.
	if (failure === undefined) return streamError('unreadable', asError(error));
	if (failure instanceof StoppedError || failure === error || failure.details.delivery !== 'unknown')
		return failure;
	return streamError('cut', failure);
}
