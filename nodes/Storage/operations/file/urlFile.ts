import type { GatewayClient } from '../../../shared/gateway/client/client';
import type { HttpResponse, ByteStream } from '../../../shared/gateway/client/transport';
import {
	checkSize,
	uploadFile,
	type UploadFile,
	type UploadSettings,
} from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, InvalidInputError, StoppedError } from '../../../shared/gateway/errors/errors';
import { problemError } from '../../../shared/gateway/errors/fromResponse';
import type { ProblemName } from '../../../shared/gateway/errors/texts/problems';
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
	throw new InvalidInputError(
		"'URL' is not a web address",
		"It begins with https:// or http://. For a data URL, set 'Upload Source' to 'Base64 Text'.",
		PARAM,
	);
}

const UNSENT = { kind: 'create', outcome: 'notSent', param: PARAM } as const;

/** @throws {ApiError} that nothing was sent to the gateway */
async function opened(client: GatewayClient, url: string): Promise<HttpResponse<ByteStream>> {
	return await client.openUrl(url).catch((error: unknown) => {
		throw error instanceof ApiError ? error.with(UNSENT) : asError(error);
	});
}

function sourceError(problem: ProblemName): ApiError {
	return problemError(problem, 'file', UNSENT);
}

/** The file of a response, checked while it is read. */
class SourceFile implements UploadFile<number | undefined> {
	readonly fileName: string;
	readonly mimeType: string;
	readonly size: number | undefined;
	private content: Readable | undefined;

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
		this.fileName = fileName;
		this.mimeType = mimeType ?? typeByName(fileName) ?? 'application/octet-stream';
		this.size = status === 204 ? 0 : asNumber(headers['content-length']);
		try {
			if (mimeType === 'text/html' && typeByName(name ?? '') !== mimeType) throw sourceError('webPage');
			if (this.size !== undefined) checkSize(this.size, PARAM);
		} catch (error) {
			body.destroy();
			throw asError(error);
		}
	}

	framed(head: Uint8Array, tail: Uint8Array): Promise<ByteStream> {
		const body = this.response.body as Readable;
		this.content = deriveStream(body, (source) => this.chunks(source, head, tail));
		return Promise.resolve(this.content);
	}

	/** The error of an upload: the source's own, if that has ended it. */
	decisive(error: unknown): Error {
		const isGateways = error instanceof ApiError && error.details.status !== undefined;
		if (isGateways || error instanceof StoppedError) return error;
		const own = this.content?.errored;
		if (own instanceof ApiError || own instanceof InvalidInputError) return own;
		return own ? sourceError('lost') : asError(error);
	}

	/**
	 * @throws {ApiError} when the file is not as long as announced
	 * @throws {InvalidInputError} for an empty file, and one over the limit
	 */
	private async *chunks(
		source: AsyncIterable<Uint8Array>,
		head: Uint8Array,
		tail: Uint8Array,
	): AsyncGenerator<Uint8Array, void> {
		let length = 0;
		yield head;
		for await (const chunk of source) {
			length += chunk.length;
			checkSize(length, PARAM);
			if (this.size !== undefined && length > this.size) throw sourceError('lost');
			yield chunk;
		}
		checkSize(length, PARAM);
		// The gateway would wait for the rest.
		if (this.size !== undefined && length < this.size) throw sourceError('lost');
		yield tail;
	}
}
