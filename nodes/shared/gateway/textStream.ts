import { failureFromThrown } from './connection';
import { failureFromUnreadable } from './errors';
import { ApiFailure } from './failure';
import type { AnswerStream, TextFormat } from './formats/format';
import type { OutputWish } from './formats/request';
import { asObject, parseJson, type JsonObject } from './json';
import {
	REQUEST_TIMEOUT_MS,
	STREAM_TIMEOUT_MS,
	type Answer,
	type ByteStream,
	type GatewayClient,
	type GatewayRequest,
} from './request';
import { DONE, SseParser, SseTooLong } from './sse';
import { brokenStream, withReceived, type StreamProblem } from './streamFailures';
import { Watchdog, type StreamLimits } from './watchdog';

/** A call whose answer is to come as a stream. */
export interface StreamedCall {
	format: TextFormat;
	output: OutputWish;
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
 * @throws {ApiFailure} for an error frame, a stream that breaks, falls silent, or ends too early: with the text that
 *   had been received
 */
export async function streamText(client: GatewayClient, call: StreamedCall): Promise<JsonObject> {
	const totalMs = client.settings.timeoutMs ?? STREAM_TIMEOUT_MS;
	const limits = { totalMs, idleMs: Math.min(totalMs, REQUEST_TIMEOUT_MS) };
	return await client.stream({ ...call.request, timeoutMs: limits.idleMs }, async (answer) => {
		if (!isEventStream(answer)) return await readWhole(answer);
		return await new StreamReading(client, call, limits).read(answer.body);
	});
}

function isEventStream({ headers }: Answer<ByteStream>): boolean {
	return /event-stream/i.test(headers['content-type'] ?? '');
}

/** A gateway that does not stream gives the answer, or an error, in one piece: it is paid for, so it is read. */
async function readWhole({ status, body }: Answer<ByteStream>): Promise<JsonObject> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of body) {
			text += decoder.decode(bytes, { stream: true });
			if (text.length > MAX_BODY_CHARACTERS) break;
		}
	} catch (error) {
		throw failureFromThrown(error, { charged: true }) ?? error;
	}
	const object = asObject(parseJson(text));
	if (!object) throw failureFromUnreadable({ status, body: text }, { charged: true });
	return object;
}

/** The reading of one stream: bytes → events → JSON → the format's meaning. */
class StreamReading {
	private readonly answer: AnswerStream;
	private readonly parser = new SseParser({ onEvent: ({ data }) => this.readData(data) });
	/** What has been shown, for the error of a stream that breaks. */
	private received = '';
	/** What the portion at hand adds. */
	private fresh = '';
	private sawDone = false;

	constructor(
		private readonly client: GatewayClient,
		private readonly call: StreamedCall,
		private readonly limits: StreamLimits,
	) {
		this.answer = call.format.openStream(call.output);
	}

	async read(body: ByteStream): Promise<JsonObject> {
		const watchdog = new Watchdog(this.limits, this.client);
		try {
			// A stream that is destroyed while it waits for bytes does not always say so: n8n's are made of others.
			await Promise.race([this.readPortions(body, watchdog), watchdog.watch()]);
		} catch (error) {
			// What came in the same portion before the failure was received, too.
			await this.show();
			throw this.failure(error, watchdog.expired);
		} finally {
			watchdog.stop();
		}
		if (!this.answer.isComplete()) throw this.failure(undefined, watchdog.expired ?? 'ended');
		return this.answer.body();
	}

	private async readPortions(body: ByteStream, watchdog: Watchdog): Promise<void> {
		for await (const bytes of body) {
			if (watchdog.expired) return;
			watchdog.touch();
			this.parser.push(bytes);
			await this.show();
			if (this.sawDone || this.answer.isOver()) return;
		}
	}

	private readData(data: string): void {
		if (this.sawDone || data === '') return;
		if (data === DONE) {
			this.sawDone = true;
			return;
		}
		const event = asObject(parseJson(data));
		// An unknown event is passed over; one that cannot be read may have been a part of the answer.
		if (!event) throw brokenStream('unreadable');
		this.fresh += this.answer.read(event);
	}

	/** Hands on all that one portion brought at once: a chunk of the network, not a word, is what costs time. */
	private async show(): Promise<void> {
		const text = this.fresh;
		if (text === '') return;
		this.fresh = '';
		this.received += text;
		await this.call.onText(text);
	}

	private failure(error: unknown, problem: StreamProblem | undefined): Error {
		const failure = problem === undefined ? readingFailure(error) : brokenStream(problem);
		if (!(failure instanceof ApiFailure)) return failure;
		return withReceived(failure, {
			text: this.received,
			mayBeCharged: this.answer.mayBeCharged(),
			secrets: this.client.settings.secrets,
		});
	}
}

function readingFailure(error: unknown): Error {
	if (error instanceof SseTooLong) return brokenStream('unreadable', error);
	const failure = failureFromThrown(error, { charged: true });
	if (failure instanceof ApiFailure && failure.details.arrival === 'unknown' && failure !== error) {
		return brokenStream('cut', failure);
	}
	return failure ?? (error instanceof Error ? error : new Error(String(error)));
}
