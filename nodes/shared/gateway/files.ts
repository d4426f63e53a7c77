/** What an answer says about the file it carries. */
export interface FileFacts {
	fileName: string;
	/** `undefined` when the server does not say: n8n then derives it from the name. */
	mimeType: string | undefined;
}

const MAX_FILE_NAME_LENGTH = 150;

/** Extensions for answers whose name has none. */
const EXTENSIONS: Readonly<Record<string, string>> = {
	'image/png': 'png',
	'image/jpeg': 'jpg',
	'image/webp': 'webp',
	'image/gif': 'gif',
	'video/mp4': 'mp4',
	'video/webm': 'webm',
	'audio/mpeg': 'mp3',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'audio/ogg': 'ogg',
	'application/zip': 'zip',
};

/**
 * Name and MIME type of a downloaded file: from `Content-Disposition`, else from the URL's path, else `fallback`.
 * Names come from outside, so paths, control characters and excessive length are taken out.
 *
 * @param headers of the answer, names in lower case
 * @param fallback name without extension
 */
export function fileFacts(headers: Record<string, string>, url: string, fallback: string): FileFacts {
	const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
	const mimeType = type && type !== 'application/octet-stream' ? type : undefined;
	const name =
		harmless(dispositionName(headers['content-disposition'])) ??
		harmless(nameInUrl(url)) ??
		harmless(fallback);
	const extension = mimeType === undefined ? undefined : EXTENSIONS[mimeType];
	const named = name ?? 'file';
	return {
		fileName: /\.[a-z0-9]{1,5}$/i.test(named) || !extension ? named : `${named}.${extension}`,
		mimeType,
	};
}

function dispositionName(header: string | undefined): string | undefined {
	if (!header) return undefined;
	const encoded = /filename\*\s*=\s*[\w-]+'[^']*'([^;]+)/i.exec(header)?.[1];
	if (encoded) return decoded(encoded.trim());
	const [, quoted, plain] = /filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]+))/i.exec(header) ?? [];
	return quoted?.replace(/\\(.)/g, '$1') ?? plain?.trim();
}

function nameInUrl(url: string): string | undefined {
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
	const last = name.split(/[\\/]/).pop() ?? '';
	const clean = last
		.replace(/\p{C}/gu, '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[.\s]+|\s+$/g, '');
	if (clean === '') return undefined;
	return clean.length > MAX_FILE_NAME_LENGTH ? shortened(clean) : clean;
}

function shortened(name: string): string {
	const extension = /\.[a-z0-9]{1,5}$/i.exec(name)?.[0] ?? '';
	return name.slice(0, MAX_FILE_NAME_LENGTH - extension.length) + extension;
}
