import type { IWebhookFunctions } from 'n8n-workflow';

import { asObject } from '../shared/gateway/util/json';

/** The longest body that is read, in bytes. */
const MAX_BODY = 256 * 1024;

interface RawRequest {
	/** The body as it came, decompressed. Missing before it is read, and for forms with files. */
	rawBody?: unknown;
	readRawBody?(): Promise<void>;
}

/** The query and the body of a callback as text. Anybody who knows the URL can send one. */
export async function readCallback(context: IWebhookFunctions): Promise<string> {
	const request: RawRequest = context.getRequestObject();
	const query: unknown = context.getQueryData();
	const body: unknown = context.getBodyData();
	// §6.4 does not say which media type a callback has: n8n has not read one that it does not know.
	const isUnread = request.rawBody === undefined && Object.keys(asObject(body) ?? {}).length === 0;
	if (isUnread) await request.readRawBody?.();
	const { rawBody } = request;
	const bytes = rawBody instanceof Uint8Array && rawBody.length <= MAX_BODY ? rawBody : undefined;
	// A form with files has its fields in `data`.
	const fields = rawBody === undefined ? JSON.stringify(asObject(body)?.data ?? null) : '';
	return [JSON.stringify(query), new TextDecoder().decode(bytes), fields].join(' ');
}
