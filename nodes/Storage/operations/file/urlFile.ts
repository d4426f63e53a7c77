import type { GatewayClient } from '../../../shared/gateway/client/client';
import {
	checkSize,
	uploadFile,
	type UploadFile,
	type UploadSettings,
} from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, InvalidInputError, StoppedError } from '../../../shared/gateway/errors/errors';
import { problemError } from '../../../shared/gateway/errors/fromResponse';
import { nameInUrl, typeByName } from '../../../shared/gateway/util/fileName';
import { asNumber, type JsonObject } from '../../../shared/gateway/util/json';
import { fileOfResponse } from '../../../shared/n8n/binary';
import { deriveStream, type Readable } from '../../../shared/n8n/streams';

const PARAM = 'url';

/**
 * Uploads the file at a URL (§4.14): its bytes pass through, and the key goes to the gateway only. An upload that breaks
 * is not repeated, because it may have arrived; one whose file was not complete has not.
 */
export async function uploadFromUrl(
	client: GatewayClient,
	given: string,
	settings: UploadSettings,
): Promise<JsonObject> {
	const url = given.trim();
	if (!/^https?:/i.test(url) || !URL.canParse(url)) {
		throw new InvalidInputError(
			"'URL' is not a web address",
			"It begins with https:// or http://. For a data URL, set 'Upload Source' to 'Base64 Text'.",
			PARAM,
		);
	}
	let content: Readable | undefined;
	const open = async (): Promise<UploadFile<number | undefined>> => {
		const { body, ...file } = await opened(client, url);
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

const UNSENT = { kind: 'create', outcome: 'notSent', param: PARAM } as const;

/** Opens a file. Errors say that nothing was sent to the gateway. */
async function opened(client: GatewayClient, url: string) {
	const response = await client.openUrl(url).catch((error: unknown) => {
		throw error instanceof ApiError ? error.with(UNSENT) : asError(error);
	});
	const { headers, body, status } = response;
	try {
		const { fileName, mimeType } = fileOfResponse(response, { names: [nameInUrl(url)] }, UNSENT);
		const size = status === 204 ? 0 : asNumber(headers['content-length']);
		if (size !== undefined) checkSize(size, PARAM);
		return { fileName, mimeType: mimeType ?? typeByName(fileName) ?? 'application/octet-stream', size, body };
	} catch (error) {
		body.destroy();
		throw asError(error);
	}
}

/** The file between `head` and `tail`. One that is not as long as announced fails: the gateway would wait for the rest. */
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
