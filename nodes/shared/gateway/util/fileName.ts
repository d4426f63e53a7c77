const MAX_FILE_NAME_LENGTH = 150;

/** Extensions and their MIME types. For a name or type that occurs twice, the first one is used. */
const TYPES: ReadonlyArray<[extension: string, mimeType: string]> = [
	['png', 'image/png'],
	['jpg', 'image/jpeg'],
	['jpg', 'image/jpg'],
	['jpg', 'image/pjpeg'],
	['jpeg', 'image/jpeg'],
	['webp', 'image/webp'],
	['gif', 'image/gif'],
	['avif', 'image/avif'],
	['svg', 'image/svg+xml'],
	['mp4', 'video/mp4'],
	['webm', 'video/webm'],
	['mp3', 'audio/mpeg'],
	['mp3', 'audio/mp3'],
	['aac', 'audio/aac'],
	['wav', 'audio/wav'],
	['wav', 'audio/x-wav'],
	['wav', 'audio/wave'],
	['wav', 'audio/vnd.wave'],
	['ogg', 'audio/ogg'],
	['ogg', 'audio/opus'],
	['oga', 'audio/ogg'],
	['opus', 'audio/ogg'],
	['flac', 'audio/flac'],
	['flac', 'audio/x-flac'],
	['m4a', 'audio/mp4'],
	['m4a', 'audio/x-m4a'],
	['mov', 'video/quicktime'],
	['zip', 'application/zip'],
	['pdf', 'application/pdf'],
	['json', 'application/json'],
	['txt', 'text/plain'],
	['csv', 'text/csv'],
	['html', 'text/html'],
	['htm', 'text/html'],
	['md', 'text/markdown'],
	['xml', 'application/xml'],
	['yaml', 'application/yaml'],
	['yml', 'application/yaml'],
	['rtf', 'application/rtf'],
	['doc', 'application/msword'],
	['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
	['xls', 'application/vnd.ms-excel'],
	['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
	['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
	['odt', 'application/vnd.oasis.opendocument.text'],
	['heic', 'image/heic'],
];

/** The extension of files of a type, in lower case and without parameters. */
export function extensionOf(mimeType: string): string | undefined {
	return TYPES.find(([, type]) => type === mimeType)?.[0];
}

/** `name` with the extension of the type, if the type is known. */
export function fileNameFor(name: string, mimeType: string): string {
	const extension = extensionOf(mimeType);
	return extension === undefined ? name : `${name}.${extension}`;
}

/**
 * What makes the name of a file unique: servers give many the same, of which an archive or a folder keeps one.
 *
 * @param id of the task or the response that the file is from
 * @param index among its files
 */
export function suffixOf(id: string, index = 0): string {
	const end = id.replace(/\W/g, '').slice(-8);
	return `${end && '_'}${end}${index > 0 ? `_${index}` : ''}`;
}

/** `name` with a suffix such as `_1a2b` before its extension, unless it contains that anyway. */
export function withSuffix(name: string, suffix: string): string {
	if (name.includes(suffix.slice(1))) return name;
	return name.replace(/(\.[a-z0-9]{1,5})?$/i, `${suffix}$1`);
}

/** A type without its parameters and as servers know it, such as `image/jpeg` for `image/jpg`. */
export function standardType(mimeType: string): string {
	const [type = ''] = mimeType.toLowerCase().split(';', 1);
	return typeByName(`.${extensionOf(type.trim())}`) ?? type.trim();
}

export function typeByName(fileName: string): string | undefined {
	const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
	return TYPES.find(([known]) => known === extension)?.[1];
}

/** How files of a type begin, in Latin-1. The first one that fits counts. */
// prettier-ignore
const SIGNATURES: ReadonlyArray<[beginning: RegExp, mimeType: string]> = [
	[/^\x89PNG/, 'image/png'], [/^\xff\xd8\xff/, 'image/jpeg'], [/^GIF8/, 'image/gif'],
	[/^RIFF.{4}WEBP/s, 'image/webp'], [/^.{4}ftypavi[fs]/s, 'image/avif'], [/^.{4}ftyp(hei|mif)/s, 'image/heic'],
	[/^RIFF.{4}WAVE/s, 'audio/wav'], [/^OggS/, 'audio/ogg'], [/^fLaC/, 'audio/flac'],
	[/^.{4}ftypM4A/s, 'audio/mp4'], [/^ID3|^\xff[\xfb\xf3\xf2]/, 'audio/mpeg'], [/^\xff[\xf1\xf9]/, 'audio/aac'],
	[/^.{4}ftypqt/s, 'video/quicktime'], [/^.{4}ftyp/s, 'video/mp4'], [/^.E\xdf\xa3/s, 'video/webm'],
	[/^%PDF/, 'application/pdf'],
];

/** The type of a file that begins so, if it is known. */
export function typeByContent(bytes: Uint8Array): string | undefined {
	const beginning = Buffer.from(bytes).toString('latin1', 0, 16);
	return SIGNATURES.find(([pattern]) => pattern.test(beginning))?.[1];
}

/** Whether files of a type are text. */
export function isTextType(mimeType: string): boolean {
	return /^(text\/|application\/([\w.-]+\+)?(json|xml|(x-)?yaml|javascript)\b)/i.test(mimeType);
}

/**
 * Name and MIME type of a downloaded file. The name is the one in `Content-Disposition`, else the first
 * usable one of `names`. Names come from outside, so paths, control characters and excess length are removed.
 * Without a `mimeType`, n8n derives it from the name.
 */
export function fileInfo(headers: Record<string, string>, names: ReadonlyArray<string | undefined>) {
	const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
	// `application/octet-stream` and `binary/octet-stream` mean that the server does not know.
	const mimeType = type && !type.endsWith('/octet-stream') ? type : undefined;
	const candidates = [dispositionName(headers['content-disposition']), ...names].map(harmless);
	const name = candidates.find((candidate) => candidate !== undefined) ?? 'file';
	// The end of `flux-1.1` is no extension.
	const isWhole = /\.(?!\d+$)[a-z0-9]{1,5}$/i.test(name) || mimeType === undefined;
	return { fileName: isWhole ? name : fileNameFor(name, mimeType), mimeType };
}

function dispositionName(header: string | undefined): string | undefined {
	if (!header) return undefined;
	const encoded = /filename\*\s*=\s*[\w-]+'[^']*'([^;]+)/i.exec(header)?.[1];
	if (encoded) return decoded(encoded);
	const [, quoted, plain] = /filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]+))/i.exec(header) ?? [];
	const name = quoted?.replace(/\\(.)/g, '$1') ?? plain;
	return name === undefined ? undefined : fromLatin1(name);
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
		.replace(/^[.\s]+|\s+$/g, '');
	return clean === '' ? undefined : clean;
}
