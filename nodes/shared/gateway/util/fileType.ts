export const UNKNOWN_TYPE = 'application/octet-stream';

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** Types with their extensions, the first of which is that of new names, and their aliases. The first row with an extension counts. */
const FILE_TYPES = (
	[
		['image/png', 'png'],
		['image/jpeg', 'jpg jpeg', 'image/jpg image/pjpeg'],
		['image/webp', 'webp'],
		['image/gif', 'gif'],
		['image/avif', 'avif'],
		['image/heic', 'heic heics', 'image/heic-sequence'],
		['image/heif', 'heif heifs hif', 'image/heif-sequence'],
		['image/svg+xml', 'svg'],
		['image/bmp', 'bmp', 'image/x-ms-bmp image/x-bmp'],
		['image/tiff', 'tiff tif'],
		['image/x-canon-cr2', 'cr2'],
		['image/x-canon-cr3', 'cr3'],
		['image/x-adobe-dng', 'dng'],
		['image/x-nikon-nef', 'nef'],
		['image/x-sony-arw', 'arw'],
		['video/webm', 'webm'],
		['audio/webm', 'webm'],
		['video/x-matroska', 'mkv'],
		['audio/x-matroska', 'mka'],
		['audio/mpeg', 'mp3', 'audio/mp3'],
		['audio/aac', 'aac', 'audio/aacp audio/x-aac audio/x-hx-aac-adts'],
		['audio/wav', 'wav', 'audio/x-wav audio/wave audio/vnd.wave'],
		['audio/ogg', 'ogg oga opus', 'audio/opus'],
		['video/ogg', 'ogv'],
		['audio/flac', 'flac', 'audio/x-flac'],
		['audio/aiff', 'aiff aif aifc', 'audio/x-aiff'],
		['audio/x-ms-wma', 'wma'],
		['audio/amr', 'amr'],
		['audio/amr-wb', 'awb'],
		['audio/x-caf', 'caf'],
		['audio/basic', 'au snd'],
		['audio/mp4', 'm4a m4b', 'audio/x-m4a audio/x-m4b'],
		['video/quicktime', 'mov'],
		['video/3gpp', '3gp'],
		['audio/3gpp', '3gp'],
		['video/mp4', 'mp4'],
		['video/x-m4v', 'm4v'],
		['video/x-msvideo', 'avi', 'video/avi video/vnd.avi'],
		['video/mpeg', 'mpg mpeg'],
		['video/x-flv', 'flv'],
		['video/x-ms-wmv', 'wmv'],
		['video/x-ms-asf', 'asf'],
		['video/mp2t', 'ts mts m2ts'],
		['application/zip', 'zip'],
		['application/pdf', 'pdf'],
		['application/json', 'json'],
		['application/x-ndjson', 'ndjson jsonl'],
		['text/plain', 'txt log ini conf'],
		['text/csv', 'csv'],
		['text/tab-separated-values', 'tsv'],
		['text/html', 'html htm'],
		['text/markdown', 'md'],
		['text/css', 'css'],
		['text/javascript', 'js'],
		['text/x-python', 'py'],
		['application/sql', 'sql'],
		['application/x-subrip', 'srt'],
		['text/vtt', 'vtt'],
		['text/calendar', 'ics'],
		['text/vcard', 'vcf'],
		['message/rfc822', 'eml'],
		['application/xml', 'xml'],
		['application/yaml', 'yaml yml'],
		['application/rtf', 'rtf'],
		['application/msword', 'doc'],
		[`${OFFICE}.wordprocessingml.document`, 'docx'],
		['application/vnd.ms-excel', 'xls'],
		[`${OFFICE}.spreadsheetml.sheet`, 'xlsx'],
		['application/vnd.ms-powerpoint', 'ppt'],
		[`${OFFICE}.presentationml.presentation`, 'pptx'],
		['application/vnd.oasis.opendocument.text', 'odt'],
		['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
		['application/vnd.oasis.opendocument.presentation', 'odp'],
	] as const
).map(([type, extensions, aliases = '']) => ({
	type,
	extensions: extensions.split(' '),
	names: [type, ...aliases.split(' ')],
}));

/** As many bytes as tell the type of a file. */
export const FIRST_BYTES = 1_024;

const ISO_TYPES = ['video/mp4', 'video/x-m4v', 'video/quicktime', 'video/3gpp', 'audio/3gpp', 'audio/mp4'];

/**
 * How files begin, in Latin-1, and the types of those that begin so. The first row that fits counts. No text begins so, except
 * PDF and SVG. ISO media are NUL, `ftyp`, and their brands, the major one first, with commas.
 */
// prettier-ignore
const BEGINNINGS: ReadonlyArray<readonly [begins: RegExp, types: readonly string[]]> = [
	[/^\x89PNG/, ['image/png']],
	[/^\xff\xd8\xff/, ['image/jpeg']],
	[/^RIFF.{4}WEBP/s, ['image/webp']],
	[/^GIF8[79]a(?![ -~]{7})/, ['image/gif']],
	[/^BM.{4}\0{4}/s, ['image/bmp']],
	[/^II\*\0.{4}CR/s, ['image/x-canon-cr2']],
	[/^(?:II[*+]\0|MM\0[*+])/, ['image/tiff', 'image/x-adobe-dng', 'image/x-nikon-nef', 'image/x-sony-arw']],
	// Before the first element are declarations and comments only.
	[/^(?:\xef\xbb\xbf)?\s*(?:<[?!](?:[^<]|<(?![a-z]))*)?<(?:svg:)?svg[\s>]/i, ['image/svg+xml', 'text/html', 'text/markdown']],
	[/^\0ftyp,crx /, ['image/x-canon-cr3']],
	[/^\0ftyp,qt {2}/, ['video/quicktime']],
	[/^\0ftyp,M4[AB] /, ['audio/mp4']],
	[/^\0ftyp.*,avi[fs]/s, ['image/avif']],
	[/^\0ftyp.*,(?:hei[cmsx]|hev[cx]|mif1|msf1)/s, ['image/heic', 'image/heif']],
	// Films have the brands of sound, too.
	[/^\0ftyp(?!.*,M4V).*,M4[AB] /s, ['audio/mp4', ...ISO_TYPES]],
	[/^\0ftyp.*,qt {2}/s, ['video/quicktime', ...ISO_TYPES]],
	[/^\0ftyp,3g/, ['video/3gpp', ...ISO_TYPES]],
	[/^\0ftyp/, ISO_TYPES],
	[/^.E\xdf\xa3/s, ['video/webm', 'audio/webm', 'video/x-matroska', 'audio/x-matroska']],
	[/^ID3(?!\s)\p{Cc}/u, ['audio/mpeg', 'audio/aac', 'audio/flac']],
	// The third byte is no Cyrillic letter of Windows-1251, in which \xff is one.
	[/^\xff(?:[\xfa\xfb][^\0-\cO\xec-\xff]|[\xe2\xe3\xf2\xf3][^\0-\cO\xdc-\xff])/, ['audio/mpeg']],
	[/^\xff[\xf0\xf1\xf8\xf9][\x40-\xbf]/, ['audio/aac']],
	[/^(?:RIFF|RF64).{4}WAVE/s, ['audio/wav']],
	[/^OggS\0.{23}\x80theora/s, ['video/ogg']],
	[/^OggS\0/, ['audio/ogg', 'video/ogg']],
	[/^fLaC[\0\x80]/, ['audio/flac']],
	[/^FORM.{4}AIF[CF]/s, ['audio/aiff']],
	[/^#!AMR-WB\n/, ['audio/amr-wb']],
	[/^#!AMR\n/, ['audio/amr']],
	[/^caff\0/, ['audio/x-caf']],
	[/^\.snd\0/, ['audio/basic']],
	[/^RIFF.{4}AVI /s, ['video/x-msvideo']],
	[/^\0\0\cA[\xb3\xba]/, ['video/mpeg']],
	[/^FLV\cA/, ['video/x-flv']],
	[/^0&\xb2u\x8ef\xcf/, ['video/x-ms-wmv', 'audio/x-ms-wma', 'video/x-ms-asf']],
	// Packets of 188 bytes, on discs with 4 bytes before each.
	[/^(?=.{0,11}\0)(?:G.{187}G.{187}G|.{4}G.{191}G.{191}G)/s, ['video/mp2t']],
	[/^%PDF-/, ['application/pdf']],
];

/** The beginning of a file as the table has it. */
function beginningOf(bytes: Uint8Array): string {
	const text = Buffer.from(bytes.subarray(0, FIRST_BYTES)).toString('latin1');
	if (!/^\0\0..ftyp/s.test(text)) return text.replace(/<!--.*?(?:-->|$)/gs, '');
	const end = text.charCodeAt(2) * 256 + text.charCodeAt(3);
	return ['\0ftyp', ...(text.slice(8, Math.max(end, 12)).match(/.{4}/gs) ?? [])].join();
}

function rowOf(mimeType: string) {
	return mimeType === '' ? undefined : FILE_TYPES.find(({ names }) => names.includes(mimeType));
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
	return FILE_TYPES.find(({ extensions }) => extensions.includes(extension))?.type;
}

/** A type as it is said; `undefined` for `application/octet-stream` and `binary/octet-stream`, which say nothing. */
export function saidType(mimeType = ''): string | undefined {
	return /^$|\/octet-stream$/.test(mimeType) ? undefined : mimeType;
}

/**
 * The standard type of a file by its first bytes: of the types that begin so, the one by its label or its name; `undefined` if
 * nothing is known to begin so.
 *
 * @param bytes the first {@link FIRST_BYTES}, or more
 */
export function typeByContent(bytes: Uint8Array, label = '', fileName?: string): string | undefined {
	const beginning = beginningOf(bytes);
	const [, types = []] = BEGINNINGS.find(([begins]) => begins.test(beginning)) ?? [];
	// Also sound and films that this table lacks.
	const isIso = (type: string) =>
		types.includes('video/mp4') && /^(audio|video)\/\w/.test(type) && !rowOf(type);
	return [standardType(label), typeByName(fileName), ...types].find(
		(type = '') => types.includes(type) || isIso(type),
	);
}

/** Characters that no text has, unless it is UTF-16. */
const CONTROL = /^(?!\xff\xfe|\xfe\xff)[^]*[\0-\cH\cN-\cZ]/;

/** The standard type of a file: by its first bytes, else by its label, else by its name. */
export function fileType(label = '', fileName?: string, bytes?: Uint8Array): string | undefined {
	const found = bytes && typeByContent(bytes, label, fileName);
	if (found !== undefined) return found;
	const [said, named] = [saidType(standardType(label)), typeByName(fileName)];
	const isText = bytes && !CONTROL.test(beginningOf(bytes));
	// n8n calls files of which it knows nothing so.
	if (said === 'text/plain' && isText === false) return named;
	// Without its packets, a `.ts` is TypeScript.
	return (said ?? named) === 'video/mp2t' && isText ? 'text/plain' : (said ?? named);
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
	if (/^(text|message)\/|^application\/([\w.-]+\+)?(json|xml|(x-)?yaml|javascript)\b/.test(type))
		return 'text';
	if (/^application\/(x-)?(subrip|ndjson|sql|sh|toml|tex|perl|httpd-php|typescript)$/.test(type))
		return 'text';
	return (['image', 'audio', 'video'] as const).find((kind) => type.startsWith(`${kind}/`));
}
