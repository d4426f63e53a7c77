export const UNKNOWN_TYPE = 'application/octet-stream';

/** Extensions, their MIME types, and how such files begin, in Latin-1. The first row that fits counts. */
const TYPES: ReadonlyArray<[extension: string, mimeType: string, beginning?: RegExp]> = [
	['png', 'image/png', /^\x89PNG/],
	['jpg', 'image/jpeg', /^\xff\xd8\xff/],
	['jpg', 'image/jpg'],
	['jpg', 'image/pjpeg'],
	['jpeg', 'image/jpeg'],
	['webp', 'image/webp', /^RIFF.{4}WEBP/s],
	['gif', 'image/gif', /^GIF8/],
	['avif', 'image/avif', /^.{4}ftypavi[fs]/s],
	['heic', 'image/heic', /^.{4}ftyp(hei|mif)/s],
	['svg', 'image/svg+xml'],
	['webm', 'video/webm', /^.E\xdf\xa3/s],
	['mp3', 'audio/mpeg', /^ID3|^\xff[\xfb\xf3\xf2]/],
	['mp3', 'audio/mp3'],
	['aac', 'audio/aac', /^\xff[\xf1\xf9]/],
	['wav', 'audio/wav', /^RIFF.{4}WAVE/s],
	['wav', 'audio/x-wav'],
	['wav', 'audio/wave'],
	['wav', 'audio/vnd.wave'],
	['ogg', 'audio/ogg', /^OggS/],
	['ogg', 'audio/opus'],
	['oga', 'audio/ogg'],
	['opus', 'audio/ogg'],
	['flac', 'audio/flac', /^fLaC/],
	['flac', 'audio/x-flac'],
	['m4a', 'audio/mp4', /^.{4}ftypM4A/s],
	['m4a', 'audio/x-m4a'],
	['mov', 'video/quicktime', /^.{4}ftypqt/s],
	['mp4', 'video/mp4', /^.{4}ftyp/s],
	['zip', 'application/zip'],
	['pdf', 'application/pdf', /^%PDF/],
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
];

/** The extension of files of a type, in lower case and without parameters. */
export function extensionOf(mimeType: string): string | undefined {
	return TYPES.find(([, type]) => type === mimeType)?.[0];
}

/** A type without its parameters and as servers know it, such as `image/jpeg` for `image/jpg`. */
export function standardType(mimeType: string): string {
	const [type = ''] = mimeType.toLowerCase().split(';', 1);
	return typeByName(`.${extensionOf(type.trim())}`) ?? type.trim();
}

export function typeByName(fileName = ''): string | undefined {
	const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
	return TYPES.find(([known]) => known === extension)?.[1];
}

export function typeByContent(bytes: Uint8Array): string | undefined {
	const beginning = Buffer.from(bytes).toString('latin1', 0, 16);
	return TYPES.find(([, , pattern]) => pattern?.test(beginning))?.[1];
}

/** A type as it is said; `undefined` for `application/octet-stream` and `binary/octet-stream`, which say nothing. */
export function saidType(mimeType = ''): string | undefined {
	return /^$|\/octet-stream$/.test(mimeType) ? undefined : mimeType;
}

/**
 * The standard type of a file: the one that is said, else by its name, else by its first bytes, if they are given.
 * n8n also calls a file text of which it knows nothing: without a known name, the bytes come first.
 */
export function fileType(label = '', fileName?: string, bytes?: Uint8Array): string | undefined {
	const said = saidType(standardType(label));
	const byName = typeByName(fileName);
	const isSure = said !== 'text/plain' || byName !== undefined;
	return (isSure ? said : undefined) ?? byName ?? (bytes && typeByContent(bytes)) ?? said;
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
