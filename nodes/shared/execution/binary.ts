import { sleep, type IBinaryData, type IExecuteFunctions } from 'n8n-workflow';

import { fileFacts } from '../gateway/files';
import { failureFromThrown } from '../gateway/connection';
import { failureFromConnection } from '../gateway/errors';
import type { ApiFailure } from '../gateway/failure';
import type { Origin } from '../gateway/origin';
import { REQUEST_TIMEOUT_MS, type Answer, type ByteStream } from '../gateway/exchange';
import { Watchdog } from '../gateway/watchdog';
import type { UploadFile } from '../gateway/storage';
import { guarded } from './streams';

/** What keeps binary data, in nodes and in webhooks. */
export interface BinaryStore {
	helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'>;
}

/** Node's stream, as n8n gives it. */
export type Readable = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** What is known of a file whose bytes are an answer. */
export interface FileTraits {
	/** MIME type, for answers that do not say it themselves. */
	knownType?: string | undefined;
	/** Where it was asked for; an action node when it does not say. */
	origin?: Origin | undefined;
}

/**
 * Stores the bytes of an answer as a binary of the workflow, streamed to n8n's binary storage.
 *
 * @param names candidates for the file's name, for answers that do not name it themselves
 */
export async function storeAnswer(
	context: BinaryStore,
	answer: Answer<ByteStream>,
	names: ReadonlyArray<string | undefined>,
	{ knownType, origin }: FileTraits = {},
): Promise<IBinaryData> {
	const { fileName, mimeType } = fileFacts(answer.headers, names);
	const { silenceMs = REQUEST_TIMEOUT_MS } = answer;
	const watchdog = new Watchdog({ totalMs: Infinity, idleMs: silenceMs }, { now: () => Date.now(), sleep });
	const body = watched(answer.body as Readable, watchdog);
	try {
		const storing = context.helpers.prepareBinaryData(body, fileName, mimeType ?? knownType);
		const stored = await Promise.race([storing, watchdog.watch()]);
		// Where no redirect is followed, the HTTP client's own timeout ends with the headers (seen in axios 1.18).
		if (!stored) throw tooSilent(origin);
		return stored;
	} catch (error) {
		// Where one is, it breaks the connection at the same moment.
		if (watchdog.isSilent()) throw tooSilent(origin);
		throw failureFromThrown(error, { charged: false, file: true, origin }) ?? error;
	} finally {
		watchdog.stop();
	}
}

function tooSilent(origin: Origin | undefined): ApiFailure {
	return failureFromConnection({ kind: 'timeout' }, { charged: false, file: true, origin });
}

/** The same bytes; the watchdog is told of each portion. */
function watched(source: Readable, watchdog: Watchdog): Readable {
	const body = source.compose<Readable>(async function* (portions: AsyncIterable<Uint8Array>) {
		for await (const portion of portions) {
			watchdog.touch();
			yield portion;
		}
	});
	return guarded(body);
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
	const body = file.compose<Readable>(async function* (source: AsyncIterable<Uint8Array>) {
		yield head;
		yield* source;
		yield tail;
	});
	return guarded(body);
}
