import type { HttpRequest, HttpResponse } from './transport';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The URL of a file to which the gateway redirects, e.g. on a CDN. It is to be requested without the key.
 *
 * @param secrets must not be in the URL
 * @returns `undefined` for a response that is no redirect, and for a request that is not a GET
 */
export function redirectedFile(
	{ kind, method, url }: HttpRequest,
	{ status, headers }: HttpResponse<unknown>,
	secrets: readonly string[],
): string | undefined {
	const { location = '' } = headers;
	if (kind === 'file' || method !== 'GET' || !REDIRECTS.has(status) || location === '') return undefined;
	if (!URL.canParse(location, url)) return undefined;
	const target = new URL(location, url);
	const isSecret = secrets.some((secret) => target.href.includes(secret));
	return /^https?:$/.test(target.protocol) && !isSecret ? target.href : undefined;
}
