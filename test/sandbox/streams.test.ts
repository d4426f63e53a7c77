/** Streams of the three formats, without and with faults (§6). */
import type { StreamFault } from '../../sandbox/gateway/gateway';
import { isObject, type JsonObject } from '../../sandbox/gateway/jsonSchema';
import { at, call, useGateway, waitFor } from './harness';

const gateway = useGateway();
const json = { model: 'sandbox/swift-1', input: 'Tell me about rivers', stream: true };

/** The text of a responses stream, up to the point where it breaks. */
async function stream(fault: StreamFault, path = '/responses', body: JsonObject = json): Promise<string> {
	gateway().control.addFault({ action: { kind: 'stream', stream: fault } });
	const response = await fetch(`${gateway().baseUrl}${path}`, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-api-key': gateway().apiKey,
			'anthropic-version': '2023-06-01',
		},
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(3_000),
	});
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const chunk of response.body ?? [])
			text += decoder.decode(chunk as Uint8Array, { stream: true });
	} catch {
		// Errors of fetch are of another realm than jest's classes.
		text += '\n<broken>';
	}
	return text;
}

function events(text: string): JsonObject[] {
	return text
		.split(/\r?\n/)
		.filter((line) => line.startsWith('data: {'))
		.map((line) => JSON.parse(line.slice(6)) as unknown)
		.filter(isObject);
}

const charged = (): number => gateway().control.ledger().length;

describe('responses', () => {
	it('numbers its events from 0, without event lines, and ends with [DONE]', async () => {
		const text = await stream({});
		const list = events(text);
		expect(list.map((event) => event.sequence_number)).toStrictEqual(list.map((_, index) => index));
		expect(list[0]).toMatchObject({
			type: 'response.created',
			response: { status: 'in_progress', output: [] },
		});
		expect(list.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
		expect(text).not.toMatch(/^event:/m);
		expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
		expect(at(list.at(-1), 'response.usage.cost.total_cost')).toBe(
			Number(gateway().control.ledger()[0]?.amount),
		);
	});

	it('ends incomplete at the token limit', async () => {
		const list = events(await stream({}, '/responses', { ...json, max_output_tokens: 2 }));
		expect(list.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete' } });
	});
});

describe('faults', () => {
	it('cut: has no end and no charge', async () => {
		const text = await stream({ cutAfter: 4 });
		expect(events(text)).toHaveLength(4);
		expect(text).toContain('<broken>');
		expect(charged()).toBe(0);
	});

	it.each([
		['/responses', json],
		['/chat/completions', { model: json.model, messages: [{ role: 'user', content: 'hi' }], stream: true }],
	])('error frame in %s: has neither end nor charge', async (path, body) => {
		const text = await stream({ errorAfter: 3 }, path, body);
		expect(at(events(text).at(-1), 'error.type')).toBe('server_error');
		expect(text).not.toContain('[DONE]');
		expect(charged()).toBe(0);
	});

	it('failed response: has an end and no charge', async () => {
		const text = await stream({ failAfter: 3 });
		expect(events(text).at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
		expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
		expect(charged()).toBe(0);
	});

	it('missing end: has no last event', async () => {
		expect(await stream({ missingEnd: 'done' })).not.toContain('[DONE]');
		const text = await stream({ missingEnd: 'final' });
		expect(text).not.toContain('response.completed');
		expect(charged()).toBe(1);
	});

	it('stall: is silent until the client closes the connection', async () => {
		gateway().control.addFault({ action: { kind: 'stream', stream: { stallAfter: 2 } } });
		const signal = AbortSignal.timeout(80);
		const headers = { 'content-type': 'application/json', 'x-api-key': gateway().apiKey };
		const url = `${gateway().baseUrl}/responses`;
		const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(json), signal });
		await expect(response.text()).rejects.toThrow();
		await waitFor(() => gateway().control.concurrency().inFlight === 0);
		expect(charged()).toBe(0);
	});

	it('duplicates: are in the sequence numbers', async () => {
		const numbers = (text: string) => events(text).map((event) => Number(event.sequence_number));
		const twice = numbers(await stream({ duplicateEvery: 3 }));
		expect(twice.length).toBeGreaterThan(new Set(twice).size);
	});

	it('unknown events, comments and pings: are between the events', async () => {
		const text = await stream({ unknownEvery: 4, commentEvery: 5, pingEvery: 6 });
		const types = events(text).map((event) => event.type);
		expect(types).toStrictEqual(expect.arrayContaining(['response.ping', 'response.sandbox.unknown']));
		expect(text).toContain(': keep-alive\n\n');
	});

	it('split: has the same text at any position and with either line end', async () => {
		const body = { ...json, input: 'Реки и озёра' };
		const texts = (text: string) =>
			events(text)
				.filter((event) => event.type === 'response.output_text.delta')
				.map((event) => event.delta);
		const whole = texts(await stream({}, '/responses', body));
		expect(texts(await stream({ splitBytes: 7, crlf: true }, '/responses', body))).toStrictEqual(whole);
	});

	it('JSON error: is sent in place of a stream', async () => {
		gateway().control.addFault({ action: { kind: 'stream', stream: { jsonError: 'no_providers' } } });
		const response = await call(gateway(), '/responses', { json });
		expect([response.status, response.headers.get('content-type')]).toStrictEqual([
			503,
			'application/json; charset=utf-8',
		]);
	});

	it('loseResponse: charges before the connection breaks', async () => {
		gateway().control.addFault({ action: { kind: 'loseResponse' } });
		await expect(call(gateway(), '/responses', { json })).rejects.toThrow();
		expect(charged()).toBe(1);
	});
});
