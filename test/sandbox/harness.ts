/** A gateway for the tests of one file, and requests to it without a client library. */
import { startGateway, type Gateway, type GatewayOptions } from '../../sandbox/gateway/gateway';
import { isObject, type JsonObject } from '../../sandbox/gateway/jsonSchema';

/** Starts before the first test, resets before each, closes after the last. */
export function useGateway(options: GatewayOptions = {}): () => Gateway {
	let gateway: Gateway | undefined;
	const current = (): Gateway => {
		if (!gateway) throw new Error('The gateway has not started');
		return gateway;
	};
	beforeAll(async () => {
		gateway = await startGateway({
			...options,
			settings: { taskDuration: { image: 30, audio: 30, music: 30, video: 30 }, ...options.settings },
		});
	});
	beforeEach(async () => await current().control.reset());
	afterAll(async () => await gateway?.close());
	return current;
}

export interface HttpResponse {
	status: number;
	headers: Headers;
	text: string;
	/** The body, when it is a JSON object; empty otherwise. */
	body: JsonObject;
}

export interface Call {
	method?: string;
	json?: unknown;
	/** Null: no key. */
	key?: string | null;
	headers?: Record<string, string>;
	body?: RequestInit['body'];
}

/** One request below the base URL. */
export async function call(gateway: Gateway, path: string, options: Call = {}): Promise<HttpResponse> {
	const { json, key = gateway.apiKey, headers = {}, body } = options;
	const response = await fetch(`${gateway.baseUrl}${path}`, {
		method: options.method ?? (json === undefined && !body ? 'GET' : 'POST'),
		headers: {
			...(key !== null && { 'x-api-key': key }),
			...(json !== undefined && { 'content-type': 'application/json' }),
			...headers,
		},
		body: json === undefined ? (body ?? null) : JSON.stringify(json),
		redirect: 'manual',
	});
	const text = await response.text();
	return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): JsonObject {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : {};
	} catch {
		return {};
	}
}

/** The value at a path such as `data.taskId`; fails when a step is missing. */
export function at(value: unknown, path: string): unknown {
	let here: unknown = value;
	for (const key of path.split('.')) {
		if (Array.isArray(here)) here = (here as unknown[])[Number(key)];
		else if (isObject(here)) here = here[key];
		else throw new Error(`Nothing at ${key} of ${path}`);
	}
	return here;
}

/** Repeats until the condition returns a value. */
export async function waitFor<T>(
	condition: () => T | undefined | false | null | Promise<T | undefined | false | null>,
	what = 'the condition',
): Promise<T> {
	const deadline = Date.now() + 8_000;
	for (;;) {
		const value = await condition();
		if (value !== undefined && value !== false && value !== null) return value;
		if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

export const chatBody = {
	model: 'sandbox/swift-1',
	messages: [{ role: 'user', content: 'Tell me about rivers' }],
};

export async function createTask(
	gateway: Gateway,
	json: JsonObject = { model: 'aurora/canvas-1', input: { prompt: 'a fox', size: '512x512' } },
	headers: Record<string, string> = {},
): Promise<string> {
	const response = await call(gateway, '/async/media/tasks', { json, headers });
	if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
	return String(at(response.body, 'data.taskId'));
}

/** The status view of a task once it has ended. */
export async function endOf(gateway: Gateway, taskId: string): Promise<JsonObject> {
	return await waitFor(async () => {
		const { body } = await call(gateway, `/async/media/tasks/${taskId}`);
		const { data } = body;
		return isObject(data) && (data.state === 'success' || data.state === 'fail') ? data : null;
	}, 'the end of the task');
}

export function resultUrls(task: JsonObject): string[] {
	const urls = at(JSON.parse(String(task.resultJson)), 'resultUrls');
	return Array.isArray(urls) ? urls.map(String) : [];
}
