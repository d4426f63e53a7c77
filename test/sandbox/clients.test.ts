/** The official clients, with only the base URL changed: the sandbox speaks as the APIs that the formats come from. */
import Anthropic, { AuthenticationError as AnthropicKeyError } from '@anthropic-ai/sdk';
import OpenAI, { AuthenticationError, RateLimitError } from 'openai';

import { useGateway } from '../contract/support';

const gateway = useGateway();
const model = 'sandbox/swift-1';
const messages = [{ role: 'user' as const, content: 'Tell me about rivers' }];
const weather = {
	type: 'object' as const,
	properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
	required: ['city', 'days'],
};
const ARGUMENTS = { city: 'city', days: 1 };

const openai = (apiKey = gateway.apiKey) => new OpenAI({ apiKey, baseURL: gateway.baseUrl, maxRetries: 0 });
/** It appends `/v1/messages` to its base URL. */
const anthropic = (apiKey = gateway.apiKey) =>
	new Anthropic({ apiKey, baseURL: gateway.baseUrl.replace(/\/v1$/, ''), maxRetries: 0 });

describe('chat completions', () => {
	it('come whole and as a stream, with the cost', async () => {
		const whole = await openai().chat.completions.create({ model, messages });
		expect(whole.choices).toMatchObject([{ finish_reason: 'stop' }]);
		const [charge] = gateway.control.ledger();
		expect(whole.usage).toMatchObject({ prompt_tokens: 5, cost_rub: Number(charge?.amount) });
		const stream = openai().chat.completions.stream({ model, messages });
		const { choices } = await stream.finalChatCompletion();
		expect(choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
	});

	it.each([false, true])('call a tool with arguments that fit its schema (stream: %s)', async (stream) => {
		const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: weather } }];
		const request = { model, messages, tools, tool_choice: 'required' as const };
		const { choices } = stream
			? await openai().chat.completions.stream(request).finalChatCompletion()
			: await openai().chat.completions.create(request);
		const call = choices[0]?.message.tool_calls?.[0];
		expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toStrictEqual(ARGUMENTS);
	});
});

it('responses call a function, and continue an earlier response', async () => {
	const tools = [{ type: 'function' as const, name: 'get_weather', parameters: weather, strict: false }];
	const first = await openai().responses.create({ model, input: 'call the tool', tools });
	const called = first.output.find((item) => item.type === 'function_call');
	expect(JSON.parse(called?.arguments ?? '')).toStrictEqual(ARGUMENTS);
	const output = { type: 'function_call_output' as const, call_id: called?.call_id ?? '', output: 'rain' };
	const second = openai().responses.stream({
		model,
		tools,
		previous_response_id: first.id,
		input: [output],
	});
	expect((await second.finalResponse()).output_text).toContain('rain');
});

it('messages come whole and as a stream, and call a tool', async () => {
	const request = { model, max_tokens: 500, messages };
	const whole = await anthropic().messages.create(request);
	gateway.control.configure({ stream: { noiseEvery: 3 } });
	const streamed = await anthropic().messages.stream(request).finalMessage();
	expect([streamed.content, streamed.usage]).toStrictEqual([whole.content, whole.usage]);
	const tools = [{ name: 'get_weather', input_schema: weather }];
	const tool_choice = { type: 'tool' as const, name: 'get_weather' };
	const forced = anthropic().messages.stream({ ...request, tools, tool_choice });
	expect((await forced.finalMessage()).content).toMatchObject([{ type: 'tool_use', input: ARGUMENTS }]);
});

it('errors have the classes of the clients', async () => {
	const ask = async (apiKey?: string) => await openai(apiKey).chat.completions.create({ model, messages });
	await expect(ask('sk-wrong')).rejects.toBeInstanceOf(AuthenticationError);
	const wrong = anthropic('sk-wrong').messages.create({ model, max_tokens: 5, messages });
	await expect(wrong).rejects.toBeInstanceOf(AnthropicKeyError);
	gateway.control.addFault({ action: { kind: 'error', code: 'rate_limit_exceeded' } });
	await expect(ask()).rejects.toBeInstanceOf(RateLimitError);
});
