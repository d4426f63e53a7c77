/**
 * The official client of the messages format. It appends `/v1/messages` to its base URL, which is therefore the
 * gateway's without `/v1`.
 */
import Anthropic, {
	AuthenticationError,
	BadRequestError,
	InternalServerError,
	NotFoundError,
	RateLimitError,
} from '@anthropic-ai/sdk';
import { useGateway } from './harness';

const gateway = useGateway();
const request = {
	model: 'sandbox/balanced-2',
	max_tokens: 500,
	messages: [{ role: 'user' as const, content: 'Tell me about rivers' }],
};

function client(apiKey = gateway().apiKey): Anthropic {
	return new Anthropic({ apiKey, baseURL: gateway().baseUrl.replace(/\/v1$/, ''), maxRetries: 0 });
}

const tools = [
	{
		name: 'get_weather',
		input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
	},
];

it('returns a message', async () => {
	const message = await client().messages.create(request);
	expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
	expect(message.content[0]).toMatchObject({ type: 'text' });
	expect(JSON.stringify(message.content)).toContain('Tell me about rivers');
});

it('streams raw events, with pings and unknown ones between', async () => {
	gateway().control.configure({ stream: { noiseEvery: 3 } });
	const types = [];
	for await (const event of await client().messages.create({ ...request, stream: true })) {
		types.push(event.type);
	}
	expect(types[0]).toBe('message_start');
	expect(types.at(-1)).toBe('message_stop');
});

it('assembles the same message from the stream', async () => {
	const whole = await client().messages.create(request);
	const streamed = await client().messages.stream(request).finalMessage();
	expect(streamed.content).toStrictEqual(whole.content);
	expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
});

it('thinks when thinking is enabled', async () => {
	const thinking = { type: 'adaptive' as const };
	const message = await client()
		.messages.stream({ ...request, thinking })
		.finalMessage();
	expect(message.content.map((part) => part.type)).toStrictEqual(['thinking', 'text']);
});

it('calls a tool, also in a stream, and uses its result', async () => {
	const forced = { ...request, tools, tool_choice: { type: 'tool' as const, name: 'get_weather' } };
	const message = await client().messages.stream(forced).finalMessage();
	expect(message.stop_reason).toBe('tool_use');
	const [part] = message.content;
	if (part?.type !== 'tool_use') throw new Error('No tool was called');
	expect(part.input).toStrictEqual({ city: 'city' });
	const response = await client().messages.create({
		...request,
		tools,
		messages: [
			...request.messages,
			{ role: 'assistant', content: [part] },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: part.id, content: 'hail' }] },
		],
	});
	expect(JSON.stringify(response.content)).toContain('hail');
});

it('stops at max_tokens and at a stop sequence', async () => {
	expect(await client().messages.create({ ...request, max_tokens: 2 })).toMatchObject({
		stop_reason: 'max_tokens',
		usage: { output_tokens: 2 },
	});
	expect(await client().messages.create({ ...request, stop_sequences: ['rivers'] })).toMatchObject({
		stop_reason: 'stop_sequence',
		stop_sequence: 'rivers',
	});
});

describe('error classes', () => {
	it.each([
		['insufficient_quota', BadRequestError, 'invalid_request_error'],
		['rate_limit_exceeded', RateLimitError, 'rate_limit_error'],
		['no_providers', InternalServerError, 'api_error'],
	] as const)('%s', async (code, errorClass, type) => {
		gateway().control.addFault({ action: { kind: 'error', code } });
		const failure = await client()
			.messages.create(request)
			.catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(errorClass);
		expect(failure).toMatchObject({ error: { type: 'error', error: { type } } });
	});

	it('has classes for an invalid key and an unknown model', async () => {
		await expect(client('sk-wrong').messages.create(request)).rejects.toBeInstanceOf(AuthenticationError);
		const unknown = client().messages.create({ ...request, model: 'no/such' });
		await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
	});
});
