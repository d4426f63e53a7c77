import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { fileFacts } from '../gateway/files';
import { failureFromThrown } from '../gateway/connection';
import type { Answer, ByteStream } from '../gateway/request';
import type { UploadFile } from '../gateway/storage';

/** What keeps binary data, in nodes and in webhooks. */
export interface BinaryStore {
	helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'>;
}

/** Node's stream, as n8n gives it. */
export type Readable = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/**
 * Stores the bytes of an answer as a binary of the workflow, streamed to n8n's binary storage.
 *
 * @param names candidates for the file's name, for answers that do not name it themselves
 * @param knownType MIME type, for answers that do not say it themselves
 */
export async function storeAnswer(
	context: BinaryStore,
	answer: Answer<ByteStream>,
	names: ReadonlyArray<string | undefined>,
	knownType?: string,
): Promise<IBinaryData> {
	const { fileName, mimeType } = fileFacts(answer.headers, names);
	try {
		return await context.helpers.prepareBinaryData(answer.body as Readable, fileName, mimeType ?? knownType);
	} catch (error) {
		throw failureFromThrown(error, { charged: false, file: true }) ?? error;
	}
}

/** A file of an input item. */
export interface InputFile extends UploadFile {
	/** Its bytes alone. */
	open(): Promise<Readable | Uint8Array>;
}

/**
 * The input item's binary, as a file to upload. Its bytes are read when it is opened, as often as it is opened.
 *
 * @param field name of the binary field, a path where the workflow keeps binaries inside the JSON, or the binary
 * @throws {NodeOperationError} when the item has no such field
 */
export async function inputFile(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string | IBinaryData,
): Promise<InputFile> {
	const binary = context.helpers.assertBinaryData(itemIndex, field);
	const { id } = binary;
	const facts = {
		fileName: binary.fileName || `file${binary.fileExtension ? `.${binary.fileExtension}` : ''}`,
		mimeType: binary.mimeType || 'application/octet-stream',
	};
	if (id) {
		const { fileSize } = await context.helpers.getBinaryMetadata(id);
		const open = async () => await context.helpers.getBinaryStream(id);
		const framed = async (head: Uint8Array, tail: Uint8Array) => frame(head, await open(), tail);
		return { ...facts, size: fileSize, open, framed };
	}
	// Small binaries may lie in the item itself, as base64.
	const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, field);
	const framed = async (head: Uint8Array, tail: Uint8Array) => Buffer.concat([head, bytes, tail]);
	return { ...facts, size: bytes.length, open: async () => bytes, framed };
}

/** Head, file and tail as one stream; the file passes through portion by portion. */
function frame(head: Uint8Array, file: Readable, tail: Uint8Array): ByteStream {
	return file.compose<Readable>(async function* (source: AsyncIterable<Uint8Array>) {
		yield head;
		yield* source;
		yield tail;
	});
}
