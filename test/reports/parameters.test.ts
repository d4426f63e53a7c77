import type { INodeExecutionData } from 'n8n-workflow';

import { MediaTask } from '../../nodes/MediaTask/MediaTask.node';
import { asObject, type Json, type JsonObject } from '../../nodes/shared/gateway/util/json';
import { TEXT_MODEL } from '../contract/support';
import * as media from '../helpers/media';
import { editorContext } from '../helpers/contexts';
import { useNock } from '../helpers/nock';
import { form, locator } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import { useReports } from './support';

// What the parameters of a node say is sent as they say it, or refused before anything is charged.

const { run, gateway } = useReports();

type Call = ['textGeneration' | 'mediaTask', object];

const text = (parameters: object = {}): Call => [
	'textGeneration',
	{ resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Hello', ...parameters },
];
const responses = (options: object): Call => text({ format: 'responses', options });
const image = (parameters: object = {}): Call => [
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
const task = (inputJson: string, options = {}): Call =>
	image({ resource: 'task', operation: 'create', inputMode: 'json', inputJson, prompt: '', options });
const withFields = (...names: string[]): Call =>
	text({ outputFormat: 'jsonFields', fields: { field: names.map((name) => ({ name, type: 'text' })) } });
const withSchema = (schema: object): Call =>
	text({ outputFormat: 'jsonSchema', schemaName: 'book', jsonSchema: JSON.stringify(schema) });
const withTool = (name: string, parameters: object = { type: 'object' }): Call =>
	text({ tools: { function: [{ name, parameters: JSON.stringify(parameters) }] } });
const ofTitle = (title: object) => ({ type: 'object', properties: { title } });

const withPicture = async () => [
	await withFiles({
		name: 'data',
		content: Buffer.from('\x89PNG picture', 'latin1'),
		mimeType: 'image/png',
		fileName: 'a.png',
	}),
];

/** What nodes refuse before anything is sent. */
async function expectRefused([node, parameters]: Call, error: RegExp | string, items?: INodeExecutionData[]) {
	const { json, sent } = await run(node, parameters, items);
	const { message, description, code } = json.error as Record<string, string>;
	if (typeof error === 'string') expect(message).toBe(error);
	else expect(`${message} ${description}`).toMatch(error);
	expect(code).toBe('invalid_input');
	expect(sent).toStrictEqual([]);
	expect(gateway.charges()).toBe(0);
}

// n8n makes a row of defaults of each character of an expression in place of rows.
const FILES = "={{ $('Split').item.json.files }}";
const LIST = '={{ $json.list }}';
test.each<[string, Call, string, string]>([
	[
		'Attachments',
		text({ attachments: { attachment: FILES } }),
		FILES,
		"'Input Binary Fields' takes several files",
	],
	[
		'Messages',
		text({ inputMode: 'messages', messages: { message: LIST } }),
		LIST,
		"'Messages (JSON)' takes an",
	],
	[
		'Fields',
		text({ outputFormat: 'jsonFields', fields: { field: LIST } }),
		LIST,
		"'JSON by Schema' takes an",
	],
])('an expression in place of the rows of %s is refused', async (label, call, expression, advice) => {
	await expectRefused(
		call,
		`'${label}' has ${expression.length} rows, all with the initial values, as n8n makes them from an expression`,
		await withPicture(),
	);
	const { json } = await run(...call, await withPicture());
	expect(json.error).toMatchObject({ description: expect.stringContaining(advice) as string });
});

test.each<[string, Call]>([
	['Input Files', image({ operation: 'edit', inputFiles: { files: FILES } })],
	['Tools', text({ tools: { function: LIST } })],
])('n8n itself refuses an expression in place of the rows of %s', async (_, call) => {
	await expect(run(...call)).rejects.toThrow(/is required/);
	expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
});

test('rows of which one has a value are read', async () => {
	const field = [{ name: '' }, { name: 'title' }];
	const call = text({ outputFormat: 'jsonFields', fields: { field } });
	await expectRefused(call, /'Fields', row 1: 'Name' is empty/);
});

test('one attachment whose settings are the initial ones is sent', async () => {
	const attachments = { attachment: [{ type: 'image', source: 'binary', binaryPropertyName: 'data' }] };
	const { sent } = await run(...text({ attachments }), await withPicture());
	expect(JSON.stringify(sent).match(/"image_url":\{/g)).toHaveLength(1);
});

// Options that are added are sent, also at their initial value, and no others of their group.
const base = { model: TEXT_MODEL, messages: [{ role: 'user', content: 'Hello' }] };
const input = { model: TEXT_MODEL, input: 'Hello' };
const said = { ...base, max_tokens: 4096 };
const inMessages = (options: object): Call => text({ format: 'messages', options });
test.each<[string, Call, object]>([
	['*Temperature* 1', text({ options: { temperature: 1 } }), { ...base, temperature: 1 }],
	['*Top P* 1', text({ options: { sampling: { topP: 1 } } }), { ...base, top_p: 1 }],
	['*Top K* alone', text({ options: { sampling: { topK: 5 } } }), { ...base, top_k: 5 }],
	['*Seed* −1', text({ options: { sampling: { seed: -1 } } }), { ...base, seed: -1 }],
	[
		'*Allow Other Providers*',
		text({ options: { providerRouting: { providerAllowFallbacks: true } } }),
		{ ...base, provider: { allow_fallbacks: true } },
	],
	[
		'*Provider Order* alone',
		text({ options: { providerRouting: { providerOrder: ['a'] } } }),
		{ ...base, provider: { order: ['a'] } },
	],
	['*Store Response*', responses({ context: { store: true } }), { ...input, store: true }],
	['*Truncation*', responses({ context: { truncation: 'disabled' } }), { ...input, truncation: 'disabled' }],
	['*Temperature* 2.5 in Responses', responses({ temperature: 2.5 }), { ...input, temperature: 2.5 }],
])('%s is sent, and nothing else', async (_, call, body) => {
	const { json, sent } = await run(...call);
	expect(json).not.toHaveProperty('error');
	expect(sent).toStrictEqual([body]);
});

test.each<[string, object]>([
	['thinking', { format: 'messages', options: { thinking: '{}' } }],
	['tools', { format: 'responses', options: { builtIn: { builtInTools: '[]' } } }],
])('JSON that is left as it is added sends no %s', async (field, parameters) => {
	const { sent } = await run(...text(parameters));
	expect(sent).toStrictEqual([expect.not.objectContaining({ [field]: expect.anything() as unknown })]);
});

// §4.1 and §4.3 have no ranges, nor has §4.2 one for these. Whether the model takes the value, the gateway says.
test.each<[string, Call, object]>([
	['*Temperature* −0.5 in Responses', responses({ temperature: -0.5 }), { ...input, temperature: -0.5 }],
	['*Temperature* 3 in Messages', inMessages({ temperature: 3 }), { ...said, temperature: 3 }],
	['*Top P* 1.5 in Responses', responses({ sampling: { topP: 1.5 } }), { ...input, top_p: 1.5 }],
	['*Top P* 1.5 in Messages', inMessages({ sampling: { topP: 1.5 } }), { ...said, top_p: 1.5 }],
	['*Top P* −1 in Messages', inMessages({ sampling: { topP: -1 } }), { ...said, top_p: -1 }],
	['*Top K* −1', text({ options: { sampling: { topK: -1 } } }), { ...base, top_k: -1 }],
	['*Top K* −1 in Messages', inMessages({ sampling: { topK: -1 } }), { ...said, top_k: -1 }],
	[
		'*Reasoning Max Tokens* −1',
		responses({ reasoning: { reasoningMaxTokens: -1 } }),
		{ ...input, reasoning: { max_tokens: -1 } },
	],
	[
		'*Frequency Penalty* −2',
		text({ options: { sampling: { frequencyPenalty: -2 } } }),
		{ ...base, frequency_penalty: -2 },
	],
])('%s is sent', async (_, call, body) => {
	expect((await run(...call)).sent).toStrictEqual([body]);
});

// The ranges of §4.2.
test.each<[string, object, RegExp]>([
	['*Temperature* 2.5', { temperature: 2.5 }, /'Temperature'.* from 0 to 2/],
	['*Temperature* −0.1', { temperature: -0.1 }, /'Temperature'.* from 0 to 2/],
	['*Top P* 1.1', { sampling: { topP: 1.1 } }, /'Top P'.* from 0 to 1/],
	['*Presence Penalty* −2.1', { sampling: { presencePenalty: -2.1 } }, /'Presence Penalty'.* from -2 to 2/],
])('%s in Chat Completions is refused', async (_, options, error) => {
	await expectRefused(text({ options }), error);
});

// §4.2: *Extra Body (JSON)* has the last word, also about what is not sent.
test.each<[string, Call, JsonObject]>([
	[
		'a prompt in place of messages',
		text({ options: { extraBody: '{ "messages": null, "prompt": "Say hi" }' } }),
		{ model: TEXT_MODEL, prompt: 'Say hi' },
	],
	[
		'a prompt in place of messages, within a limit of cost',
		text({
			options: { maxCostRub: 5, maxTokens: 9, extraBody: '{ "messages": null, "prompt": "Say hi" }' },
		}),
		{ model: TEXT_MODEL, prompt: 'Say hi', max_tokens: 9 },
	],
	['no field of an option', text({ options: { maxTokens: 9, extraBody: '{ "max_tokens": null }' } }), base],
	[
		'no field of a group',
		text({
			options: {
				reasoningEffort: 'low',
				reasoning: { reasoningExclude: true },
				extraBody: '{ "reasoning": { "effort": null } }',
			},
		}),
		{ ...base, reasoning: { exclude: true } },
	],
	[
		'null in what it adds, which is sent',
		text({ options: { extraBody: '{ "user": null, "provider": { "sort": null }, "stop": [null] }' } }),
		{ ...base, user: null, provider: { sort: null }, stop: [null] },
	],
])('*Extra Body (JSON)* with %s', async (_, call, body) => {
	expect((await run(...call)).sent).toStrictEqual([body]);
});

test.each<[string, Call, RegExp]>([
	['*Input (JSON)*', task('{ "prompt": "a", "seed": 9007199254740993 }'), /9007199254740993/],
	['*Extra Body (JSON)*', text({ options: { extraBody: '{"seed":-12345678901234567890}' } }), /-1234567/],
	[
		'*Messages (JSON)*',
		text({ inputMode: 'json', messagesJson: '[{ "role": "user", "content": "a", "id": 9007199254740993 }]' }),
		/9007199254740993/,
	],
	[
		'*Seed*',
		text({ options: { sampling: { seed: '={{ "9007199254740993" }}' } } }),
		/'Seed'.*9007199254740993/,
	],
])('a whole number in %s that JavaScript would change is refused', async (_, call, error) => {
	await expectRefused(call, error);
});

test.each([
	['a long number in a text', '{ "user": "order \\"9007199254740993\\" 9007199254740993" }'],
	['a long number that is kept', '{ "seed": 9007199254740992 }'],
	['decimals', '{ "price": 0.12345678901234567 }'],
	['a text that begins with data', '{ "user": "data: 5," }'],
])('%s is sent as it is', async (_, extraBody) => {
	const { json, sent } = await run(...text({ options: { extraBody } }));
	expect(json).not.toHaveProperty('error');
	expect(sent).toStrictEqual([{ ...base, ...(JSON.parse(extraBody) as object) }]);
});

test('a number that JavaScript would change is left to the gateway in a form', async () => {
	const values = { quality: 'draft', size: '512x512', seed: '9007199254740993' };
	const { json, sent } = await run(...image({ input: form(values) }));
	expect(sent).toMatchObject([{ input: { seed: '9007199254740993' } }]);
	expect(json.error).toMatchObject({ httpCode: '422' });
	expect(gateway.charges()).toBe(0);
});

// Texts as tables have them.
test.each<[string, object, object | RegExp]>([
	['TRUE', { stream: '={{ "TRUE" }}' }, { stream: true }],
	['FALSE', { context: { store: '={{ "FALSE" }}' } }, { store: false }],
	['1', { stream: '={{ 1 }}' }, { stream: true }],
	['1,5', { temperature: '={{ "1,5" }}' }, /'Temperature'.*"1,5".*with a point before the decimals/],
	['1 000', { maxTokens: '={{ "1 000" }}' }, /'Max Tokens'.*"1 000".*without spaces or commas/],
	['yes', { context: { store: '={{ "yes" }}' } }, /'Store Response'.*"yes".*true or false/],
	['nothing', { dryRun: '={{ null }}' }, /'Dry Run' has a value that is not allowed: null.*true or false/],
])(
	'an option whose expression gives %s is read as the form reads it, or says what to write',
	async (_, options, right) => {
		if (right instanceof RegExp) return await expectRefused(responses(options), right);
		expect((await run(...responses(options))).sent).toMatchObject([right]);
	},
);

test.each<[string, Call, RegExp]>([
	[
		'a type that JSON Schema does not know',
		withSchema(ofTitle({ type: 'strin' })),
		/does not know: "strin".*string, number/,
	],
	[
		'such a type among the elements of a list',
		withSchema(ofTitle({ type: 'array', items: { type: ['text', 'null'] } })),
		/does not know: "text"/,
	],
	[
		'such a type that is referred to',
		withSchema({ ...ofTitle({ $ref: '#/$defs/t' }), $defs: { t: { anyOf: [{ type: 'int' }] } } }),
		/does not know: "int"/,
	],
	[
		'such a type in fields of any name',
		withSchema(ofTitle({ type: 'object', additionalProperties: { type: 'str' } })),
		/does not know: "str"/,
	],
	[
		'such a type in the parameters of a tool',
		withTool('look', ofTitle({ type: 'str' })),
		/does not know: "str"/,
	],
	[
		'two fields with one name',
		withFields('title', 'price', 'title'),
		/'Fields', row 3: "title" is in another row, too/,
	],
	[
		'a tool’s name with a space',
		withTool('Test Tool'),
		/'Name' has a value that is not allowed: "Test Tool"/,
	],
	['a tool’s name in Cyrillic', withTool('Карточка товара'), /letters from A to Z/],
	['a tool’s name of 65 characters', withTool('a'.repeat(65)), /at most 64 characters/],
	[
		'two tools with one name',
		text({ tools: { function: [{ name: 'look' }, { name: 'look' }] } }),
		/'Tools', row 2: "look" is in another row, too/,
	],
	[
		'a tool with the name of *Web Search*',
		text({ tools: { function: [{ name: 'web_search' }] }, options: { webSearch: 'low' } }),
		/"web_search" is the name of another tool of the request/,
	],
	[
		'a tool with the name of a built-in one',
		text({
			format: 'responses',
			tools: { function: [{ name: 'look' }, { name: 'x_search' }] },
			options: { builtIn: { builtInTools: '[{ "type": "x_search" }]' } },
		}),
		/'Tools', row 2: "x_search" is the name of another tool of the request/,
	],
	[
		'a tool with the name of *Web Search* in Responses',
		text({
			format: 'responses',
			tools: { function: [{ name: 'web_search' }] },
			options: { builtIn: { builtInTools: '[{ "type": "web_search_preview" }]' } },
		}),
		/"web_search" is the name of another tool of the request/,
	],
	[
		'a tool with the name of JSON in Messages',
		text({
			format: 'messages',
			tools: { function: [{ name: 'answer' }] },
			outputFormat: 'jsonObject',
		}),
		/"answer" is the name of another tool of the request/,
	],
	[
		'a *Schema Name* with a space',
		text({ outputFormat: 'jsonSchema', schemaName: 'my book', jsonSchema: '{ "type": "object" }' }),
		/'Schema Name' has a value that is not allowed: "my book"/,
	],
	['*Must Call a Tool* without tools', text({ options: { toolChoice: 'required' } }), /there are no tools/],
	[
		'*Must Call This Tool* without tools',
		responses({ toolChoice: 'function', toolChoiceName: 'look' }),
		/there are no tools/,
	],
	[
		'*Must Call This Tool* without its name',
		text({
			tools: { function: [{ name: 'look' }] },
			options: { toolChoice: 'function', toolChoiceName: ' ' },
		}),
		/'Tool to Call' is empty/,
	],
	[
		'*Must Call a Tool* without tools in Messages',
		text({ format: 'messages', options: { toolChoice: 'required' } }),
		/there are no tools/,
	],
])('%s is refused', async (_, call, error) => {
	await expectRefused(call, error);
});

test.each<[string, object]>([
	['web_search', { format: 'responses', options: { webSearch: 'off' } }],
	['answer', { format: 'chat', outputFormat: 'jsonObject' }],
])('a tool %s is sent where the request has no other of that name', async (name, parameters) => {
	const { json, sent } = await run(...text({ ...parameters, tools: { function: [{ name }] } }));
	expect(json).not.toHaveProperty('error');
	expect(JSON.stringify(sent)).toContain(`"name":"${name}"`);
});

test.each<[string, JsonObject]>([
	['with fields, and without its type, is sent with it', { title: { type: 'string' } }],
	['with fields that may be anything is sent', { title: true, more: false }],
])('a schema %s', async (_, properties) => {
	const { sent } = await run(...withSchema({ properties }));
	const schema = { type: 'object', properties };
	expect(sent).toMatchObject([{ response_format: { json_schema: { schema } } }]);
});

test('a tool without parameters has an empty object of them', async () => {
	const { sent } = await run(...text({ tools: { function: [{ name: 'look', parameters: '={{ "" }}' }] } }));
	const parameters = { type: 'object', properties: {} };
	expect(sent).toMatchObject([{ tools: [{ function: { parameters } }] }]);
});

test('fields that are named like words of schemas are no types', async () => {
	const schema = {
		type: 'object',
		properties: { type: { type: 'string', enum: ['strin'], default: { type: 'x' } } },
	};
	const { sent } = await run(...withSchema(schema));
	expect(sent).toMatchObject([{ response_format: { json_schema: { schema } } }]);
});

describe('*Schema Strict*', () => {
	const schemaOf = async (parameters: object) => {
		const { json, sent } = await run(...text({ options: { schemaStrict: true }, ...parameters }));
		const [{ response_format: format }] = sent as [{ response_format: { json_schema: object } }];
		return { json, format: format.json_schema };
	};

	test('*JSON by Fields* requires all fields, of which optional ones may be null', async () => {
		const { format } = await schemaOf({
			outputFormat: 'jsonFields',
			fields: {
				field: [
					{ name: 'title', type: 'text' },
					{ name: 'price', type: 'number', required: false, description: 'In rubles' },
					{ name: 'maker', type: 'object', example: '{ "name": "A", "site": null }', required: false },
				],
			},
		});
		expect(format).toStrictEqual({
			name: 'answer',
			strict: true,
			schema: {
				type: 'object',
				properties: {
					title: { type: 'string' },
					price: { type: ['number', 'null'], description: 'In rubles' },
					maker: {
						type: ['object', 'null'],
						properties: {
							name: { type: 'string' },
							site: { type: ['string', 'number', 'boolean', 'null'] },
						},
						required: ['name', 'site'],
						additionalProperties: false,
					},
				},
				required: ['title', 'price', 'maker'],
				additionalProperties: false,
			},
		});
	});

	test('*JSON by Example* closes the objects in lists', async () => {
		const { json, format } = await schemaOf({
			outputFormat: 'jsonExample',
			jsonExample: '{ "items": [{ "a": 1 }, { "a": 2, "b": "x" }] }',
		});
		const element = {
			type: 'object',
			properties: { a: { type: 'number' }, b: { type: ['string', 'null'] } },
			required: ['a', 'b'],
			additionalProperties: false,
		};
		expect(format).toMatchObject({
			schema: { properties: { items: { type: 'array', items: element } }, required: ['items'] },
		});
		expect(json).not.toHaveProperty('error');
	});

	test.each(['{ "title": "a", "more": {} }', '{ "title": "a", "list": [{}] }'])(
		'an object without fields in the example is refused, as a closed one would stay empty: %s',
		async (jsonExample) => {
			await expectRefused(
				text({ outputFormat: 'jsonExample', jsonExample, options: { schemaStrict: true } }),
				/'Schema Strict'.*without fields/,
			);
		},
	);

	test('without it, optional fields may be missing', async () => {
		const field = [{ name: 'title', type: 'text', required: false }];
		const { format } = await schemaOf({ outputFormat: 'jsonFields', fields: { field }, options: {} });
		expect(format).toMatchObject({ schema: { properties: { title: { type: 'string' } }, required: [] } });
	});
});

const search = [{ type: 'web_search' }];
test.each<[string, Json, Json[]]>([
	['web_search', [{ type: 'web_search', filters: { a: 1 } }], []],
	['web_search_preview', [{ type: 'web_search_preview' }], []],
	['web_search_2025_08_26', [{ type: 'web_search_2025_08_26' }, { type: 'mcp' }], []],
	['x_search', [{ type: 'x_search' }], search],
])('*Web Search* beside a built-in tool %s searches once', async (_, own, added) => {
	const options = { webSearch: 'low', builtIn: { builtInTools: JSON.stringify(own) } };
	const { sent } = await run(...responses(options));
	expect(sent).toMatchObject([{ tools: [...[own].flat(), ...added] }]);
});

describe('a document in the API format Messages', () => {
	const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
	const attach = (format: string) =>
		text({
			format,
			attachments: { attachment: [{ type: 'file', binaryPropertyName: '={{ $json.field }}' }] },
		});
	const file = async (fileName: string, mimeType: string, content: string) => {
		const found = await withFiles({ name: 'file', content: Buffer.from(content), mimeType, fileName });
		return { ...found, json: { field: 'file' } };
	};

	test.each([
		['DOCX', 'a.docx', DOCX],
		['XLSX', 'a.xlsx', ''],
		['an archive', 'a.zip', 'application/zip'],
	])('%s is refused, also as the second of two items', async (_, fileName, mimeType) => {
		const items = [await file('a.pdf', 'application/pdf', '%PDF-1'), await file(fileName, mimeType, 'PK')];
		const [node, parameters] = attach('messages');
		const { error } = await gateway.run({ node, parameters: { ...parameters }, items });
		expect(error?.message).toMatch(/Messages takes PDF and text files only, not "a/);
		expect(error?.description).toMatch(/Extract from File.*Chat Completions/);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	test.each([
		['PDF', 'a.pdf', 'application/pdf', '%PDF-1'],
		['CSV', 'a.csv', 'text/csv', 'a;b'],
		['JSON', 'a.json', 'application/json', '{}'],
	])('%s is sent', async (_, fileName, mimeType, content) => {
		const { json, sent } = await run(...attach('messages'), [await file(fileName, mimeType, content)]);
		expect(json).not.toHaveProperty('error');
		expect(JSON.stringify(sent)).toContain('"type":"document"');
	});

	test('DOCX is sent in Chat Completions', async () => {
		const { json, sent } = await run(...attach('chat'), [await file('a.docx', DOCX, 'PK')]);
		expect(json).not.toHaveProperty('error');
		expect(JSON.stringify(sent)).toContain('"filename":"a.docx"');
	});
});

describe('the form of a model shows fields that depend on others', () => {
	useNock();

	const when = (factor: object) => ({ upscale: { properties: { factor }, required: ['factor'] } });
	const integer = { type: 'integer' };
	const properties = { prompt: { type: 'string' }, upscale: { type: 'boolean' } };

	test.each<[string, object]>([
		['dependentSchemas', { dependentSchemas: when(integer) }],
		['dependencies of earlier drafts', { dependencies: { ...when(integer), prompt: ['upscale'] } }],
		['a reference', { dependentSchemas: when({ $ref: '#/$defs/n' }), $defs: { n: integer } }],
		['dependentSchemas in allOf', { allOf: [{ dependentSchemas: when(integer) }] }],
		[
			'dependentSchemas beside a union',
			{ dependentSchemas: when(integer), oneOf: [{ required: ['prompt'] }, { required: ['upscale'] }] },
		],
	])('%s', async (_, more) => {
		media.catalogue([media.painter({ type: 'object', properties, ...more })]);
		const context = editorContext({
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'create', model: media.model, inputMode: 'form' },
		});
		const { fields } = await new MediaTask().methods.resourceMapping.mapMediaFields.call(context);
		expect(fields.map(({ id, type, required }) => [id, type, required])).toStrictEqual([
			['upscale', 'boolean', false],
			['factor', 'number', false],
		]);
		const sent = media.creations();
		const input = form({ upscale: 'true', factor: '2' });
		await media.run('create', { model: media.model, prompt: 'A cat', inputMode: 'form', input });
		expect(sent[0]?.body.input).toStrictEqual({ upscale: true, factor: 2, prompt: 'A cat' });
	});
});

describe('*Callback URL* with a base URL of the internet', () => {
	useNock();

	const created = async (callbackUrl: string, dryRun = false) => {
		if (dryRun) media.catalogue();
		const sent = dryRun ? [] : media.creations();
		const { hints, error, items } = await media.run('create', {
			model: media.model,
			inputMode: 'json',
			inputJson: '{}',
			options: { callbackUrl, ...(dryRun && { dryRun }) },
		});
		expect(error).toBeUndefined();
		return {
			sent: dryRun
				? items.map(({ json }) => asObject(json.request)?.callBackUrl)
				: sent.map(({ body }) => body.callBackUrl),
			hints: hints.filter((hint) => hint.includes('Callback')),
		};
	};

	// A gateway in the same network may have a public name.
	test.each(['http://localhost:5678/x', 'http://192.168.1.5/x', 'http://n8n:5678/x', 'https://n8n.lan/x'])(
		'%s is sent, with a hint, which a dry run has, too',
		async (url) => {
			const { hostname } = new URL(url);
			const hint = `'Callback URL': "${hostname}" is an address of a local network. The callback only comes if the gateway is in that network.`;
			expect(await created(url)).toStrictEqual({ sent: [url], hints: [hint] });
			expect(await created(url, true)).toStrictEqual({ sent: [url], hints: [hint] });
		},
	);

	test('https://n8n.example.com is sent without a hint', async () => {
		const url = 'https://n8n.example.com/x';
		expect(await created(url)).toStrictEqual({ sent: [url], hints: [] });
	});
});

test.each(['{"note":"data: 5,"}', '{"note":"data: a, b","notes":"data:,"}', '{"data:":"x","b":","}'])(
	'%s has no data URL',
	async (extra) => {
		const { json, sent } = await run(...text({ options: { extraBody: extra } }));
		expect(json).not.toHaveProperty('error');
		expect(sent).toMatchObject([JSON.parse(extra)]);
	},
);
