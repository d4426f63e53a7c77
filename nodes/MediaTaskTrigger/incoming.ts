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
	const request: RawRequest = context.getRequestObject();
	const body = await bodyOf(request, context.getBodyData());
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

/** The request as n8n's web server has it. */
interface RawRequest {
	/** The body as it came, decompressed. Missing before it is read, and for forms with files. */
	rawBody?: unknown;
	readRawBody?(): Promise<void>;
}

/**
 * The body, parsed here where n8n does not know its media type: §6.4 does not say which one a callback has.
 *
 * @param parsed the body as n8n parsed it; `undefined` or empty if it did not
 */
async function bodyOf(request: RawRequest, parsed: unknown): Promise<unknown> {
	if (isLarge(request) || !isEmpty(parsed)) return parsed;
	await request.readRawBody?.();
	const { rawBody } = request;
	if (!(rawBody instanceof Uint8Array) || isLarge(request)) return parsed;
	return parseJson(new TextDecoder().decode(rawBody)) ?? parsed;
}

function isLarge({ rawBody }: RawRequest): boolean {
	return rawBody instanceof Uint8Array && rawBody.length > MAX_BODY;
}

function isEmpty(body: unknown): boolean {
	return body === undefined || body === null || Object.keys(body).length === 0;
}

function sizeOf({ rawBody }: RawRequest, headers: IDataObject): number {
	if (rawBody instanceof Uint8Array) return rawBody.length;
	const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
	return isUnknown ? UNKNOWN_SIZE : (asNumber(headers['content-length']) ?? 0);
}

/** One sender has as many addresses of an IPv6 network as it likes. */
function networkOf(address: string): string {
	if (address.includes('.')) return address;
	const [start = ''] = address.split('::');
	return start.split(':').slice(0, 4).join(':');
}
