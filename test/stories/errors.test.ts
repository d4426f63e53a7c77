import { CONTINUE, form, locator } from '../helpers/values';
import type { StoryNode } from './execution';
import { image, prompts, text, useStories } from './support';

describe('mistakes in the panel', () => {
	// What people get wrong in their first hour.

	const { gateway, execute } = useStories();

	it.each<[string, object]>([
		['', {}],
		[', with a limit of the cost', { maxCostRub: 100 }],
		[', streamed', { stream: true }],
	])(
		'a media model in Gateway Text Generation%s is told where it belongs, at no cost',
		async (_, options) => {
			const model = locator('aurora/canvas-1');
			const { errorText } = await execute(text({ model, options }), prompts('a'));
			expect(errorText).toContain('Media models are for Gateway Media Task.');
			expect(gateway.charges()).toBe(0);
		},
	);

	it('an expression that n8n cannot resolve is an error item with n8n’s words, and the parameter', async () => {
		const node = image({ prompt: "={{ $('Source').itemMatching(9).json.prompt }}" }, CONTINUE);
		const [error] = (await execute(node, prompts('a'))).errors();
		const description = expect.stringContaining('have not executed yet') as string;
		expect(error).toMatchObject({ message: 'Can’t get data for expression', description, param: 'prompt' });
		expect(error).not.toHaveProperty('mayBeCharged');
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	it('a text model in Gateway Media Task is told where it belongs, and nothing is sent', async () => {
		const { errorText } = await execute(image({ model: locator('sandbox/swift-1') }), prompts('a'));
		expect(errorText).toContain('The gateway has no media model "sandbox/swift-1"');
		expect(errorText).toContain('Text models are for Gateway Text Generation.');
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	describe('an expression that is empty inside a prompt', () => {
		const items = [{ json: { name: 'lamp' } }, { json: {} }, { json: {} }];
		const message = { role: 'user', content: '=Describe {{ $json.name }} in a word' };

		it.each([
			['Gateway Text Generation', text({ prompt: '=Describe {{ $json.name }} in a word' })],
			['Gateway Media Task', image({ prompt: '=A picture of {{ $json.name }}' })],
			['a prompt that is nothing else', image({ prompt: '={{ $json.name }}' }, CONTINUE)],
			['a row of messages', text({ inputMode: 'messages', messages: { message: [message] } }), 'Messages'],
		])('of %s is named in a hint', async (_, node, label = 'Prompt') => {
			const hints = (await execute(node, items)).hints();
			expect(hints).toContain(`{{ $json.name }} in '${label}' is empty in 2 of 3 items (first: item 1).`);
		});

		it('has no hint where all items have a value', async () => {
			const full = items.map(() => ({ json: { name: 'lamp' } }));
			const hints = (await execute(text({ prompt: '=Describe {{ $json.name }}' }), full)).hints();
			expect(hints).not.toContain('empty');
		});
	});

	it.each([
		['a text', text({ prompt: '=Describe {{ $json.product }} and {{ $json.code }}' })],
		['a picture', image({ prompt: '=A photo of {{ $json.product }}, 4K' })],
		['a task', image({ inputMode: 'json', inputJson: '={ "prompt": "{{ $json.product }}, 4K" }' })],
	])('%s with an object among its words is an error that names it, and nothing is sent', async (_, node) => {
		const product = { name: 'Lamp' };
		const { errorText } = await execute(node, [{ json: { product, code: "'[object Object]'" } }]);
		expect(errorText).toMatch(/has an object in place of a text: \{\{ \$json\.product \}\}/);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	const row = { role: 'user', content: 'Describe {{ $input.item.json.name }}' };
	it.each([
		['a text', text({ prompt: 'Describe {{ $json.name }}' })],
		['a row', text({ inputMode: 'messages', messages: { message: [row] }, systemPrompt: '={{ 1 }}' })],
		['a system prompt', text({ systemPrompt: 'It is {{ $now.name }}', prompt: '=a' })],
		['a picture', image({ prompt: "A film of {{ $('Form').item.json.name }}" })],
		['a task', image({ inputMode: 'json', inputJson: '{ "prompt": "{{ $vars.name }}" }' })],
		['a text of another node', text({ prompt: 'Describe {{ $node["Form"].json.name }}' })],
		['a text of today', text({ prompt: 'Describe {{ $today.name }}' })],
	])('%s with an expression in a field that is fixed is an error, and nothing is sent', async (_, node) => {
		const { errorText } = await execute(node, [{ json: { name: 'lamp' } }, { json: { name: 'sofa' } }]);
		expect(errorText).toMatch(
			/contains \{\{ \$.*name \}\} as text.*from Fixed to Expression.*Nothing was sent/s,
		);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	it('a text about a template of another language is sent', async () => {
		const prompt = 'Translate {{ $t("hello") }} and {{ name }}, $json, { { $json.name } } and {{}}';
		expect((await execute(text({ prompt }), prompts('a'))).error).toBeUndefined();
	});

	it('a text that is about "[object Object]" is sent', async () => {
		const items = [{ json: { code: "if (type === '[object Object]')" } }];
		const { error } = await execute(text({ prompt: '=Explain {{ $json.code }}' }), items);
		expect(error).toBeUndefined();
	});

	it('a JSON Schema in *JSON Example* is told where it belongs, and nothing is sent', async () => {
		const jsonExample = '{ "type": "object", "properties": { "title": { "type": "string" } } }';
		const { errorText } = await execute(text({ outputFormat: 'jsonExample', jsonExample }), prompts('a'));
		expect(errorText).toContain("Choose 'JSON by Schema'");
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	it.each<[string, StoryNode]>([
		['Max Tokens', text({ prompt: 'a', options: { maxTokens: '={{ $json.tokens }}' } })],
		[
			'Max Calls of Built-In Tools',
			text({
				prompt: 'a',
				format: 'responses',
				options: { builtIn: { maxToolCalls: '={{ $vars.calls }}' } },
			}),
		],
		[
			'Reasoning Max Tokens',
			text({
				prompt: 'a',
				options: { reasoning: { reasoningMaxTokens: '={{ $json.tokens }}' } },
			}),
		],
		[
			'Callback URL',
			image({
				resource: 'task',
				operation: 'create',
				prompt: 'a',
				options: { callbackUrl: '={{ $json.hook }}' },
			}),
		],
	])(
		'*%s* whose expression is empty in one of three items is an error, and nothing is sent',
		async (label, node) => {
			const full = { json: { tokens: 100, hook: 'https://n8n.example.com/webhook/a' } };
			const { errorText } = await execute(node, [full, { json: {} }, full]);
			expect(errorText).toMatch(
				new RegExp(`An expression is empty: \\{\\{ .* in '${label}'.*Nothing was sent`, 's'),
			);
			expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
		},
	);

	it.each(['', '='])(
		'a limit that is added and left as %j does not hold the texts back',
		async (maxTokens) => {
			const options = { maxTokens, temperature: "={{ $json.temperature ?? '' }}" };
			const execution = await execute(text({ options, systemPrompt: '=' }), prompts('a'));
			expect(execution.error).toBeUndefined();
			expect(execution.hints()).not.toContain('empty');
		},
	);

	it('a dry run of a model that the gateway does not have says so, not that its length has no limit', async () => {
		const model = locator('sandbox/balansed-2');
		const execution = await execute(text({ model, options: { dryRun: true } }), prompts('a', 'b'));
		const reason = expect.stringMatching(/no price for the model.*Choose a model from the list/) as string;
		expect(execution.items().map(({ json }) => json.reason)).toStrictEqual([reason, reason]);
	});

	it('a model that an expression gives is no empty expression', async () => {
		const model = locator("={{ 'sandbox/swift-1' }}");
		const execution = await execute(text({ model }), prompts('a'));
		expect(execution.hints()).not.toContain('empty');
	});

	it('a number that is too high is shown an example between the bounds', async () => {
		const { errorText } = await execute(text({ options: { temperature: 5 } }), prompts('a'));
		expect(errorText).toContain('Enter a number from 0 to 2, with a point before the decimals, e.g. 0.5.');
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	const attachment = [{ type: 'image', source: 'url', url: '={{ $json.missing }}' }];
	it.each<[string, object, string]>([
		['URL of a file', { attachments: { attachment } }, 'the field it refers to may be empty'],
		[
			'prompt',
			{ prompt: '={{ $json.missing }}' },
			'is empty for this item: leave such items out with n8n’s Filter node',
		],
	])('an expression that gives no %s is named as the reason', async (_, parameters, words) => {
		const { errorText } = await execute(text(parameters), prompts('a'));
		expect(errorText).toContain(words);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});
});

describe('an expression that gives no bytes of a file', () => {
	// As an expression with $binary gives it, where n8n keeps files on disk.

	const { gateway, execute } = useStories();
	const url = 'data:image/png;base64,{{ $json.missing }}';
	const message = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] };

	test.each([
		['a task', image({ inputMode: 'json', inputJson: `={"prompt": "a cat", "image_url": "${url}"}` })],
		['a task with a form', image({ input: form({ quality: 'draft', image_url: `=${url}` }) })],
		['a text', text({ inputMode: 'json', messagesJson: `=${JSON.stringify([message])}` })],
	])('%s is not sent, and the error says where a file belongs', async (_, node) => {
		const { errorText } = await execute(node, prompts('a'));
		expect(errorText).toMatch(/has a data URL without content: "data:image\/png;base64,".*Input Files/s);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});
});

describe('one of many items that cannot be sent', () => {
	// One of many items cannot be sent, because its expression returns nothing, or no JSON.

	const { gateway, execute, sent } = useStories();

	type Settings = NonNullable<StoryNode['settings']>;

	const BAD = 10;

	/** Items, of which one has nothing in its fields. */
	const items = (count: number) =>
		Array.from({ length: count }, (_, n) => ({
			json: n === BAD ? { n } : { n, prompt: `item ${n}`, key: `key ${n}` },
		}));
	const task = (settings?: Settings) =>
		image(
			{
				resource: 'task',
				operation: 'createAndWait',
				prompt: '',
				inputMode: 'json',
				inputJson: '={{ $json.prompt && JSON.stringify({ prompt: $json.prompt, quality: "draft" }) }}',
			},
			settings,
		);

	const CASES: Array<[string, number, (settings?: Settings) => StoryNode]> = [
		['a text without a prompt', 20, (settings) => text({}, settings)],
		[
			'a picture whose idempotency key is empty',
			12,
			(settings) => image({ prompt: 'a cat', options: { idempotencyKey: '={{ $json.key }}' } }, settings),
		],
		[
			'a picture whose idempotency key lacks a part',
			12,
			(settings) =>
				image({ prompt: 'a cat', options: { idempotencyKey: '=order-{{ $json.key }}' } }, settings),
		],
		['a picture without a prompt', 12, (settings) => image({}, settings)],
		[
			'a picture whose prompt is a space',
			12,
			(settings) => image({ prompt: '={{ $json.prompt ?? " " }}' }, settings),
		],
		['a task whose input is no JSON', 12, task],
		[
			'a picture without a model',
			12,
			(settings) => image({ model: locator('={{ $json.key && "aurora/canvas-1" }}') }, settings),
		],
		[
			'a text whose timeout is too short',
			20,
			(settings) => text({ prompt: 'a', options: { timeout: '={{ $json.key ? 600 : 0 }}' } }, settings),
		],
		[
			'an edit without a picture',
			12,
			(settings) => {
				const input = form({ image_urls: '={{ $json.key && "https://files.test/a.png" }}' });
				const model = locator('aurora/retouch-1');
				return image({ operation: 'edit', model, prompt: 'See https://files.test', input }, settings);
			},
		],
	];

	describe.each(CASES)('%s, among %d items', (_, count, node) => {
		it('stops the node before anything is sent: the error names the item', async () => {
			const { error, errorText } = await execute(node(), items(count));
			expect(error?.context?.itemIndex).toBe(BAD);
			expect(errorText).toContain('Nothing was sent.');
			expect(sent()).toStrictEqual([]);
			expect(gateway.charges()).toBe(0);
		});

		it('is an error item with *On Error: Continue*; the others have their results', async () => {
			const execution = await execute(node(CONTINUE), items(count));
			const outputs = execution.items();
			expect(outputs.map(({ pairedItem }) => pairedItem)).toStrictEqual(
				items(count).map((_item, item) => ({ item })),
			);
			expect(outputs.flatMap(({ json }, index) => (json.error === undefined ? [] : [index]))).toStrictEqual([
				BAD,
			]);
			const [error] = execution.errors();
			expect(error).toMatchObject({ code: 'invalid_input', retryable: false });
			expect(error?.description).toContain('Nothing was sent.');
			expect(gateway.charges()).toBe(count - 1);
		});
	});
});
