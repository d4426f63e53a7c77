import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { taskIdsIn, readPassThrough } from '../shared/gateway/media/callbacks';
import { asObject, parseJson, type Json } from '../shared/gateway/util/json';

/** A callback, as far as it is used. Anybody who knows the URL can send one. */
export interface IncomingCallback {
	ids: string[];
	/** The data that the creator of the task has put into the callback URL, if it is readable. */
	passThrough: Json | undefined;
	/** Body, query and headers, for the output. */
	content: IDataObject;
}

/** The longest body that is read, in bytes: to search a longer one takes seconds. */
const MAX_BODY = 256 * 1024;

/** The request as n8n's web server has it. */
interface RawRequest {
	/** The body as it came, decompressed. Missing before it is read, and for forms with files. */
	rawBody?: unknown;
	readRawBody?(): Promise<void>;
}

/** Reads a callback. */
export async function readCallback(context: IWebhookFunctions): Promise<IncomingCallback> {
	const request: RawRequest = context.getRequestObject();
	const query: unknown = context.getQueryData();
	let body: unknown = context.getBodyData();
	// §6.4 does not say which media type a callback has: n8n has not read one that it does not know.
	const isUnread = request.rawBody === undefined && Object.keys(body ?? {}).length === 0;
	if (isUnread) await request.readRawBody?.();
	const bytes = request.rawBody instanceof Uint8Array ? request.rawBody : undefined;
	const isRead = bytes !== undefined && bytes.length <= MAX_BODY;
	const text = isUnread && isRead ? new TextDecoder().decode(bytes) : '';
	if (text !== '') body = parseJson(text) ?? text;
	// A form with files has its fields in `data`.
	const fields = bytes ? isRead && body : asObject(body)?.data;
	return {
		ids: taskIdsIn(query, fields),
		passThrough: readPassThrough(query),
		content: {
			body: isRead ? (body as IDataObject) : null,
			query: asObject(query) ?? {},
			headers: { ...asObject(context.getHeaderData()) },
		},
	};
}
