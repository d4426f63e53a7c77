/** The type of a file by its first bytes and by declaration, and the name of each type (§2.7). */

export type FileType = 'IMAGE' | 'VIDEO' | 'AUDIO';

const extensions: Record<string, string> = {
	'image/png': '.png',
	'image/jpeg': '.jpg',
	'image/gif': '.gif',
	'image/webp': '.webp',
	'audio/wav': '.wav',
	'audio/mpeg': '.mp3',
	'audio/ogg': '.ogg',
	'audio/flac': '.flac',
	'video/mp4': '.mp4',
	'video/webm': '.webm',
	'video/quicktime': '.mov',
};

/** The MIME type by the first bytes (16 are enough); null when they are unknown. */
export function sniffMimeType(head: Buffer): string | null {
	const text = head.toString('latin1', 0, 16);
	if (text.startsWith('\x89PNG\r\n')) return 'image/png';
	if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
	if (text.startsWith('GIF8')) return 'image/gif';
	if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
	if (text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE') return 'audio/wav';
	if (text.startsWith('ID3') || /^\xff[\xe2-\xfb]/.test(text)) return 'audio/mpeg';
	if (text.startsWith('OggS')) return 'audio/ogg';
	if (text.startsWith('fLaC')) return 'audio/flac';
	if (/^ftyp(?:hei[cx]|hev[cx]|mif1|msf1)/.test(text.slice(4))) return 'image/heic';
	if (text.slice(4, 8) === 'ftyp') return text.slice(8, 10) === 'qt' ? 'video/quicktime' : 'video/mp4';
	if (text.startsWith('\x1a\x45\xdf\xa3')) return 'video/webm';
	return null;
}

/** The declared type without parameters. */
export function normalMimeType(declared: string): string {
	return (declared.split(';')[0] ?? '').trim().toLowerCase();
}

/** Null for files that are not image, video or audio: §2.7 has no type for them. */
export function fileTypeOf(mimeType: string): FileType | null {
	const types = { image: 'IMAGE', video: 'VIDEO', audio: 'AUDIO' } as const;
	const [kind = ''] = mimeType.split('/');
	return kind === 'image' || kind === 'video' || kind === 'audio' ? types[kind] : null;
}

/** With the leading dot. */
export function extensionOf(mimeType: string): string {
	return extensions[mimeType] ?? `.${mimeType.split('/')[1]?.replace(/[^a-z0-9]/g, '') || 'bin'}`;
}
