import type { ByteStream } from '../gateway/client/transport';
import type { InputFile } from './binary';
import { openBody, type FileContent } from './streams';

export interface EmbeddedFile {
	placeholder: string;
	file: InputFile;
}

export interface FileBody {
	length: number;
	/** Opens the body, once for each time that it is sent. */
	open: () => Promise<ByteStream | Uint8Array>;
}

/**
 * A body of JSON text with files in place of placeholders, which are inside its strings. Files are read and encoded as
 * base64 chunk by chunk: neither a stored file nor the body is ever in memory as a whole.
 */
export function bodyWithFiles(text: string, files: readonly EmbeddedFile[]): FileBody {
	const found = files
		.map((embedded) => ({ ...embedded, at: text.indexOf(embedded.placeholder) }))
		.filter(({ at }) => at !== -1)
		.sort((a, b) => a.at - b.at);
	const parts: FileContent[] = [];
	let end = 0;
	let length = Buffer.byteLength(text);
	for (const { at, placeholder, file } of found) {
		const { content, size } = file;
		parts.push(Buffer.from(text.slice(end, at)), typeof content === 'function' ? content : base64Of(content));
		end = at + placeholder.length;
		length += base64Length(size) - placeholder.length;
	}
	parts.push(Buffer.from(text.slice(end)));
	return { length, open: async () => await openBody(parts, base64) };
}

export function base64Length(bytes: number): number {
	return Math.ceil(bytes / 3) * 4;
}

function base64Of(bytes: Uint8Array): Uint8Array {
	return Buffer.from(Buffer.from(bytes).toString('base64'), 'latin1');
}

/** Base64 of a stream. Three bytes make four characters, so a rest of one or two bytes waits for the next chunk. */
async function* base64(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
	let rest: Uint8Array = new Uint8Array();
	for await (const chunk of source) {
		const bytes = Buffer.concat([rest, chunk]);
		const whole = bytes.length - (bytes.length % 3);
		rest = bytes.subarray(whole);
		if (whole > 0) yield base64Of(bytes.subarray(0, whole));
	}
	if (rest.length > 0) yield base64Of(rest);
}
