import type { GatewayClient } from '../../../shared/gateway/client/client';
import type { HttpResponse, ByteStream } from '../../../shared/gateway/client/transport';
import {
	checkSize,
	MAX_UPLOAD_BYTES,
	uploadFile,
	type UploadFile,
	type UploadSettings,
} from '../../../shared/gateway/endpoints/upload';
import {
	ApiError,
	asError,
	InvalidInputError,
	StoppedError,
	type ApiErrorDetails,
} from '../../../shared/gateway/errors/errors';
import { problemError } from '../../../shared/gateway/errors/fromResponse';
import type { ProblemName } from '../../../shared/gateway/errors/texts/problems';
import { excerpt } from '../../../shared/gateway/util/excerpt';
import { fileInfo, nameInUrl, typeByName } from '../../../shared/gateway/util/fileName';
import { asNumber, type JsonObject } from '../../../shared/gateway/util/json';
import { deriveStream, type Readable } from '../../../shared/n8n/streams';

/** The parameter with the URL. */
const PARAM = 'url';

/**
 * Uploads the file at a URL (§4.14): its bytes pass through, and the key goes to the gateway only. An upload that breaks
 * is not repeated, because it may have arrived; one whose file was not complete has not.
 *
 * @returns the record as received
 * @throws {InvalidInputError} for what is no web address, and for a file over the limit or empty
 * @throws {ApiError} when the URL gives no file, or the gateway does not take it
 */
export async function uploadFromUrl(
	client: GatewayClient,
	url: string,
	settings: UploadSettings,
): Promise<JsonObject> {
	const address = webAddress(url);
	let source: SourceFile | undefined;
	const open = async () => {
		source = new SourceFile(await opened(client, address), address);
		return source;
	};
	try {
		return await uploadFile(client, open, settings);
	} catch (error) {
		throw source?.decisive(error) ?? asError(error);
	}
}

function webAddress(given: string): string {
	const url = given.trim();
	if (/^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url)) return url;
	const isData = /^data:/i.test(url);
	throw new InvalidInputError(
		isData ? "'URL' is a data URL" : "'URL' is not a web address",
		isData
			? "Set 'Upload Source' to 'Base64 Text', which takes data URLs."
			: 'It begins with https:// or http://.',
		PARAM,
	);
}

/** @throws {ApiError} that nothing was sent to the gateway */
async function opened(client: GatewayClient, url: string): Promise<HttpResponse<ByteStream>> {
	try {
		return await client.openUrl(url);
	} catch (error) {
		if (error instanceof ApiError) throw error.with(UNSENT);
		if (error instanceof StoppedError) throw asError(error);
		// Such as a rule of this n8n about addresses.
		const unreachable = sourceError('refused');
		const reason = excerpt(asError(error).message, 200);
		throw unreachable.with({
			description: `${unreachable.details.description} n8n says: “${reason}”`,
			code: 'url_not_opened',
		});
	}
}

const UNSENT = { kind: 'create', outcome: 'notSent', param: PARAM } as const;

function sourceError(problem: ProblemName, known: Partial<ApiErrorDetails> = {}): ApiError {
	return problemError(problem, 'file', { ...UNSENT, ...known });
}

/** The file of a response, checked while it is read. */
class SourceFile implements UploadFile<number | undefined> {
	readonly fileName: string;
	readonly mimeType: string;
	readonly size: number | undefined;
	/** Why the file could not be read to its end. */
	private problem: Error | undefined;
	/** Whether the next chunk has not come yet. */
	private isWaiting = false;
	/** When it began to wait, in Unix milliseconds. */
	private waitsSince = 0;

	/**
	 * @throws {ApiError} for a web page in place of the file
	 * @throws {InvalidInputError} for an empty file, and one over the limit
	 */
	constructor(
		private readonly response: HttpResponse<ByteStream>,
		url: string,
	) {
		const { headers, body, status } = response;
		const name = nameInUrl(url);
		const { fileName, mimeType } = fileInfo(headers, [name]);
		const expected = typeByName(fileName);
		this.fileName = fileName;
		this.mimeType = mimeType ?? expected ?? 'application/octet-stream';
		this.size = status === 204 ? 0 : asNumber(headers['content-length']);
		try {
			if (mimeType === 'text/html' && typeByName(name ?? '') !== mimeType)
				throw sourceError('webPage', { status });
			if (this.size !== undefined) checkSize(this.size, PARAM);
		} catch (error) {
			body.destroy();
			throw asError(error);
		}
	}

	framed(head: Uint8Array, tail: Uint8Array): Promise<ByteStream> {
		const isClosed = () => made.destroyed;
		const checked = (source: AsyncIterable<Uint8Array>) => this.checked(source, isClosed);
		const made = deriveStream(this.response.body as Readable, async function* (source) {
			yield head;
			yield* checked(source);
			yield tail;
		});
		return Promise.resolve(made);
	}

	/** The error of an upload: the source's own, if that has ended it. */
	decisive(error: unknown): Error {
		const isGateways = error instanceof ApiError && error.details.status !== undefined;
		if (isGateways || error instanceof StoppedError) return error;
		if (this.problem) return this.problem;
		const isTimeout = error instanceof ApiError && error.details.code === 'timeout';
		if (isTimeout && this.isWaiting) return sourceError('timeout');
		return asError(error);
	}

	/**
	 * The chunks of the file.
	 *
	 * @param isClosed whether nothing reads them any more
	 * @throws {ApiError} when the source breaks, and for an empty file
	 * @throws {InvalidInputError} for a file over the limit
	 */
	private async *checked(
		source: AsyncIterable<Uint8Array>,
		isClosed: () => boolean,
	): AsyncGenerator<Uint8Array, void> {
		let length = 0;
		try {
			this.wait();
			for await (const chunk of source) {
				length += chunk.length;
				const problem = this.problemWith(length);
				if (problem) throw problem;
				this.isWaiting = false;
				yield chunk;
				this.wait();
			}
			if (length === 0) throw sourceError('empty');
			// The gateway would wait for the rest.
			if (this.size !== undefined && length < this.size) throw sourceError('lost');
		} catch (error) {
			if (isClosed()) throw asError(error);
			const isKnown = error instanceof ApiError || error instanceof InvalidInputError;
			this.problem = isKnown ? error : this.isSilent() ? sourceError('timeout') : sourceError('lost');
			throw this.problem;
		}
	}

	private wait(): void {
		this.isWaiting = true;
		this.waitsSince = Date.now();
	}

	/** As `Watchdog.isSilent`: n8n's HTTP client, too, closes a connection that is silent for the timeout. */
	private isSilent(): boolean {
		const { timeoutMs = Infinity } = this.response;
		return this.isWaiting && Date.now() - this.waitsSince >= timeoutMs / 2;
	}

	private problemWith(length: number): Error | undefined {
		if (this.size !== undefined && length > this.size) return sourceError('lost');
		if (length <= MAX_UPLOAD_BYTES) return undefined;
		return new InvalidInputError(
			'The file at the URL is too large to upload: over 100 MB',
			'The gateway takes files of up to 100 MB.',
			PARAM,
		);
	}
}
