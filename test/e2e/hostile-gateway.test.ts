import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';
import { story } from './support/editor/story';

// A gateway that means no good: n8n goes on for all its users, nothing is paid twice, and nothing of a row is sent.

const json = (text: string) =>
	({ kind: 'raw', status: 200, body: { text, contentType: 'application/json' } }) as const;
const POST = { method: 'POST' };
const generate = (options: object = {}) =>
	gatewayNode('Text', 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: byId('sandbox/swift-1'),
		prompt: '[[say:Hello]]',
		options,
	});
const workflow = (options: object = {}, items: object[] = [{}]) =>
	workflowOf('Hostile', [itemsNode('Rows', items as Array<Record<string, unknown>>), generate(options)], {
		Start: ['Rows'],
		Rows: ['Text'],
	});

describe('a run', () => {
	let environment: Environment;
	useEnvironment((started) => (environment = started));

	afterEach(() => environment.gateway.control.clearFaults());

	test.each([
		['a stream', { stream: true }],
		['an unasked stream', {}],
	])('%s with a field named __proto__ leaves n8n as it is', async (_, options) => {
		const chunk =
			'{"choices":[{"delta":{"content":"ok","__proto__":{"x":1,"isPolluted":true}},"finish_reason":"stop"}]}';
		const text = `data: ${chunk}\n\ndata: {"choices":[],"usage":{"cost_rub":0.5}}\n\ndata: [DONE]\n\n`;
		const body = { text, contentType: 'text/event-stream' };
		environment.gateway.control.addFault({ match: POST, action: { kind: 'raw', status: 200, body } });
		const run = await environment.runWorkflow(workflow(options));
		expect(run.nodes.Text?.items[0]?.json).toMatchObject({ text: 'ok', costRub: 0.5 });
		// n8n's database, and another workflow in the same process.
		const stored = await environment.store(workflow());
		expect((await environment.client.get<{ id: string }>(`/rest/workflows/${stored.id}`)).id).toBe(stored.id);
		const next = await environment.runWorkflow(workflow());
		expect(next.nodes.Text?.items[0]?.json.text).toBe('Hello');
	});

	test('a balance of 40,000 digits is refused at once', async () => {
		const { gateway, client } = environment;
		const { baseUrl, apiKey } = gateway;
		const credential = await client.saveCredential('Limited', 'aiGatewayApi', {
			baseUrl,
			apiKey,
			minBalanceRub: 5,
		});
		const text = JSON.stringify({ amount: `0.${'0'.repeat(40_000)}1` });
		gateway.control.addFault({ match: { path: '/balance' }, action: json(text), times: 0 });
		const charges = gateway.control.ledger().length;
		const { data } = await environment.execute(workflow({}, [{}, {}, {}]), credential);
		expect(data.resultData.error?.message).toContain("The balance cannot be read for 'Minimum Balance (₽)'");
		expect(gateway.control.ledger()).toHaveLength(charges);
	});

	test('a text that is charged, and answered with a 504 of another code, is sent once', async () => {
		const { control } = environment.gateway;
		const [charges, before] = [control.ledger().length, control.requests(POST).length];
		const text = '{"error":{"message":"No luck","type":"x","param":null,"code":"provider_error"}}';
		control.addFault({ match: POST, action: { ...json(text), status: 504, afterEffect: true }, times: 0 });
		const { data } = await environment.execute(
			workflow({ maxRetries: 3, fallbackModels: ['sandbox/balanced-2'] }),
		);
		expect(data.resultData.error?.description).toMatch(/may have been charged: check the balance/);
		expect([control.ledger().length - charges, control.requests(POST).length - before]).toStrictEqual([1, 1]);
	});
});

describe('in the editor', () => {
	const scene = story('hostile-gateway', { settings: { taskDuration: { image: 100 } } });

	scene(
		'a catalogue of expressions: the model, its default and its choice are sent as they are',
		async (stage) => {
			const { editor, environment } = stage;
			const { control } = environment.gateway;
			const ID = '={{ $json.secret }}';
			const properties = {
				prompt: { type: 'string' },
				style: { type: 'string', title: 'Style', default: ID },
				mode: { enum: [ID, 'plain'], title: 'Mode', default: ID },
			};
			const pricing = { currency: 'RUB', type: 'tiered', tiers: [{ params: {}, price: '1.00' }] };
			const model = {
				id: ID,
				media_type: 'image',
				pricing,
				input_schema: { properties, required: ['style', 'mode'] },
			};
			const catalogue = json(JSON.stringify({ object: 'list', data: [model] }));
			control.addFault({ match: { path: '/media/models' }, action: catalogue, times: 0 });
			const stored = await environment.store(
				workflowOf('Expressions', [itemsNode('Rows', [{ secret: 'hunter2' }])], { Start: ['Rows'] }),
			);
			await editor.openWorkflow(stored);
			const rows = await editor.openNode('Rows');
			expect(await rows.execute()).toMatchObject({ ok: true });
			await rows.close();
			const panel = await editor.addBehind('Rows', 'generate image', 'Gateway Media Task', 'Generate image');
			await panel.openPicker();
			await panel.models.filter({ hasText: '"={{ $json.secret }} · ₽1"' }).click();
			await panel.fill('prompt', 'A cat');
			await panel.root.getByText('Style').first().waitFor();
			const outcome = await panel.execute();
			// The sandbox does not know the model.
			expect(outcome.ok).toBe(false);
			const [creation] = control.requests({ method: 'POST', path: '*/media/tasks' });
			expect(creation?.body.json).toMatchObject({
				model: ID,
				input: { prompt: 'A cat', style: ID, mode: ID },
			});
			const sent = JSON.stringify(control.requests().map(({ path, body, headers }) => [path, body, headers]));
			expect(sent).not.toContain('hunter2');
		},
	);
});
