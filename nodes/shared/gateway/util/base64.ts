export interface Base64File {
	/** Standard alphabet, without white space. */
	base64: string;
	/** Of the file, in bytes. */
	size: number;
	mimeType?: string | undefined;
}

/** Reads base64 text or a data URL, also with white space or the URL-safe alphabet; `undefined` if it is neither. */
export function readBase64(text: string): Base64File | undefined {
	const { mimeType, data } = dataUrlParts(text) ?? { data: text };
	const base64 = data.replace(/\s/g, '').replace(/-/g, '+').replace(/_/g, '/');
	const digits = base64.replace(/={1,2}$/, '');
	if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) return undefined;
	return { base64, size: Math.floor((digits.length * 3) / 4), mimeType: mimeType || undefined };
}

export function isDataUrl(url: string): boolean {
	return /^\s*data:/i.test(url);
}

/** The parts of a data URL. Found by its first comma: one pattern for all of it takes quadratic time. */
function dataUrlParts(text: string): { mimeType: string | undefined; data: string } | undefined {
	const comma = text.indexOf(',');
	if (comma === -1 || !isDataUrl(text)) return undefined;
	const header = text.slice(text.indexOf(':') + 1, comma);
	const [mimeType] = header.split(';', 1);
	const data = text.slice(comma + 1);
	if (/;\s*base64\s*$/i.test(header)) return { mimeType, data: unescaped(data) };
	const bytes = Buffer.from(unescaped(Buffer.from(data).toString('latin1')), 'latin1');
	return { mimeType: mimeType || 'text/plain', data: bytes.toString('base64') };
}

/** Percent-encoded bytes in Latin-1. */
export function unescaped(text: string): string {
	return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Base64 text whose pieces may each be padded, as one without padding inside, at which decoders stop. */
export function joinedBase64(text: string): string {
	if (!/=[^=]/.test(text)) return text;
	const pieces = text.match(/[^=]+=*/g) ?? [];
	return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64');
}
