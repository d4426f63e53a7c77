import type { InputFile } from './binary';
import type { ByteStream } from '../gateway/client/transport';
import { destroyTogether, deriveStream, type Readable } from './streams';

/** A file that replaces its placeholder in a body, as base64. */
export interface EmbeddedFile {
	placeholder: string;
	file: InputFile;
}

/** A streamed body. */
export interface FileBody {
	/** Bytes. */
	length: number;
	/** Opens the body, once for each time that it is sent. */
	open(): Promise<ByteStream | Uint8Array>;
}

/**
 * A body of JSON text with files in place of placeholders. Files are read and encoded as base64 chunk by chunk:
 * neither a file nor the body is ever in memory as a whole.
 *
 * @param text JSON, in which each placeholder is inside a string
 */
export function bodyWithFiles(text: string, files: readonly EmbeddedFile[]): FileBody {
	const parts = splitAtFiles(text, files);
	const length = parts.reduce(
		(sum, part) => sum + (part instanceof Uint8Array ? part.length : base64Length(part.size)),
		0,
	);
	return { length, open: async () => await openParts(parts) };
}

/** The length of a file in base64, in characters. */
export function base64Length(bytes: number): number {
	return Math.ceil(bytes / 3) * 4;
}

type Part = Uint8Array | InputFile;

function splitAtFiles(text: string, files: readonly EmbeddedFile[]): Part[] {
	const found = files
		.map((embedded) => ({ ...embedded, at: text.indexOf(embedded.placeholder) }))
		.filter(({ at }) => at !== -1)
		.sort((a, b) => a.at - b.at);
	const parts: Part[] = [];
	let end = 0;
	for (const { at, placeholder, file } of found) {
		parts.push(Buffer.from(text.slice(end, at)), file);
		end = at + placeholder.length;
	}
	return [...parts, Buffer.from(text.slice(end))];
}

async function openParts(parts: readonly Part[]): Promise<ByteStream | Uint8Array> {
	for (const [index, part] of parts.entries()) {
		if (part instanceof Uint8Array) continue;
		const source = await part.open();
		if (source instanceof Uint8Array) continue;
		// The first stream becomes the body: n8n offers no other way to make a stream.
		const body: Readable = deriveStream(source, async function* (own: AsyncIterable<Uint8Array>) {
			for (const [position, other] of parts.entries()) {
				if (position === index) yield* base64(own);
				else if (other instanceof Uint8Array) yield other;
				else yield* base64(await chunks(other, body));
			}
		});
		return body;
	}
	const whole: Uint8Array[] = [];
	for (const part of parts) {
		if (part instanceof Uint8Array) whole.push(part);
		else for await (const chunk of base64(await chunks(part))) whole.push(chunk);
	}
	return Buffer.concat(whole);
}

/** The chunks of a file, which is destroyed with the body that it goes into. */
async function chunks(
	file: InputFile,
	body?: Readable,
): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>> {
	const source = await file.open();
	if (source instanceof Uint8Array) return [source];
	if (body) destroyTogether(body, source);
	return source;
}

/** Base64 of a stream. Three bytes make four characters, so a rest of one or two bytes waits for the next chunk. */
async function* base64(
	source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
	let rest: Uint8Array = new Uint8Array();
	for await (const chunk of source) {
		const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
		const whole = bytes.length - (bytes.length % 3);
		rest = bytes.subarray(whole);
		if (whole > 0) yield Buffer.from(bytes.subarray(0, whole).toString('base64'), 'latin1');
	}
	if (rest.length > 0) yield Buffer.from(Buffer.from(rest).toString('base64'), 'latin1');
}
