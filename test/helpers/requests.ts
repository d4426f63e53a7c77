import type { HttpRequest } from '../../nodes/shared/gateway/client/transport';

/** A request as a scripted client sends it, with what most have in common filled in. */
export function request(
	method: HttpRequest['method'],
	path: string,
	{ json, headers, ...more }: Partial<HttpRequest> & { json?: unknown } = {},
): HttpRequest {
	return {
		method,
		url: `https://gateway.test/api/v1${path}`,
		headers: {
			Accept: 'application/json, */*;q=0.5',
			...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
			...headers,
		},
		body: json === undefined ? undefined : JSON.stringify(json),
		signal: undefined,
		maxBytes: undefined,
		timeoutMs: 315_000,
		kind: 'read',
		...more,
	};
}
