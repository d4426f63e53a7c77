import { locator, useGateway } from './support';

// The cost of an execution where responses and catalogues hold more, or less, than the specification shows.

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

	it('is unknown if the call has what costs extra', async () => {
		respond(message({ input_tokens: 3, output_tokens: 2, server_tool_use: { web_search_requests: 5 } }));
		const extraBody = '{"tools":[{"type":"web_search_20250305","name":"web_search"}]}';
		const { items } = await gateway.generate({ format: 'messages', options: { extraBody } });
		expect(items[0]?.json).toMatchObject({ text: 'Hi', costRub: null });
	});

	it('is unknown if the call has plugins', async () => {
		respond({
			id: 'c1',
			choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
			usage: {
				prompt_tokens: 3,
				completion_tokens: 2,
				plugins: { masker: { operations: [], total_cost_rub: 5 } },
			},
		});
		const { items } = await gateway.generate({ options: { extraBody: '{ "plugins": [{"id":"masker"}] }' } });
		expect(items[0]?.json).toMatchObject({ text: 'Hi', pluginsCostRub: 5, costRub: null });
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

describe('a price tier without a price', () => {
	it('is refused while a limit is set', async () => {
		const record = {
			id: 'acme/painter',
			object: 'model',
			media_type: 'image',
			pricing: {
				currency: 'RUB',
				type: 'tiered',
				tiers: [
					{ params: {}, price: '1.80' },
					{ params: { quality: 'ultra' }, price: null },
				],
			},
			input_schema: {
				properties: { prompt: { type: 'string' }, quality: { enum: ['draft', 'ultra'], default: 'draft' } },
			},
		};
		respond({ object: 'list', data: [record] }, { path: '*/media/models' });
		respond({ code: 200, msg: 'success', data: { taskId: 't1' } }, { method: 'POST' });
		const { items } = await gateway.media(
			'create',
			{
				model: locator('acme/painter'),
				inputMode: 'json',
				inputJson: '{"prompt":"a cat","quality":"ultra"}',
				options: { maxCostRub: 2 },
			},
			onError,
		);
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(0);
		expect(items[0]?.json.error).toMatchObject({ param: 'maxCostRub' });
	});
});
