/** Each kind of fault acts once and is in the log. */
import {
	call,
	chatBody,
	createTask,
	endOf,
	resultUrls,
	useGateway,
	waitFor,
	type HttpResponse,
} from './harness';

const gateway = useGateway();
const chat = async (): Promise<HttpResponse> =>
	await call(gateway(), '/chat/completions', { json: chatBody });
const failure = async (promise: Promise<unknown>): Promise<unknown> =>
	await promise.then(
		() => null,
		(error: unknown) => error,
	);

it.each([
	['html', 'text/html; charset=utf-8', /^<!DOCTYPE html>/],
	['empty', 'application/json; charset=utf-8', /^$/],
	['cutJson', 'application/json', /^\{"error"[^}]*$/],
	['wrongType', 'text/plain', /^\{.*\}$/],
] as const)('raw body: %s', async (body, contentType, text) => {
	gateway().control.addFault({ action: { kind: 'raw', status: 502, body, retryAfter: 7 } });
	const response = await chat();
	expect(response.status).toBe(502);
	expect(response.headers.get('content-type')).toBe(contentType);
	expect(response.headers.get('retry-after')).toBe('7');
	expect(response.text).toMatch(text);
	expect((await chat()).status).toBe(200);
});

it('cutBefore: does not carry out the request', async () => {
	gateway().control.addFault({ action: { kind: 'cutBefore' } });
	expect(await failure(chat())).toMatchObject({ name: 'TypeError' });
	expect(gateway().control.ledger()).toStrictEqual([]);
	expect(gateway().control.requests()).toMatchObject([{ outcome: 'cut', status: null }]);
});

it('cutBody: cuts off the response, for JSON and for files', async () => {
	gateway().control.addFault({ action: { kind: 'cutBody' } });
	expect(await failure(chat())).toMatchObject({ name: 'TypeError' });
	expect(gateway().control.ledger()).toHaveLength(1);
	const [url = ''] = resultUrls(await endOf(gateway(), await createTask(gateway())));
	gateway().control.addFault({
		match: { host: 'files', path: '/files/*' },
		action: { kind: 'cutBody', afterBytes: 500 },
	});
	expect(await failure(fetch(url).then((response) => response.arrayBuffer()))).toMatchObject({
		name: 'TypeError',
	});
	expect((await fetch(url)).status).toBe(200);
});

it('hang: never responds', async () => {
	gateway().control.addFault({ action: { kind: 'hang' } });
	const signal = AbortSignal.timeout(60);
	const url = `${gateway().baseUrl}/models`;
	expect(await failure(fetch(url, { signal }))).toMatchObject({ name: 'TimeoutError' });
	await waitFor(() => gateway().control.requests()[0]?.outcome === 'aborted');
	expect(gateway().control.requests()[0]?.status).toBe(499);
});

it.each([
	['error', { kind: 'error', code: 'gateway_timeout', afterEffect: true }, 504],
	['raw', { kind: 'raw', status: 502, body: 'html', afterEffect: true }, 502],
] as const)('%s: after the effect, charges and responds with the error', async (_, action, status) => {
	gateway().control.addFault({ action });
	expect((await chat()).status).toBe(status);
	expect(gateway().control.ledger()).toHaveLength(1);
});

it.each([
	['hang after the effect', { kind: 'hang', afterEffect: true }],
	['stallBody', { kind: 'stallBody' }],
	['dripBody', { kind: 'dripBody', everyMs: 50 }],
] as const)('%s: charges, and its response does not end', async (_, action) => {
	gateway().control.addFault({ action });
	const response = fetch(`${gateway().baseUrl}/chat/completions`, {
		method: 'POST',
		headers: { 'x-api-key': gateway().apiKey, 'content-type': 'application/json' },
		body: JSON.stringify(chatBody),
		signal: AbortSignal.timeout(200),
	});
	const error = await failure(response.then(async (whole) => await whole.text()));
	expect(error).toMatchObject({ name: 'TimeoutError' });
	expect(gateway().control.ledger()).toHaveLength(1);
	await waitFor(() => gateway().control.requests()[0]?.outcome === 'aborted');
});

it('pass: leaves a request alone, and the next rule to the next request', async () => {
	gateway().control.addFault({ action: { kind: 'pass' } });
	gateway().control.addFault({ action: { kind: 'error', code: 'rate_limit_exceeded' } });
	expect((await chat()).status).toBe(200);
	expect((await chat()).status).toBe(429);
});

it('loseResponse: creates and charges the task, which its key returns again', async () => {
	gateway().control.addFault({ match: { method: 'POST' }, action: { kind: 'loseResponse' } });
	const headers = { 'idempotency-key': 'lost' };
	expect(await failure(createTask(gateway(), undefined, headers))).toMatchObject({ name: 'TypeError' });
	expect(gateway().control.ledger()).toHaveLength(1);
	const id = await createTask(gateway(), undefined, headers);
	expect(
		gateway()
			.control.tasks()
			.map((task) => task.taskId),
	).toStrictEqual([id]);
	expect(gateway().control.ledger()).toHaveLength(1);
});

it('redirect: sends a location', async () => {
	gateway().control.addFault({ action: { kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere' } });
	const response = await chat();
	expect([response.status, response.headers.get('location')]).toStrictEqual([
		307,
		'http://127.0.0.1:9/elsewhere',
	]);
});

it('delay and latency: delay a request', async () => {
	gateway().control.configure({ latency: { chat: [40, 50] } });
	gateway().control.addFault({ action: { kind: 'delay', ms: 30 } });
	const start = Date.now();
	await chat();
	expect(Date.now() - start).toBeGreaterThanOrEqual(65);
});

it('latency: does not carry out the request of a client that closed the connection', async () => {
	gateway().control.configure({ latency: { mediaCreate: 60_000 } });
	const signal = AbortSignal.timeout(40);
	const url = `${gateway().baseUrl}/async/media/tasks`;
	await failure(fetch(url, { method: 'POST', signal }));
	await waitFor(() => gateway().control.concurrency().inFlight === 0);
	expect(gateway().control.ledger()).toStrictEqual([]);
});

it('matches rules by path, model, number and times', async () => {
	const error = { kind: 'error', code: 'internal_error' } as const;
	gateway().control.addFault({ match: { path: '/models' }, action: error });
	gateway().control.addFault({ match: { model: 'sandbox/grand-4' }, action: error });
	gateway().control.addFault({ match: { path: '/chat/*', nth: 2 }, action: error, times: 2 });
	const statuses = [];
	for (let index = 0; index < 4; index += 1) statuses.push((await chat()).status);
	expect(statuses).toStrictEqual([200, 500, 500, 200]);
	expect(
		gateway()
			.control.faults()
			.map((fault) => fault.hits),
	).toStrictEqual([0, 0, 2]);
});

it('counts concurrent requests', async () => {
	gateway().control.configure({ latency: { chat: 1_000 } });
	await Promise.all([chat(), chat(), chat()]);
	await waitFor(() => gateway().control.concurrency().inFlight === 0);
	expect(gateway().control.concurrency()).toMatchObject({ max: 3, groups: { chat: { max: 3 } } });
});
