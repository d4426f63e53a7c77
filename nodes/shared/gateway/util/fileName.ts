import { unescaped } from './base64';
import { extensionOf, saidType, typeByName } from './fileType';
import { trimmedEnd } from './text';

const MAX_FILE_NAME_LENGTH = 150;

export function fileNameFor(name: string, mimeType = ''): string {
	const extension = extensionOf(mimeType);
	return extension === undefined ? name : `${name}.${extension}`;
}

/** `name` with the extension of a type, in place of that of another one. */
export function nameOfType(name: string, mimeType: string): string {
	const byName = typeByName(name);
	if (extensionOf(byName ?? '') === extensionOf(mimeType)) return name;
	return fileNameFor(byName === undefined ? name : name.replace(/\.\w+$/, ''), mimeType);
}

/** The longest name in bytes: file systems take 255, and programs append to names. */
const MAX_NAME_BYTES = 200;

/**
 * The name that a user gives to a file: safe in each file system, at most 200 bytes, with the extension of its type, unless it
 * ends with that; `undefined` if nothing is left of it.
 *
 * @param suffix comes before the extension
 */
export function givenName(name: string, mimeType: string, suffix = ''): string | undefined {
	const extension = extensionOf(mimeType);
	const isWhole = extension !== undefined && extensionOf(typeByName(name) ?? '') === extension;
	const [end = ''] = isWhole ? (/\.\w+$/.exec(name) ?? []) : [extension ? `.${extension}` : ''];
	const base = (isWhole ? name.slice(0, -end.length) : name)
		.replace(/[<>:"/\\|?*]|\p{C}/gu, '-')
		.replace(/^[.\s]+/, '');
	const left = MAX_NAME_BYTES - Buffer.byteLength(suffix + end);
	// A character that is cut becomes the sign for an unknown one.
	const cut = Buffer.from(trimmedEnd(base, /[.\s]/))
		.subarray(0, left)
		.toString()
		.replace(/\uFFFD$/, '')
		.trimEnd();
	return cut === '' ? undefined : cut + suffix + end;
}

/** What makes the name of a file unique: servers give many the same, of which an archive or a folder keeps one. */
export function suffixOf(id: string, index = 0): string {
	const end = id.replace(/\W/g, '').slice(-8);
	return `${end && '_'}${end}${index > 0 ? `_${index}` : ''}`;
}

/** `name` with a suffix such as `_1a2b` before its extension, unless it contains that anyway. */
export function withSuffix(name: string, suffix: string): string {
	if (name.includes(suffix.slice(1))) return name;
	return name.replace(/(\.[a-z0-9]{1,5})?$/i, `${suffix}$1`);
}

/**
 * The name in `Content-Disposition`, else the first usable one of `names`: without paths, control characters and excess
 * length, because names come from outside. Without a `mimeType`, n8n derives it from the name.
 */
export function fileInfo(headers: Record<string, string>, names: ReadonlyArray<string | undefined>) {
	const mimeType = saidType(headers['content-type']?.split(';')[0]?.trim().toLowerCase());
	const candidates = [dispositionName(headers['content-disposition']), ...names].map(harmless);
	const name = candidates.find((candidate) => candidate !== undefined) ?? 'file';
	// The end of `flux-1.1` is no extension.
	const isWhole = /\.(?!\d+$)[a-z0-9]{1,5}$/i.test(name);
	return { fileName: isWhole ? name : fileNameFor(name, mimeType), mimeType };
}

function dispositionName(header: string | undefined): string | undefined {
	if (!header) return undefined;
	const [, charset = '', encoded = ''] = /filename\*\s*=\s*"?([\w-]+)'[^']*'([^;"]+)/i.exec(header) ?? [];
	const [, quoted, plain = ''] = /filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]+))/i.exec(header) ?? [];
	const name = quoted?.replace(/\\(.)/g, '$1') ?? plain;
	return inCharset(encoded, charset) || fromLatin1(name) || encoded;
}

/** A percent-encoded text (RFC 8187); `undefined` if it is not in its character set, or nobody knows that. */
function inCharset(encoded: string, charset: string): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(unescaped(encoded), 'latin1'));
	} catch {
		return undefined;
	}
}

/** HTTP clients decode headers as Latin-1, so a name in UTF-8 is decoded again. */
function fromLatin1(name: string): string {
	const bytes = Buffer.from(name, 'latin1');
	const text = bytes.toString();
	return bytes.toString('latin1') !== name || text.includes('\uFFFD') ? name : text;
}

/** The last part of a URL's path, decoded; `undefined` when it has none. */
export function nameInUrl(url: string): string | undefined {
	const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
	const last = path.split('/').pop();
	return last ? decoded(last) : undefined;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function harmless(name: string | undefined): string | undefined {
	if (!name) return undefined;
	// From its end, which has the extension.
	const last = (name.split(/[\\/]/).pop() ?? '').slice(-MAX_FILE_NAME_LENGTH);
	const clean = last
		.replace(/\p{C}/gu, '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[.\s]+/, '')
		.trimEnd();
	return clean === '' ? undefined : clean;
}
