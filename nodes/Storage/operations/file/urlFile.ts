import type { GatewayClient } from '../../../shared/gateway/client/client';
import {
	checkSize,
	uploadFile,
	type UploadFile,
	type UploadSettings,
} from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, InvalidInputError, StoppedError } from '../../../shared/gateway/errors/errors';
import { problemError } from '../../../shared/gateway/errors/fromResponse';
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
	let content: Readable | undefined;
	const open = async (): Promise<UploadFile<number | undefined>> => {
		const { body, ...file } = await opened(client, address);
		const framed = async (head: Uint8Array, tail: Uint8Array) => {
			content = deriveStream(body as Readable, (source) =>
				framedChunks(source, { head, tail, size: file.size }),
			);
			return await Promise.resolve(content);
		};
		return { ...file, framed };
	};
	try {
		return await uploadFile(client, open, settings);
	} catch (error) {
		throw decisive(error, content?.errored ?? undefined);
	}
}

function webAddress(given: string): string {
	const url = given.trim();
	if (/^https?:/i.test(url) && URL.canParse(url)) return url;
	throw new InvalidInputError(
		"'URL' is not a web address",
		"It begins with https:// or http://. For a data URL, set 'Upload Source' to 'Base64 Text'.",
		PARAM,
	);
}

const UNSENT = { kind: 'create', outcome: 'notSent', param: PARAM } as const;

/**
 * Opens a file. Errors say that nothing was sent to the gateway.
 *
 * @throws {ApiError} for no file, and a web page in its place
 * @throws {InvalidInputError} for an empty file, and one over the limit
 */
async function opened(client: GatewayClient, url: string) {
	const { headers, body, status } = await client.openUrl(url).catch((error: unknown) => {
		throw error instanceof ApiError ? error.with(UNSENT) : asError(error);
	});
	const name = nameInUrl(url);
	const { fileName, mimeType } = fileInfo(headers, [name]);
	const size = status === 204 ? 0 : asNumber(headers['content-length']);
	try {
		const isPage = mimeType === 'text/html' && typeByName(name ?? '') !== mimeType;
		if (isPage) throw problemError('webPage', 'file', UNSENT);
		if (size !== undefined) checkSize(size, PARAM);
	} catch (error) {
		body.destroy();
		throw asError(error);
	}
	return { fileName, mimeType: mimeType ?? typeByName(fileName) ?? 'application/octet-stream', size, body };
}

/**
 * The file between `head` and `tail`.
 *
 * @throws {ApiError} when the file is not as long as announced: the gateway would wait for the rest
 * @throws {InvalidInputError} for an empty file, and one over the limit
 */
async function* framedChunks(
	source: AsyncIterable<Uint8Array>,
	{ head, tail, size }: { head: Uint8Array; tail: Uint8Array; size: number | undefined },
): AsyncGenerator<Uint8Array, void> {
	let length = 0;
	yield head;
	for await (const chunk of source) {
		length += chunk.length;
		checkSize(length, PARAM);
		if (length > (size ?? length)) break;
		yield chunk;
	}
	checkSize(length, PARAM);
	if (length !== (size ?? length)) throw problemError('lost', 'file', UNSENT);
	yield tail;
}

/** The error of an upload: that of the file's source, if it has ended the upload. */
function decisive(error: unknown, own: Error | undefined): Error {
	const isGateways = error instanceof ApiError && error.details.status !== undefined;
	if (!own || isGateways || error instanceof StoppedError) return asError(error);
	const isKnown = own instanceof ApiError || own instanceof InvalidInputError;
	return isKnown ? own : problemError('lost', 'file', UNSENT);
}
