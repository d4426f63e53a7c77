import { fileTypeFromMimeType, sleep, type IBinaryData, type IExecuteFunctions } from 'n8n-workflow';

import type { Base64File } from '../gateway/util/base64';
import { fileInfo, fileNameFor, nameOfType, withSuffix } from '../gateway/util/fileName';
import {
	extensionOf,
	fileType,
	FIRST_BYTES,
	typeByContent,
	typeByName,
	UNKNOWN_TYPE,
} from '../gateway/util/fileType';
import { isWebAddress } from '../gateway/util/text';
import type { GatewayClient } from '../gateway/client/client';
import { asError, InvalidInputError, type ApiErrorDetails } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { problemError } from '../gateway/errors/fromResponse';
import {
	REQUEST_TIMEOUT_MS,
	type HttpResponse,
	type ByteStream,
	type OnChunk,
} from '../gateway/client/transport';
import { fileLimits, TimeLimitError, withinLimits } from '../gateway/client/limits';
import { checkSize, type UploadFile } from '../gateway/endpoints/upload';
import type { FileReference } from '../params/kinds';
import { asArray, asNumber, asObject, compact } from '../gateway/util/json';
import { isTool } from './context';
import { openBody, reportChunks, type FileContent } from './streams';

export interface BinaryStore {
	helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'>;
}

/** How a response is read: candidates for the file's name, and its MIME type, for responses without one. */
interface KnownFile {
	names: ReadonlyArray<string | undefined>;
	/** What makes the name another one than that of similar files. */
	suffix?: string;
	knownType?: string | undefined;
	onChunk?: OnChunk;
}

/** Name and type of a file, from its response; throws a problem with `known` for a web page instead. */
function fileOfResponse(
	{ headers }: HttpResponse<unknown>,
	{ names, suffix = '', knownType }: KnownFile,
	known: Partial<ApiErrorDetails>,
) {
	const { fileName, mimeType } = fileInfo(headers, names);
	const types = [knownType, ...names.map((name) => typeByName(name))];
	if (mimeType === 'text/html' && !types.includes(mimeType)) throw problemError('webPage', 'file', known);
	return { fileName: withSuffix(fileName, suffix), mimeType: mimeType ?? knownType };
}

/** Downloads the file at a URL, without the key, into n8n's binary storage. */
export async function storeUrl(
	{ client, n8n }: { client: GatewayClient; n8n: BinaryStore },
	url: string,
	file: KnownFile,
): Promise<IBinaryData> {
	return await client.downloadUrl(url, async (response) => await storeResponse(n8n, response, file));
}

/** Streams the body of a response into n8n's binary storage; throws for an empty one. */
export async function storeResponse(
	context: BinaryStore,
	response: HttpResponse<ByteStream>,
	file: KnownFile,
): Promise<IBinaryData> {
	const { fileName, mimeType } = fileOfResponse(response, file, { status: response.status });
	let length = 0;
	let beginning: Uint8Array = new Uint8Array();
	const limits = fileLimits(response.timeoutMs ?? REQUEST_TIMEOUT_MS);
	const store = async (touch: () => void) => {
		const body = reportChunks(response.body, (chunk) => {
			touch();
			length += chunk.length;
			if (beginning.length < FIRST_BYTES)
				beginning = Buffer.concat([beginning, chunk.subarray(0, FIRST_BYTES)]);
			file.onChunk?.(chunk, length);
		});
		return await context.helpers.prepareBinaryData(body, fileName, mimeType);
	};
	try {
		const stored = await withinLimits(limits, { now: () => Date.now(), sleep }, store);
		if (length === 0) throw problemError('empty', 'file', { status: response.status });
		return withFoundType(stored, fileName, beginning);
	} catch (error) {
		if (error instanceof TimeLimitError) throw problemError('timeout', 'file');
		throw errorFromThrown(error, 'file') ?? error;
	}
}

/** A stored file with the type of its first bytes: servers send wrong ones, and n8n takes what it does not know for text. */
function withFoundType(stored: IBinaryData, name: string, beginning: Uint8Array): IBinaryData {
	const mimeType = typeByContent(beginning, stored.mimeType, name);
	if (mimeType === undefined || mimeType === stored.mimeType) return stored;
	const kind = { fileType: fileTypeFromMimeType(mimeType), fileExtension: extensionOf(mimeType) };
	return { ...stored, mimeType, fileName: nameOfType(name, mimeType), ...compact(kind) };
}

export interface FileOwner {
	n8n: IExecuteFunctions;
	index: number;
}

export interface InputFile extends UploadFile {
	content: FileContent;
}

const FIELD_HINT = 'Enter the name of the input binary field that contains the file, e.g. data.';

/** Whether an object is a file of n8n. n8n-workflow exports this function from 2.5 on. */
export function isBinaryValue(value: object): value is IBinaryData {
	const { mimeType, data, id }: Partial<IBinaryData> = value;
	return mimeType !== undefined && (typeof data === 'string' || typeof id === 'string');
}

/** @param orUrl what to do for an item that has the URL of a file in place of it */
export function binaryOf(
	{ n8n, index }: FileOwner,
	{ value, at }: FileReference,
	orUrl: string,
): IBinaryData {
	if (typeof value === 'object' && value !== null) {
		// n8n removes the bytes from what an expression returns; stored files have an ID.
		if (isBinaryValue(value)) return value;
		throw at.error('is an object without the bytes of a file', FIELD_HINT);
	}
	const name = String(value).trim();
	if (name === '') throw at.error('is empty', FIELD_HINT);
	for (const path of [name, `${FILES_IN_JSON}.${name}`]) {
		try {
			// Only n8n knows where this workflow has its files: JSON data may come from outside and name any stored file.
			return n8n.helpers.assertBinaryData(index, path);
		} catch {
			// n8n's error does not say which fields there are.
		}
	}
	const { json = {}, binary = asObject(json[FILES_IN_JSON]) ?? {} } = n8n.getInputData()[index] ?? {};
	const fields = Object.keys(binary);
	const links = { '$json.url': json.url, '$json.resultUrls[0]': asArray(json.resultUrls)[0] };
	const [link] = Object.entries(links).find(([, url]) => isWebAddress(String(url))) ?? [];
	const missing = link
		? `It has no binary fields, but a URL: ${orUrl}, e.g. {{ ${link} }}.`
		: 'It has no binary fields, because the node before returns none: connect this node to one that does, or add a node that returns a file before this one.';
	throw at.error(
		`names the binary field '${name}', which the input item does not have`,
		fields.length > 0
			? `It has: ${fields.join(', ')}.`
			: isTool(n8n)
				? 'A tool of an AI Agent gets no files: give the file by its URL.'
				: missing,
	);
}

/** Checks the size of an item's file before it is opened (§8). Older versions of n8n do not give it. */
export function checkKnownSize(binary: IBinaryData, param: string): void {
	checkSize(asNumber(asObject(binary)?.bytes) ?? 1, param);
}

/** Where the files of an item are in a workflow whose setting `binaryMode` is `combined`. */
const FILES_IN_JSON = '_files';

/** A file with the type, and a name, of its first bytes. */
function uploadOf(
	{ mimeType, fileName, ...file }: Omit<InputFile, 'open'>,
	beginning: Uint8Array,
): InputFile {
	const none = new Uint8Array();
	const found = typeByContent(beginning, mimeType, fileName);
	return {
		...file,
		mimeType: fileType(mimeType, fileName, beginning) ?? UNKNOWN_TYPE,
		fileName: found === undefined ? fileName : nameOfType(fileName, found),
		open: async (head = none, tail = none) => await openBody([head, file.content, tail]),
	};
}

/** @param fileName by default, one with the extension of the type */
export function fileOfBase64(
	{ base64, mimeType = UNKNOWN_TYPE }: Pick<Base64File, 'base64' | 'mimeType'>,
	fileName = fileNameFor('file', mimeType),
): InputFile {
	const content = Buffer.from(base64, 'base64');
	return uploadOf({ fileName, mimeType, size: content.length, content }, content);
}

/** The first bytes of a file. */
export async function firstBytes({ open }: Pick<InputFile, 'open'>, count: number): Promise<Buffer> {
	const content = await open();
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of content instanceof Uint8Array ? [content] : content) {
		chunks.push(chunk.subarray(0, count - length));
		length += chunk.length;
		if (length >= count) break;
	}
	return Buffer.concat(chunks);
}

export async function fileOf({ n8n }: FileOwner, binary: IBinaryData): Promise<InputFile> {
	const { id } = binary;
	const fileName = binary.fileName || `file${binary.fileExtension ? `.${binary.fileExtension}` : ''}`;
	const { mimeType } = binary;
	// Without an ID, the item itself holds the bytes, as base64.
	if (!id) return fileOfBase64({ base64: binary.data, mimeType }, fileName);
	const unreadable = (error: unknown): never => {
		throw new InvalidInputError(
			`n8n cannot read the file "${fileName}": ${asError(error).message}`,
			'Execute the node that returns it again: n8n has deleted it, or keeps it on another machine (queue mode, unless N8N_DEFAULT_BINARY_DATA_MODE is database or s3).',
		);
	};
	const { fileSize: size } = await n8n.helpers.getBinaryMetadata(id).catch(unreadable);
	const content = async () => await n8n.helpers.getBinaryStream(id).catch(unreadable);
	const beginning = await firstBytes({ open: content }, FIRST_BYTES);
	return uploadOf({ fileName, mimeType, size, content }, beginning);
}
