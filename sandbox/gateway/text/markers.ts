/** Texts in a prompt that force a behaviour (listed in README.md). */
import { ApiError, isErrorCode } from '../errors';

/** `[[name]]` or `[[name:value]]` in the text: its value, `''` without one; null when it is missing. */
export function marker(text: string, name: string): string | null {
	const match = new RegExp(`\\[\\[${name}(?::([^\\]]*))?\\]\\]`, 'i').exec(text);
	return match ? (match[1] ?? '').trim() : null;
}

/** The text without its markers, in one line. */
export function withoutMarkers(text: string): string {
	return text
		.replace(/\[\[[a-z]+(?::[^\]]*)?\]\]/gi, ' ')
		.replace(/\s+/g, ' ')
		.trim();
}

/** `[[error:code]]` throws that error of §7.3. */
export function throwMarkedError(text: string): void {
	const code = marker(text, 'error');
	if (code !== null && isErrorCode(code)) throw new ApiError(code);
}
