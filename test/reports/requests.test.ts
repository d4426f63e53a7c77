import type { INodeExecutionData } from 'n8n-workflow';

import { TEXT_MODEL } from '../contract/support';
import { runNode } from '../helpers/engine';
import { CONTINUE, form, locator } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import { useReports } from './support';

// No purchase by mistake: parameters that are refused before anything is sent, and what is sent for others.

const { run, gateway } = useReports();

type Node = 'textGeneration' | 'mediaTask' | 'storage' | 'balance';

const text = (parameters: object = {}): [Node, object] => [
	'textGeneration',
	{ resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Hello', ...parameters },
];
const image = (parameters: object = {}): [Node, object] => [
	'mediaTask',
	{
		resource: 'image',
		operation: 'generate',
		model: locator('aurora/canvas-1'),
		prompt: 'A cat',
		input: form({ quality: 'draft', size: '512x512' }),
		...parameters,
	},
];
const edit = (parameters: object): [Node, object] =>
	image({ operation: 'edit', model: locator('aurora/retouch-1'), ...parameters });
const task = (inputJson: string, options = {}): [Node, object] =>
	image({ resource: 'task', operation: 'create', inputMode: 'json', inputJson, prompt: '', options });
const DRAFT = '{ "prompt": "a cat", "quality": "draft", "size": "512x512" }';

const item = (json: INodeExecutionData['json']): INodeExecutionData[] => [{ json }];

const REFUSED: Array<[title: string, [Node, object], INodeExecutionData[], error: RegExp]> = [
	[
		'*Max Tokens* whose expression gives nothing',
		text({ options: { maxTokens: '={{ $json.max_tokens }}' } }),
		item({ maxTokens: 50 }),
		/empty: .* in 'Max Tokens'/,
	],
	[
		'*Callback URL* whose expression gives nothing',
		task(DRAFT, { callbackUrl: '={{ $json.callback }}' }),
		item({}),
		/empty: .* in 'Callback URL'/,
	],
	[
		'*Callback URL* without https://',
		task(DRAFT, { callbackUrl: 'n8n.example.com/webhook/a' }),
		item({}),
		/no web address/,
	],
	[
		'*Idempotency Key* whose expression gives nothing',
		image({ options: { idempotencyKey: '={{ $json.order }}' } }),
		item({}),
		/empty: .* in 'Idempotency Key'/,
	],
	[
		'*Idempotency Key* without its changing part',
		image({ options: { idempotencyKey: '=order-{{ $json.orderId }}' } }),
		item({}),
		/'Idempotency Key'/,
	],
	[
		'*Idempotency Key* of 256 characters',
		image({ options: { idempotencyKey: '={{ "k".repeat(256) }}' } }),
		item({}),
		/A key has up to 255 characters/,
	],
	[
		'an expression in a field that is fixed',
		text({ prompt: 'Describe {{ $json.name }}' }),
		item({ name: 'lamp' }),
		/contains \{\{ \$json\.name \}\} as text/,
	],
	[
		'an object among the words of a prompt',
		text({ prompt: '=Describe {{ $json.product }}' }),
		item({ product: { name: 'Lamp' } }),
		/has an object in place of a text: \{\{ \$json\.product \}\}/,
	],
	[
		'an object among the words of a task',
		task('={ "prompt": "{{ $json.product }}, 4K" }'),
		item({ product: { name: 'Lamp' } }),
		/has an object in place of a text/,
	],
	[
		'a JSON Schema as *JSON Example*',
		text({ outputFormat: 'jsonExample', jsonExample: '{ "type": "object", "properties": {} }' }),
		item({}),
		/is a schema, not sample data/,
	],
	['a text without a prompt', text({ prompt: '={{ $json.prompt }}' }), item({}), /'Prompt'/],
	['a picture without a prompt', image({ prompt: '={{ $json.prompt }}' }), item({}), /'Prompt'/],
	[
		'an edit with an empty list of images',
		edit({ inputMode: 'json', inputJson: '{ "prompt": "a hat", "image_urls": [] }' }),
		item({}),
		/no image to edit/,
	],
	[
		'an edit with a list of nothing',
		edit({ inputMode: 'json', inputJson: '={{ { prompt: "a hat", image_urls: [$json.none] } }}' }),
		item({}),
		/no image to edit/,
	],
	[
		'an edit whose prompt alone begins with a URL',
		edit({ inputMode: 'json', inputJson: '{ "prompt": "https://files.test/a.png in red" }' }),
		item({}),
		/no image to edit/,
	],
	[
		'a data URL without content',
		text({
			attachments: { attachment: [{ type: 'image', source: 'url', url: 'data:image/png;base64,' }] },
		}),
		item({}),
		/data URL/,
	],
	[
		'a model of another media type',
		image({ model: locator('lumen/motion-2') }),
		item({}),
		/media type of the model "lumen\/motion-2" is Video/,
	],
	[
		'a limit of tokens in *Extra Body* that is no number, with *Max Cost per Execution*',
		text({ options: { maxCostRub: 100, extraBody: '{ "max_tokens": "many" }' } }),
		item({}),
		/may cost is unknown/,
	],
	[
		'a limit of no tokens in *Extra Body*, with *Max Cost per Execution*',
		text({ options: { maxCostRub: 100, extraBody: '{ "max_tokens": 0 }' } }),
		item({}),
		/may cost is unknown/,
	],
	[
		'*Threshold* of the balance that an expression leaves empty',
		['balance', { resource: 'balance', operation: 'get', options: { threshold: '={{ $json.limit }}' } }],
		item({}),
		/'Threshold/,
	],
	[
		'an ID that would reach another endpoint',
		['storage', { resource: 'file', operation: 'delete', fileId: '../balance' }],
		item({}),
		/'File ID' has a value that is not allowed/,
	],
	[
		'*External User ID* of 129 characters',
		[
			'storage',
			{
				resource: 'file',
				operation: 'upload',
				uploadSource: 'base64',
				base64: 'QUJD',
				options: { externalUserId: 'x'.repeat(129) },
			},
		],
		item({}),
		/128/,
	],
];

test.each(REFUSED)(
	'%s is refused, and nothing is sent or charged',
	async (_, [node, parameters], items, error) => {
		const { json, sent } = await run(node, parameters, items);
		const { message, description, code } = json.error as Record<string, string>;
		expect(`${message} ${description}`).toMatch(error);
		expect(code).toBe('invalid_input');
		expect(sent).toStrictEqual([]);
		expect(gateway.charges()).toBe(0);
	},
);

test.each([
	['Windows-1251', Buffer.from([0xcf, 0xf0, 0xe8])],
	['UTF-16', Buffer.from('\uFEFFцена', 'utf16le')],
])('a text file in %s is refused, and nothing is sent or charged', async (_, content) => {
	const items = [await withFiles({ name: 'table', content, mimeType: 'text/csv', fileName: 'a.csv' })];
	const attachment = [{ type: 'file', source: 'binary', binaryPropertyName: 'table' }];
	const { json, sent } = await run(...text({ attachments: { attachment } }), items);
	expect(json.error).toMatchObject({ message: 'The file "a.csv" is not in UTF-8' });
	expect(sent).toStrictEqual([]);
	expect(gateway.charges()).toBe(0);
});

test.each<[string, [Node, object]]>([
	['?x=1', text()],
	['/#a', image()],
	['?', ['balance', { resource: 'balance', operation: 'get' }]],
	['#', ['storage', { resource: 'file', operation: 'delete', fileId: 'f-1' }]],
])('a base URL that ends in %s is refused, and nothing is sent', async (end, [node, parameters]) => {
	const credential = { baseUrl: gateway.baseUrl + end, apiKey: gateway.apiKey };
	const { error } = await runNode({ node, parameters: { ...parameters }, credential });
	expect(error?.message).toBe('The base URL in the AI Gateway credential has a query or a fragment');
	expect(gateway.control.requests()).toStrictEqual([]);
});

test('an invalid item among others stops the node before anything is sent', async () => {
	const [node, parameters] = image({ prompt: '={{ $json.prompt }}' });
	const items = ['a', 'b', '', 'd'].map((prompt) => ({ json: { prompt } }));
	const { error } = await gateway.run({ node, parameters: { ...parameters }, items });
	expect(error?.context?.itemIndex).toBe(2);
	expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	expect(gateway.charges()).toBe(0);
});

const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };

const SENT: Array<[title: string, [Node, object], INodeExecutionData[], body: object]> = [
	[
		'an empty prompt in JSON leaves *Prompt* as it is',
		image({ inputMode: 'json', inputJson: '{ "prompt": "" }' }),
		item({}),
		{ input: { prompt: 'A cat' } },
	],
	['the prompt 2024 is a text', image({ prompt: '2024' }), item({}), { input: { prompt: '2024' } }],
	[
		'a date alone is a text',
		text({ prompt: '={{ new Date(0) }}' }),
		item({}),
		{ messages: [{ role: 'user', content: '1970-01-01T00:00:00.000Z' }] },
	],
	[
		'*Extra Body* comes last',
		text({ options: { maxTokens: 50, extraBody: '{ "max_tokens": 60, "user": "me" }' } }),
		item({}),
		{ max_tokens: 60, user: 'me' },
	],
	[
		// A context window of reserved input costs ₽240.
		'*Audio Voice* and *Audio Format* fit into *Max Cost per Execution*',
		text({
			options: { maxCostRub: 20, audioAndImages: { audioVoice: 'alloy', audioFormat: 'mp3' } },
		}),
		item({}),
		{ audio: { voice: 'alloy', format: 'mp3' } },
	],
	[
		'*No Tools* goes with tools in *Extra Body*',
		text({ options: { toolChoice: 'none', extraBody: JSON.stringify({ tools: [LOOK] }) } }),
		item({}),
		{ tool_choice: 'none', tools: [LOOK] },
	],
	[
		'*Web Search* comes beside other built-in tools',
		text({
			format: 'responses',
			options: { webSearch: 'low', builtIn: { builtInTools: '[{ "type": "x_search" }]' } },
		}),
		item({}),
		{ tools: [{ type: 'x_search' }, { type: 'web_search' }] },
	],
	[
		'the options of an item are its own',
		text({ options: { maxTokens: '={{ $json.limit }}' } }),
		item({ limit: 70 }),
		{ max_tokens: 70 },
	],
	[
		'a system message alone is sent as the input of Responses',
		text({
			format: 'responses',
			inputMode: 'messages',
			messages: { message: [{ role: 'system', content: 'Say hello' }] },
		}),
		item({}),
		{ input: expect.anything() as unknown },
	],
	[
		'half of an emoji becomes the sign for an unknown character',
		text({ prompt: '={{ $json.text.slice(0, 3) }}' }),
		item({ text: 'ab😀' }),
		{ messages: [{ role: 'user', content: 'ab\ufffd' }] },
	],
];

test.each(SENT)('%s', async (_, [node, parameters], items, body) => {
	const { json, sent } = await run(node, parameters, items);
	expect(json).not.toHaveProperty('error');
	expect(sent).toMatchObject([body]);
});

test('a fallback model whose ID ends with a line break is asked', async () => {
	gateway.control.addFault({ match: { model: TEXT_MODEL }, action: { kind: 'error', code: 'no_providers' } });
	const options = { maxRetries: 0, fallbackModels: [' sandbox/swift-1\n'] };
	const { json } = await run(...text({ options }));
	expect(json).toMatchObject({ model: 'sandbox/swift-1', fallbackFrom: [TEXT_MODEL] });
});

test.each<[string, object]>([
	['Generate', { options: { audioAndImages: { modalities: ['text', 'audio'] } } }],
	[
		'Analyze',
		{
			...{ resource: 'image', operation: 'analyze', source: 'url', url: 'https://files.test/a.png' },
			options: { extraBody: '{ "modalities": ["text", "audio"] }' },
		},
	],
	[
		'Generate, in Responses',
		{ format: 'responses', options: { builtIn: { builtInTools: '[{ "type": "image_generation" }]' } } },
	],
])(
	'an agent’s tool *%s* that asks for sound or pictures is refused: a tool returns no files',
	async (_, parameters) => {
		const [node, given] = text(parameters);
		const { items } = await gateway.run({ node, parameters: { ...given }, asTool: true, settings: CONTINUE });
		expect(JSON.stringify(items)).toMatch(/returns no audio and no images.*Nothing was sent/);
		expect(gateway.charges()).toBe(0);
	},
);

test('an agent’s tool with the *Modalities* `text` alone answers', async () => {
	const [node, given] = text({ options: { audioAndImages: { modalities: ['text'] } } });
	const { items } = await gateway.run({ node, parameters: { ...given }, asTool: true });
	expect(items[0]?.json.text).toStrictEqual(expect.any(String));
});
