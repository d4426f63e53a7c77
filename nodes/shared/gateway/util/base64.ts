/** A file as base64 text. */
export interface Base64File {
	/** Standard alphabet, without white space. */
	base64: string;
	/** Of the file, in bytes. */
	size: number;
	/** From a data URL. */
	mimeType?: string | undefined;
}

/**
 * Reads base64 text or a data URL; accepts white space and the URL-safe alphabet.
 *
 * @returns `undefined` if it is not base64
 */
export function readBase64(text: string): Base64File | undefined {
	const [, mimeType, data = text] = /^\s*data:([^;,]*)[^,]*;base64,([\s\S]*)/i.exec(text) ?? [];
	const base64 = data.replace(/\s/g, '').replace(/-/g, '+').replace(/_/g, '/');
	const digits = base64.replace(/={1,2}$/, '');
	if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) return undefined;
	return { base64, size: Math.floor((digits.length * 3) / 4), mimeType: mimeType || undefined };
}
