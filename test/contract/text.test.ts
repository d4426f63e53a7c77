import spec from '../fixtures/spec/errors.json';
import { locator, TEXT_MODEL, useGateway } from './support';

const gateway = useGateway();

describe('text', () => {
	test.each(['chat', 'responses'])('%s: returns text and the exact charge', async (format) => {
		const { items, error } = await gateway.generate({ format });
		expect(error).toBeUndefined();
		expect(items[0]?.json.text).toMatch(/\w/);
		expect(items[0]?.json.finishReason).toBe('stop');
		expect(items[0]?.json.costRub).toBe(Number(gateway.control.ledger()[0]?.amount));
	});

	it('messages: returns text and usage, with a computed cost', async () => {
		const { items } = await gateway.generate({ format: 'messages', options: { maxTokens: 5 } });
		expect(items[0]?.json).toMatchObject({
			finishReason: 'length',
			costRub: Number(gateway.control.ledger()[0]?.amount),
			costIsComputed: true,
			usage: { outputTokens: 5 },
		});
	});
});

describe('an attachment', () => {
	const attach = (type: string, url: string) => ({
		attachments: { attachment: [{ type, source: 'url', url }] },
	});

	it('reaches a model whose catalogue record lists it', async () => {
		const model = locator('polyglot/omni-audio');
		const { items } = await gateway.generate({ model, ...attach('video', 'https://files.test/a.mp4') });
		expect(items[0]?.json.text).toContain('I also received: video');
	});

	it('that the model does not take is rejected in the gateway’s words, and not charged', async () => {
		const model = locator('tiny/window-1k');
		const { error } = await gateway.generate({ model, ...attach('image', 'https://files.test/a.png') });
		expect(error?.description).toContain('This model does not support image input');
		expect(gateway.charges()).toBe(0);
	});
});

describe('every error of §7.3', () => {
	const retried = [500, 502, 503];
	test.each(spec.openai)('$status $code', async ({ code, status }) => {
		gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: { kind: 'error', code: code as 'forbidden', retryAfter: 0 },
			times: 0,
		});
		const { error, run: execution } = await gateway.generate({
			options: { maxRetries: 2, rateLimitWait: 0 },
		});
		expect(error?.httpCode).toBe(String(status));
		expect(error?.description).toMatch(/The gateway says: “.+”/);
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(retried.includes(status) ? 3 : 1);
		expect(gateway.charges()).toBe(0);
		expect(JSON.stringify(execution.data)).not.toContain(gateway.apiKey);
	});
});

describe('a connection that fails', () => {
	const once = { match: { method: 'POST' } };
	const retrying = { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } };

	it.each([
		['in', 100],
		['before', 0],
	])('never repeats a streamed response that broke %s its closing event, which charges', async (_, bytes) => {
		const response = await fetch(`${gateway.baseUrl}/responses`, {
			method: 'POST',
			headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ model: TEXT_MODEL, input: 'Say hello', stream: true }),
		});
		const afterBytes = (await response.text()).indexOf('data: {"type":"response.completed"') + bytes;
		await gateway.control.reset();
		gateway.control.addFault({ ...once, action: { kind: 'cutBody', afterBytes } });
		const { error } = await gateway.generate({ format: 'responses', options: { stream: true } }, retrying);
		expect(error?.description).toContain('may have been charged');
		expect(gateway.charges()).toBe(1);
	});

	it('never repeats a text request that the gateway stopped at its time limit', async () => {
		gateway.control.configure({ latency: { chat: 60 }, requestCeilingMs: 30 });
		const { error } = await gateway.generate({}, retrying);
		expect(error?.httpCode).toBe('504');
		expect(error?.description).toContain('may have been charged');
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(1);
	});
});

it('the error of an unknown previous response names it', async () => {
	const { error } = await gateway.generate({
		format: 'responses',
		options: { context: { values: { previousResponseId: 'resp_unknown' } } },
	});
	expect(error?.description).toContain(
		"With 'Previous Response ID', that response may be unknown. The gateway says: “Response resp_unknown",
	);
});
