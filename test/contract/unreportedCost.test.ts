import { useGateway } from './support';

// The cost of an execution where responses hold more, or less, than the specification shows.

const gateway = useGateway();

const onError = { settings: { onError: 'continueRegularOutput' as const } };
const raw = (text: string, contentType: string) =>
	({ kind: 'raw', status: 200, body: { text, contentType } }) as const;

/** The next request is answered with this body. */
function respond(body: object, match: object = { method: 'POST' }): void {
	gateway.control.addFault({ match, action: raw(JSON.stringify(body), 'application/json') });
}

/** The next call is answered with these events. */
function stream(events: object[]): void {
	const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
	gateway.control.addFault({ match: { method: 'POST' }, action: raw(text, 'text/event-stream') });
}

describe('a computed cost', () => {
	const message = (usage: object) => ({
		id: 'm1',
		type: 'message',
		role: 'assistant',
		model: 'sandbox/balanced-2',
		content: [{ type: 'text', text: 'Hi' }],
		stop_reason: 'end_turn',
		usage,
	});

	it('is unknown if tokens were written to the cache', async () => {
		respond(message({ input_tokens: 3, cache_creation_input_tokens: 50_000, output_tokens: 2 }));
		const { items, run } = await gateway.generate({ format: 'messages' });
		expect(run.data.resultData.metadata).toMatchObject({ gatewayCallsWithoutCost: '1' });
		expect(items[0]?.json).toMatchObject({ costRub: null });
	});

	it.each([
		['broken', []],
		['complete', [{ type: 'message_stop' }]],
	])('is unknown if the stream never told the output tokens (%s)', async (_, end) => {
		const events = [
			{ type: 'message_start', message: { ...message({ input_tokens: 3, output_tokens: 1 }), content: [] } },
			{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word '.repeat(500) } },
			{ type: 'message_delta', delta: { stop_reason: 'end_turn' } },
			...end,
		];
		stream(events);
		const { run } = await gateway.generate({ format: 'messages', options: { stream: true } }, onError);
		expect(run.data.resultData.metadata).toMatchObject({ gatewayCostRub: '0', gatewayCallsWithoutCost: '1' });
	});

	it('counts if the stream breaks after it has told its tokens', async () => {
		stream([
			{
				type: 'message_start',
				message: { ...message({ input_tokens: 1_000, output_tokens: 1 }), content: [] },
			},
			{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word' } },
			{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 200 } },
		]);
		const { items, run } = await gateway.generate({ format: 'messages', options: { stream: true } }, onError);
		expect(items[0]?.json.error).toMatchObject({
			receivedText: 'word',
			costRub: 0.54,
			costIsComputed: true,
			usage: { inputTokens: 1_000, outputTokens: 200 },
		});
		expect(run.data.resultData.metadata).toMatchObject({
			gatewayCostRub: '0.54',
			gatewayCallsWithoutCost: '0',
		});
	});
});

describe('a failed generation that reports what it cost', () => {
	test.each([
		[
			'responses',
			{
				id: 'r1',
				status: 'failed',
				error: { code: 'server_error', message: 'x' },
				output: [],
				usage: { input_tokens: 5, output_tokens: 7, cost: { total_cost: 0.75 } },
			},
		],
		[
			'chat',
			{
				id: 'c1',
				error: { code: 'server_error', message: 'x' },
				usage: { prompt_tokens: 5, completion_tokens: 7, cost_rub: 0.75 },
			},
		],
	])('%s: counts', async (format, body) => {
		respond(body);
		const { run, items } = await gateway.generate({ format }, onError);
		expect(items[0]?.json.error).toBeDefined();
		expect(run.data.resultData.metadata).toMatchObject({ gatewayCostRub: '0.75' });
	});

	test.each<[string, object[]]>([
		[
			'responses',
			[
				{
					type: 'response.failed',
					response: { error: { message: 'x' }, usage: { cost: { total_cost: 0.75 } } },
				},
			],
		],
		['chat', [{ error: { message: 'x' }, usage: { cost_rub: 0.75 } }]],
	])('%s, streamed: counts', async (format, events) => {
		stream(events);
		const { run, items } = await gateway.generate({ format, options: { stream: true } }, onError);
		expect(items[0]?.json.error).toMatchObject({ costRub: 0.75 });
		expect(run.data.resultData.metadata).toMatchObject({
			gatewayCostRub: '0.75',
			gatewayCallsWithoutCost: '0',
		});
	});

	it('is free without a cost', async () => {
		respond({ id: 'r1', status: 'failed', error: { message: 'x' }, output: [], usage: { input_tokens: 5 } });
		const { run } = await gateway.generate({ format: 'responses' }, onError);
		expect(run.data.resultData.metadata).toMatchObject({ gatewayCostRub: '0', gatewayCallsWithoutCost: '0' });
	});
});
