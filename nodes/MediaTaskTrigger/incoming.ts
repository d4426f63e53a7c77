import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { taskIdsIn } from '../shared/gateway/media/callbackIds';
import { readPassThrough } from '../shared/gateway/media/passThrough';
import { asNumber, asObject, asText, isFlat, parseJson, type Json } from '../shared/gateway/util/json';

/** A callback, as far as it is used. Anybody can send one. */
export interface IncomingCallback {
	/** The IDs that may be a task's, most likely first. */
	ids: string[];
	/** Where it comes from: an IP address, or a network of IPv6. */
	source: string;
	/** Size of its body in bytes. */
	size: number;
	/** What it keeps in memory until it is checked, in bytes. */
	kept: number;
	/** Returns the data that the creator of the task has put into the callback URL, if it is readable. */
	passThrough: () => Json | undefined;
	/** Returns body, query and headers, for the output. A large or deep body is left out. */
	content: () => IDataObject;
}

/** Limits of a body in the output: n8n fails to store what is nested deeper. Bytes, and levels. */
const MAX_BODY = 256 * 1024;
const MAX_LEVELS = 100;

/** The size that a body counts with if its size is unknown, in bytes: more than n8n accepts by default. */
const UNKNOWN_SIZE = 64 * 1024 * 1024;

/** Reads a callback. Takes about a millisecond once the body is there, whatever the body. */
export async function readCallback(context: IWebhookFunctions): Promise<IncomingCallback> {
	const request: object = context.getRequestObject();
	const parsed: unknown = context.getBodyData();
	const body = isEmpty(parsed) ? ((await unparsedBody(request)) ?? parsed) : parsed;
	const query: unknown = context.getQueryData();
	const headers = asObject(context.getHeaderData()) ?? {};
	const size = sizeOf(request, headers);
	const keptBody = size <= MAX_BODY ? (body as IDataObject) : null;
	return {
		ids: taskIdsIn(query, body, size),
		source: networkOf(asText(Reflect.get(request, 'ip')) ?? ''),
		size,
		kept: keptBody === null ? 0 : size,
		passThrough: () => readPassThrough(query),
		content: () => ({
			body: isFlat(keptBody, MAX_LEVELS) ? keptBody : null,
			query: asObject(query) ?? {},
			headers: { ...headers },
		}),
	};
}

function isEmpty(body: unknown): boolean {
	return body === undefined || body === null || Object.keys(body).length === 0;
}

/** The request as n8n's web server has it. */
interface RawRequest {
	rawBody?: unknown;
	readRawBody?(): Promise<void>;
}

/** n8n does not parse a body whose media type it does not know, and §6.4 does not say which one a callback has. */
async function unparsedBody(request: RawRequest): Promise<unknown> {
	await request.readRawBody?.();
	const { rawBody } = request;
	const isText = rawBody instanceof Uint8Array && rawBody.length <= MAX_BODY;
	return isText ? parseJson(new TextDecoder().decode(rawBody)) : undefined;
}

/** n8n keeps the body as it came, decompressed, except of forms with files. */
function sizeOf(request: object, headers: IDataObject): number {
	const raw: unknown = Reflect.get(request, 'rawBody');
	if (raw instanceof Uint8Array) return raw.length;
	const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
	return isUnknown ? UNKNOWN_SIZE : (asNumber(headers['content-length']) ?? 0);
}

/** One sender has as many addresses of an IPv6 network as it likes. */
function networkOf(address: string): string {
	if (address.includes('.')) return address;
	const [start = ''] = address.split('::');
	return start.split(':').slice(0, 4).join(':');
}
