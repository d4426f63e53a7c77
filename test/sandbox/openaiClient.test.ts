/** The official client of the chat and responses formats, with only its base URL changed. */
import OpenAI, {
	AuthenticationError,
	BadRequestError,
	InternalServerError,
	NotFoundError,
	PermissionDeniedError,
	RateLimitError,
	UnprocessableEntityError,
} from 'openai';
import { useGateway } from './harness';

const gateway = useGateway();
const model = 'sandbox/swift-1';
const messages = [{ role: 'user' as const, content: 'Tell me about rivers' }];

function client(apiKey = gateway().apiKey): OpenAI {
	return new OpenAI({ apiKey, baseURL: gateway().baseUrl, maxRetries: 0 });
}

const weather = {
	type: 'object',
	properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
	required: ['city', 'days'],
};

describe('chat completions', () => {
	it('responds to the prompt', async () => {
		const completion = await client().chat.completions.create({ model, messages });
		expect(completion.object).toBe('chat.completion');
		expect(completion.choices[0]?.message.content).toContain('Tell me about rivers');
		expect(completion.choices[0]?.finish_reason).toBe('stop');
		const [charge] = gateway().control.ledger();
		expect(completion.usage).toMatchObject({ prompt_tokens: 5, cost_rub: Number(charge?.amount) });
	});

	it('streams the same text, with the usage in the last chunk', async () => {
		const whole = await client().chat.completions.create({ model, messages });
		const stream = await client().chat.completions.create({ model, messages, stream: true });
		const chunks = [];
		for await (const chunk of stream) chunks.push(chunk);
		expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
			whole.choices[0]?.message.content,
		);
		expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { cost_rub: expect.any(Number) as number } });
	});

	it.each([false, true])('calls a tool with arguments that fit its schema (stream: %s)', async (stream) => {
		const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: weather } }];
		const request = { model, messages, tools, tool_choice: 'required' as const };
		const completion = stream
			? await client().chat.completions.stream(request).finalChatCompletion()
			: await client().chat.completions.create(request);
		const toolCall = completion.choices[0]?.message.tool_calls?.[0];
		expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
		if (toolCall?.type !== 'function') throw new Error('No function was called');
		expect(toolCall.function.name).toBe('get_weather');
		expect(JSON.parse(toolCall.function.arguments)).toStrictEqual({ city: 'city', days: 1 });
	});

	it('uses the result of a tool', async () => {
		const completion = await client().chat.completions.create({
			model,
			tools: [{ type: 'function', function: { name: 'get_weather', parameters: weather } }],
			messages: [
				{ role: 'user', content: 'call the tool' },
				{
					role: 'assistant',
					tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
				},
				{ role: 'tool', tool_call_id: 'c1', content: '21 degrees and sunny' },
			],
		});
		expect(completion.choices[0]?.message.content).toContain('21 degrees and sunny');
	});

	it('responds with JSON that fits the schema', async () => {
		const completion = await client().chat.completions.create({
			model,
			messages,
			response_format: { type: 'json_schema', json_schema: { name: 'weather', schema: weather } },
		});
		expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toStrictEqual({ city: 'city', days: 1 });
	});

	it('applies max_tokens, stop and n', async () => {
		const short = await client().chat.completions.create({ model, messages, max_tokens: 3, n: 2 });
		expect(short.choices.map((choice) => choice.finish_reason)).toStrictEqual(['length', 'length']);
		expect(short.usage?.completion_tokens).toBe(6);
		const stopped = await client().chat.completions.create({ model, messages, stop: ['rivers'] });
		expect(stopped.choices[0]?.message.content).not.toContain('rivers');
		expect(stopped.choices[0]?.finish_reason).toBe('stop');
	});
});

describe('responses', () => {
	it('responds, also with other items before the message', async () => {
		const response = await client().responses.create({ model: 'sandbox/thinker-3', input: 'Hello there' });
		expect(response.output.map((item) => item.type)).toStrictEqual(['reasoning', 'message']);
		expect(response.output_text).toContain('Hello there');
		expect(response.status).toBe('completed');
	});

	it('streams the same response', async () => {
		const stream = await client().responses.create({ model, input: 'Hello there', stream: true });
		let text = '';
		let completed: string | undefined;
		const types = new Set<string>();
		for await (const event of stream) {
			types.add(event.type);
			if (event.type === 'response.output_text.delta') text += event.delta;
			if (event.type === 'response.completed') completed = event.response.output_text;
		}
		expect(text).toContain('Hello there');
		expect(completed ?? text).toContain('Hello');
		expect([...types]).toStrictEqual(expect.arrayContaining(['response.created', 'response.completed']));
	});

	it('ends incomplete at the token limit', async () => {
		const response = await client().responses.create({ model, input: 'Hello there', max_output_tokens: 2 });
		expect(response.status).toBe('incomplete');
		expect(response.incomplete_details?.reason).toBe('max_output_tokens');
	});

	it('calls a function and continues an earlier response', async () => {
		const tools = [{ type: 'function' as const, name: 'get_weather', parameters: weather, strict: false }];
		const first = await client().responses.create({ model, input: 'call the tool', tools });
		const called = first.output.find((item) => item.type === 'function_call');
		expect(JSON.parse(called?.arguments ?? '')).toHaveProperty('city');
		const second = await client().responses.create({
			model,
			tools,
			previous_response_id: first.id,
			input: [{ type: 'function_call_output', call_id: called?.call_id ?? '', output: 'rain at noon' }],
		});
		expect(second.output_text).toContain('rain at noon');
	});
});

describe('error classes', () => {
	const ask = async (apiKey?: string, name = model): Promise<unknown> =>
		await client(apiKey).chat.completions.create({ model: name, messages });

	it.each([
		['rate_limit_exceeded', RateLimitError],
		['feature_not_available', PermissionDeniedError],
		['provider_bad_request', BadRequestError],
		['limit_exceeded', UnprocessableEntityError],
		['service_unavailable', InternalServerError],
	] as const)('%s', async (code, errorClass) => {
		gateway().control.addFault({ action: { kind: 'error', code } });
		const failure = await ask().catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(errorClass);
		expect(failure).toMatchObject({ code });
	});

	it('has classes for an invalid key and an unknown model', async () => {
		await expect(ask('sk-wrong')).rejects.toBeInstanceOf(AuthenticationError);
		await expect(ask(undefined, 'no/such')).rejects.toBeInstanceOf(NotFoundError);
	});

	it('retries after a 429 with Retry-After', async () => {
		gateway().control.addFault({ action: { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 0 } });
		const openai = new OpenAI({ apiKey: gateway().apiKey, baseURL: gateway().baseUrl });
		await openai.chat.completions.create({ model, messages });
		expect(
			gateway()
				.control.requests()
				.map((request) => request.status),
		).toStrictEqual([429, 200]);
	});
});
