export const UNKNOWN_TYPE = 'application/octet-stream';

interface FileType {
	type: string;
	/** The first one is that of new names. */
	extensions: readonly [string, ...string[]];
	aliases?: readonly string[];
	/** How such files begin, in Latin-1. */
	begins?: RegExp;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const ISO_MEDIA = /^\0\0..ftyp/s;
const MATROSKA = /^.E\xdf\xa3/s;
const OGG = /^OggS\0/;

/** Of those that fit, the first row counts. Files of several types may begin alike. */
// prettier-ignore
const TYPES: readonly FileType[] = [
	{ type: 'image/png', extensions: ['png'], begins: /^\x89PNG/ },
	{ type: 'image/jpeg', extensions: ['jpg', 'jpeg'], aliases: ['image/jpg', 'image/pjpeg'], begins: /^\xff\xd8\xff/ },
	{ type: 'image/webp', extensions: ['webp'], begins: /^RIFF.{4}WEBP/s },
	{ type: 'image/gif', extensions: ['gif'], begins: /^GIF8[79]a/ },
	{ type: 'image/avif', extensions: ['avif'], begins: /^\0\0..ftypavi[fs]/s },
	{ type: 'image/heic', extensions: ['heic'], begins: /^\0\0..ftyp(hei|mif)/s },
	{ type: 'image/heif', extensions: ['heif'], begins: /^\0\0..ftyp(hei|mif)/s },
	{ type: 'image/svg+xml', extensions: ['svg'] },
	{ type: 'video/webm', extensions: ['webm'], begins: MATROSKA },
	{ type: 'audio/webm', extensions: ['webm'], begins: MATROSKA },
	{ type: 'video/x-matroska', extensions: ['mkv'], begins: MATROSKA },
	{ type: 'audio/mpeg', extensions: ['mp3'], aliases: ['audio/mp3'], begins: /^ID3(?!\s)\p{Cc}|^\xff[\xfb\xf3\xf2]/u },
	{ type: 'audio/aac', extensions: ['aac'], begins: /^\xff[\xf1\xf9]/ },
	{ type: 'audio/wav', extensions: ['wav'], aliases: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'], begins: /^RIFF.{4}WAVE/s },
	{ type: 'audio/ogg', extensions: ['ogg', 'oga', 'opus'], aliases: ['audio/opus'], begins: OGG },
	{ type: 'video/ogg', extensions: ['ogv'], begins: OGG },
	{ type: 'audio/flac', extensions: ['flac'], aliases: ['audio/x-flac'], begins: /^fLaC\0/ },
	{ type: 'audio/mp4', extensions: ['m4a'], aliases: ['audio/x-m4a'], begins: /^\0\0..ftypM4A/s },
	{ type: 'video/quicktime', extensions: ['mov'], begins: /^\0\0..ftypqt/s },
	{ type: 'video/3gpp', extensions: ['3gp'], begins: /^\0\0..ftyp3g/s },
	{ type: 'video/mp4', extensions: ['mp4'], begins: ISO_MEDIA },
	{ type: 'video/x-m4v', extensions: ['m4v'], begins: ISO_MEDIA },
	{ type: 'audio/mp4', extensions: ['m4a'], begins: ISO_MEDIA },
	{ type: 'application/zip', extensions: ['zip'] },
	{ type: 'application/pdf', extensions: ['pdf'], begins: /^%PDF-/ },
	{ type: 'application/json', extensions: ['json'] },
	{ type: 'text/plain', extensions: ['txt'] },
	{ type: 'text/csv', extensions: ['csv'] },
	{ type: 'text/html', extensions: ['html', 'htm'] },
	{ type: 'text/markdown', extensions: ['md'] },
	{ type: 'application/xml', extensions: ['xml'] },
	{ type: 'application/yaml', extensions: ['yaml', 'yml'] },
	{ type: 'application/rtf', extensions: ['rtf'] },
	{ type: 'application/msword', extensions: ['doc'] },
	{ type: `${OFFICE}.wordprocessingml.document`, extensions: ['docx'] },
	{ type: 'application/vnd.ms-excel', extensions: ['xls'] },
	{ type: `${OFFICE}.spreadsheetml.sheet`, extensions: ['xlsx'] },
	{ type: `${OFFICE}.presentationml.presentation`, extensions: ['pptx'] },
	{ type: 'application/vnd.oasis.opendocument.text', extensions: ['odt'] },
];

function rowOf(mimeType: string): FileType | undefined {
	return TYPES.find(({ type, aliases = [] }) => type === mimeType || aliases.includes(mimeType));
}

/** The extension of files of a type, in lower case and without parameters. */
export function extensionOf(mimeType: string): string | undefined {
	return rowOf(mimeType)?.extensions[0];
}

/** A type without its parameters and as servers know it, such as `image/jpeg` for `image/jpg`. */
export function standardType(mimeType: string): string {
	const [type = ''] = mimeType.toLowerCase().split(';', 1);
	return rowOf(type.trim())?.type ?? type.trim();
}

export function typeByName(fileName = ''): string | undefined {
	const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return TYPES.find(({ extensions }) => extensions.includes(extension))?.type;
}

/** A type as it is said; `undefined` for `application/octet-stream` and `binary/octet-stream`, which say nothing. */
export function saidType(mimeType = ''): string | undefined {
	return /^$|\/octet-stream$/.test(mimeType) ? undefined : mimeType;
}

/**
 * The standard type of a file by its first bytes: the one by its label or its name, if its files begin so; `undefined` if
 * nothing is known to begin so.
 */
export function typeByContent(bytes: Uint8Array, label = '', fileName?: string): string | undefined {
	const beginning = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
	const types = TYPES.flatMap(({ type, begins }) => (begins?.test(beginning) ? type : []));
	return [standardType(label), typeByName(fileName), ...types].find((type) => types.includes(type ?? ''));
}

/** The standard type of a file: by its first bytes, else by its label, else by its name. */
export function fileType(label = '', fileName?: string, bytes?: Uint8Array): string | undefined {
	const found = bytes && typeByContent(bytes, label, fileName);
	return found ?? saidType(standardType(label)) ?? typeByName(fileName);
}

/** The type of sound in a format such as `mp3`. */
export function audioType(format: string): string {
	return typeByName(`.${format}`) ?? `audio/${format}`;
}

export type FileKind = 'text' | 'image' | 'pdf' | 'audio' | 'video';

/** What a model sees in files of a type; `undefined` for those that few models read. */
export function kindOfType(mimeType = ''): FileKind | undefined {
	const type = mimeType.toLowerCase();
	if (type.startsWith('application/pdf')) return 'pdf';
	if (/^(text\/|application\/([\w.-]+\+)?(json|xml|(x-)?yaml|javascript)\b)/.test(type)) return 'text';
	return (['image', 'audio', 'video'] as const).find((kind) => type.startsWith(`${kind}/`));
}
