/** Every request that arrived, and how many ran at once. */
import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { keyOf, maskKey } from '../accounts';
import type { Concurrency, EndpointGroup, RequestRecord } from './types';

const maxRecords = 20_000;
/** Bodies up to this size are kept whole in the log. */
const maxBodyBytes = 256 * 1024;

interface Counter {
	inFlight: number;
	max: number;
}

export class RequestLog {
	private records: RequestRecord[] = [];
	private total: Counter = { inFlight: 0, max: 0 };
	private readonly groups = new Map<EndpointGroup, Counter>();

	/** Adds a request; its record is completed while the request runs. */
	start(request: FastifyRequest, host: RequestRecord['host']): RequestRecord {
		const [path = '/', query = ''] = request.url.split('?', 2);
		const group = host === 'files' ? 'files' : groupOf(request.method, path);
		const key = keyOf(request);
		const length = request.headers['content-length'];
		const record: RequestRecord = {
			id: randomUUID(),
			host,
			group,
			method: request.method,
			path,
			query,
			headers: host === 'files' ? rawHeaders(request) : maskedHeaders(request),
			key: key && maskKey(key),
			body: {
				contentType: request.headers['content-type'] ?? null,
				bytes: length === undefined ? null : Number(length),
				model: null,
			},
			status: null,
			startedAt: Date.now(),
			endedAt: null,
			outcome: 'running',
			faults: [],
		};
		this.records.push(record);
		if (this.records.length > maxRecords) this.records.splice(0, this.records.length - maxRecords);
		for (const counter of [this.total, this.counter(group)]) {
			counter.inFlight += 1;
			counter.max = Math.max(counter.max, counter.inFlight);
		}
		return record;
	}

	/** Adds the parsed JSON body; a big one only by its size. */
	noteBody(record: RequestRecord, body: unknown): void {
		if (typeof body !== 'object' || body === null) return;
		if ('model' in body && typeof body.model === 'string') record.body.model = body.model;
		if ((record.body.bytes ?? 0) <= maxBodyBytes) record.body.json = body;
	}

	end(record: RequestRecord): void {
		if (record.endedAt !== null) return;
		record.endedAt = Date.now();
		this.total.inFlight -= 1;
		this.counter(record.group).inFlight -= 1;
	}

	list(filter: { host?: string; path?: string; method?: string } = {}): RequestRecord[] {
		const { host, path, method } = filter;
		return this.records.filter(
			(record) =>
				(host === undefined || record.host === host) &&
				(path === undefined || matchesPath(path, record.path)) &&
				(method === undefined || record.method === method.toUpperCase()),
		);
	}

	concurrency(): Concurrency {
		return { ...this.total, groups: Object.fromEntries([...this.groups].map(([k, v]) => [k, { ...v }])) };
	}

	/** Clears the log; running requests stay counted. */
	clear(): void {
		this.records = [];
		for (const counter of [this.total, ...this.groups.values()]) counter.max = counter.inFlight;
	}

	private counter(group: EndpointGroup): Counter {
		const known = this.groups.get(group);
		if (known) return known;
		const counter = { inFlight: 0, max: 0 };
		this.groups.set(group, counter);
		return counter;
	}
}

export const apiPrefix = '/api/v1';

/** True when the path, whole or below the base, fits the pattern; `*` stands for anything. */
export function matchesPath(pattern: string, path: string): boolean {
	const source = pattern.split('*').map(escapeText).join('.*');
	const expression = new RegExp(`^${source}/?$`);
	return (
		expression.test(path) || (path.startsWith(apiPrefix) && expression.test(path.slice(apiPrefix.length)))
	);
}

function escapeText(text: string): string {
	return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}

function groupOf(method: string, fullPath: string): EndpointGroup {
	const path = fullPath.startsWith(apiPrefix) ? fullPath.slice(apiPrefix.length) : '';
	if (path.startsWith('/chat/')) return 'chat';
	if (path.startsWith('/responses')) return 'responses';
	if (path.startsWith('/messages')) return 'messages';
	if (path === '/models' || path === '/media/models') return 'catalogue';
	if (path.startsWith('/balance')) return 'balance';
	if (path.startsWith('/storage')) return 'storage';
	if (!path.startsWith('/async/media') && !path.startsWith('/media')) return 'other';
	if (method === 'POST' && path === '/async/media/tasks') return 'mediaCreate';
	if (method !== 'GET') return 'mediaOther';
	return path.endsWith('/download') ? 'mediaDownload' : 'mediaStatus';
}

type Headers = RequestRecord['headers'];

function rawHeaders({ headers }: FastifyRequest): Headers {
	return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Headers;
}

function maskedHeaders(request: FastifyRequest): Headers {
	const headers = rawHeaders(request);
	for (const name of ['x-api-key', 'authorization']) {
		const value = headers[name];
		if (typeof value === 'string') headers[name] = value.replace(/sk-\S+/g, maskKey);
	}
	return headers;
}
