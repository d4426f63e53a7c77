import type { InputFile } from './binary';
import type { ByteStream } from '../gateway/client/transport';
import { destroyTogether, deriveStream, type Readable } from './streams';

/** A file that stands in a body, as base64, in place of its placeholder. */
export interface EmbeddedFile {
	placeholder: string;
	file: InputFile;
}

/** A body that is sent in portions: what it is made of, and how long it is. */
export interface FileBody {
	/** Bytes. */
	length: number;
	/** Opens the body; as often as it is sent. */
	open(): Promise<ByteStream | Uint8Array>;
}

/**
 * JSON text in which placeholders stand for files, as a body whose files are read and turned into base64 portion by
 * portion: neither a file nor the body is ever in memory as a whole.
 *
 * @param text JSON; each placeholder stands in it inside a string
 */
export function bodyWithFiles(text: string, files: readonly EmbeddedFile[]): FileBody {
	const parts = splitAtFiles(text, files);
	const length = parts.reduce(
		(sum, part) => sum + (part instanceof Uint8Array ? part.length : base64Length(part.size)),
		0,
	);
	return { length, open: async () => await openParts(parts) };
}

/** Characters of base64 for so many bytes. */
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
		// The first stream carries the whole body; n8n gives no other way to make one.
		const body: Readable = deriveStream(source, async function* (own: AsyncIterable<Uint8Array>) {
			for (const [place, other] of parts.entries()) {
				if (place === index) yield* base64(own);
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

/** The bytes of a file, which is closed with the body that they go into. */
async function chunks(
	file: InputFile,
	body?: Readable,
): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>> {
	const source = await file.open();
	if (source instanceof Uint8Array) return [source];
	if (body) destroyTogether(body, source);
	return source;
}

/** Base64 of a stream: three bytes make four characters, so a rest of one or two waits for the next portion. */
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
