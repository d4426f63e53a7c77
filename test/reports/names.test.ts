import fc from 'fast-check';

import { HumanMessage } from '@langchain/core/messages';

import { formFields } from '../../nodes/shared/fields/mediaForm';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import type { FaultRule } from '../../sandbox/gateway/gateway';
import { TEXT_MODEL } from '../contract/support';
import { form, locator } from '../helpers/values';
import { streamed } from '../nodes/chatModel/support';
import { sendCallback } from '../nodes/mediaTaskTrigger/support';
import { useReports } from './support';

// Names of fields from outside: `__proto__` is dropped and changes nothing; those that each object inherits are ordinary ones.

const { gateway, respond, run } = useReports();

/** Names that each object inherits. */
const INHERITED = {
	constructor: { prototype: { x: 1 } },
	toString: 'text',
	hasOwnProperty: ['a'],
	valueOf: null,
};
const NAMES = JSON.parse(
	JSON.stringify({ ...INHERITED, proto: { x: 1, toString: 1, isAdmin: true } }).replace(
		'"proto"',
		'"__proto__"',
	),
) as object;

/** A copy with more fields in each object, or in those that `which` chooses; also in JSON text. */
function withFields(value: unknown, fields: object = NAMES, which: () => boolean = () => true): unknown {
	if (typeof value === 'string' && /^\{.*\}$/.test(value))
		return JSON.stringify(withFields(JSON.parse(value), fields, which));
	if (Array.isArray(value)) return value.map((element) => withFields(element, fields, which));
	if (typeof value !== 'object' || value === null) return value;
	const copied = Object.entries(value).map(
		([name, inner]) => [name, withFields(inner, fields, which)] as const,
	);
	// Those of the object count: some have the same names.
	return Object.fromEntries([...(which() ? Object.entries(fields) : []), ...copied]);
}

/** Whether an object in a value has a field of its own named `__proto__`. Arguments are text. */
function hasProto(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto);
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype] as object[];
const known = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype));

afterEach(() => {
	const names = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype));
	if (JSON.stringify(names) !== JSON.stringify(known)) throw new Error('A prototype has been changed');
});

const ARGUMENTS = '{"city":"Oslo","more":{"a":1}}';
const annotations = [{ type: 'url_citation', url_citation: { url: 'https://example.com', title: 'A' } }];
const details = [{ type: 'reasoning.text', text: 'Hm.', index: 0 }];
const logprobs = { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }], refusal: [] };
const chatUsage = {
	...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost_rub: 0.5 },
	completion_tokens_details: { reasoning_tokens: 1 },
	plugins: { masker: { operations: [{ operation: 'mask', cost_rub: 0 }] } },
};
const call = { id: 'c', type: 'function', function: { name: 'look', arguments: ARGUMENTS } };
const audio = { id: 'a', data: Buffer.from('RIFF0000WAVEfmt ').toString('base64'), transcript: '' };
const chunk = (delta: object, more: object = {}) => ({
	id: 'r',
	model: 'm',
	choices: [{ index: 0, delta, ...more }],
});
const reasoning = { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm.' }] };
const said = {
	type: 'message',
	role: 'assistant',
	content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
};
const called = { type: 'function_call', call_id: 'c', name: 'look', arguments: ARGUMENTS };
const used = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost: { total_cost: 0.5 } };
const response = { id: 'r', model: 'm', status: 'completed', output: [reasoning, said, called], usage: used };
const items = [reasoning, said, called];
const use = { type: 'tool_use', id: 'c', name: 'look', input: JSON.parse(ARGUMENTS) as object };
const messageUsage = { input_tokens: 3, output_tokens: 4 };
const parts = [{ type: 'thinking', thinking: 'Hm.', signature: 's' }, { type: 'text', text: 'Hello' }, use];
const block = (index: number, content_block: object, delta: object) => [
	{ type: 'content_block_start', index, content_block },
	{ type: 'content_block_delta', index, delta },
	{ type: 'content_block_stop', index },
];

/** What each place of §2.3 to 2.5 and §6 has, as a whole and streamed. */
const RESPONSES: Array<[format: string, what: string, body: object | object[]]> = [
	[
		'chat',
		'a response',
		{
			...{ id: 'r', object: 'chat.completion', model: 'm', provider: 'p', usage: chatUsage },
			choices: [
				{
					index: 0,
					message: {
						role: 'assistant',
						content: 'Hello',
						reasoning: 'Hm.',
						tool_calls: [call],
						audio,
						annotations,
					},
					finish_reason: 'tool_calls',
					reasoning_details: details,
					logprobs,
				},
			],
		},
	],
	[
		'chat',
		'chunks',
		[
			chunk({ role: 'assistant', content: 'Hel' }, { logprobs }),
			chunk({ reasoning: 'Hm.', audio, annotations }, { reasoning_details: details }),
			chunk(
				{ content: 'lo' },
				{ logprobs, reasoning_details: [{ type: 'reasoning.text', text: '', index: 0 }] },
			),
			chunk({
				tool_calls: [{ ...call, index: 0, function: { name: 'look', arguments: '{"city":"Oslo",' } }],
			}),
			chunk({ tool_calls: [{ index: 0, function: { arguments: '"more":{"a":1}}' } }] }),
			chunk({}, { finish_reason: 'tool_calls' }),
			{ choices: [], usage: chatUsage },
			{ choices: [], usage: chatUsage },
		],
	],
	['responses', 'a response', response],
	[
		'responses',
		'events with deltas',
		[
			{ type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
			{ type: 'response.output_item.added', output_index: 0, item: { ...reasoning, summary: [] } },
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' },
			{ type: 'response.output_item.added', output_index: 1, item: { ...said, content: [] } },
			{ type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hel' },
			{ type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'lo' },
			{
				type: 'response.output_text.annotation.added',
				output_index: 1,
				content_index: 0,
				annotation: annotations[0],
			},
			{ type: 'response.content_part.done', output_index: 1, content_index: 0, part: said.content[0] },
			{ type: 'response.output_item.added', output_index: 2, item: { ...called, arguments: '' } },
			{ type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"city":"Oslo",' },
			{ type: 'response.function_call_arguments.done', output_index: 2, arguments: ARGUMENTS },
			{ type: 'response.completed', response: { ...response, output: [] } },
		],
	],
	[
		'responses',
		'events with items',
		[
			...items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
			{ type: 'response.completed', response },
		],
	],
	[
		'messages',
		'a response',
		{
			id: 'r',
			type: 'message',
			role: 'assistant',
			model: 'm',
			content: parts,
			stop_reason: 'tool_use',
			usage: messageUsage,
		},
	],
	[
		'messages',
		'events',
		[
			{
				type: 'message_start',
				message: { id: 'r', type: 'message', model: 'm', content: [], usage: messageUsage },
			},
			...block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Hm.' }),
			...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hello' }),
			...block(2, { ...use, input: {} }, { type: 'input_json_delta', partial_json: ARGUMENTS }),
			{ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: messageUsage },
			{ type: 'message_stop' },
		],
	],
];

const ask = async (format: string, body: object | object[], parameters: object = {}) => {
	const options = {
		...(Array.isArray(body) && { stream: true }),
		...(format === 'chat' && { maxTokens: 99 }),
	};
	const node = { resource: 'text', operation: 'generate', format, model: locator(TEXT_MODEL), prompt: 'Go' };
	respond(body);
	return (await run('textGeneration', { ...node, options, ...parameters })).json;
};

/** What is read of a completion. */
const readOf = ({ text, reasoning: thoughts, usage, costRub, finishReason }: JsonObject) => {
	return { text, thoughts, usage, costRub, finishReason };
};

describe.each(RESPONSES)('%s: %s', (format, what, body) => {
	const streams = Array.isArray(body);

	test('the names in each object change nothing of the completion, and arrive in the arguments of a tool', async () => {
		const [plain, named] = [await ask(format, body), await ask(format, withFields(body) as object)];
		expect(readOf(named as JsonObject)).toStrictEqual(readOf(plain as JsonObject));
		expect(named).toMatchObject({ text: 'Hello', usage: { outputTokens: 4 } });
		// Pieces of JSON text have no names.
		const isInPieces = what === 'chunks';
		const inner = isInPieces ? {} : INHERITED;
		const args = { ...inner, city: 'Oslo', more: { ...inner, a: 1 } };
		expect(JSON.stringify(named.toolCalls)).toBe(
			JSON.stringify([{ id: 'c', name: 'look', arguments: args }]),
		);
	});

	test('without *Simplify*, the names are in the body as they are', async () => {
		const named = await ask(format, withFields(body) as object, { simplify: false });
		const text = JSON.stringify(named);
		expect(text).toContain('"constructor":{"prototype":{');
		expect(text).toContain('"hasOwnProperty":');
		expect(hasProto(named)).toBe(false);
	});

	test('an agent reads its text, and calls the tool', async () => {
		const { lc } = await gateway.chatModel({ parameters: { format } });
		respond(withFields(body) as object);
		const answer = streams ? await streamed(lc) : await lc.invoke([new HumanMessage('Go')]);
		expect(answer.text).toBe('Hello');
		expect(answer.tool_calls).toMatchObject([{ name: 'look', args: { city: 'Oslo', more: { a: 1 } } }]);
	});

	test('random JSON with these names in any place changes nothing of the completion', async () => {
		const plain = readOf((await ask(format, body)) as JsonObject);
		const name = fc.constantFrom(
			'__proto__',
			...Object.keys(INHERITED),
			'prototype',
			'isPrototypeOf',
			'then',
		);
		const { value } = fc.letrec<{ value: unknown }>((tie) => ({
			value: fc.oneof(
				{ depthSize: 'small' },
				fc.constantFrom(null, 0, '', 'x', []),
				fc.array(tie('value'), { maxLength: 2 }),
				fc.dictionary(name, tie('value'), { maxKeys: 3 }),
			),
		}));
		const fields = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
		await fc.assert(
			fc.asyncProperty(fields, fc.infiniteStream(fc.boolean()), async (more, choices) => {
				const named = withFields(body, more, () => choices.next().value === true) as object;
				expect(readOf((await ask(format, named)) as JsonObject)).toStrictEqual(plain);
				expect(prototypes.map((prototype) => Object.getOwnPropertyNames(prototype))).toStrictEqual(known);
			}),
			{ numRuns: Number(process.env.FUZZ_RUNS ?? 20) },
		);
	});
});

test('the hostile chunk that was reported', async () => {
	const text = '{"id":"r","choices":[{"delta":{"content":"ok","__proto__":{"x":1}},"finish_reason":"stop"}]}';
	const hostile = JSON.parse(text) as object;
	expect(await ask('chat', [hostile, { choices: [], usage: chatUsage }])).toMatchObject({
		text: 'ok',
		costRub: 0.5,
	});
	// Unasked: some gateways stream although nobody has asked.
	expect(await ask('chat', [hostile, { choices: [], usage: chatUsage }], { options: {} })).toMatchObject({
		text: 'ok',
	});
});

const json = (body: unknown) =>
	({
		kind: 'raw',
		status: 200,
		body: { text: JSON.stringify(body), contentType: 'application/json' },
	}) as const;
const fault = (rule: FaultRule['match'], body: unknown, status = 200) =>
	gateway.control.addFault({ match: rule ?? {}, action: { ...json(body), status }, times: 0 });

const INPUTS = Object.keys(INHERITED).filter((name) => name !== 'valueOf');

describe('the catalogue', () => {
	const properties = {
		...Object.fromEntries(INPUTS.map((name) => [name, { type: 'string' }])),
		prompt: { type: 'string' },
	};
	const pricing = {
		currency: 'RUB',
		type: 'tiered',
		tiers: [
			{ params: { toString: 'big' }, price: '9.00' },
			{ params: { constructor: 'big' }, price: '12.00' },
			{ params: {}, price: '6.00' },
		] as object[],
	};
	const model = {
		id: 'aurora/canvas-1',
		object: 'model',
		media_type: 'image',
		pricing,
		input_schema: { properties },
	};

	test('fields of these names are in the form, are sent, and decide about the price', async () => {
		expect(formFields(model.input_schema as JsonObject).map(({ id }) => id)).toStrictEqual(INPUTS);
		// More names in `params` would be other prices.
		const record = { ...(withFields(model) as object), pricing };
		fault({ path: '/media/models' }, { object: 'list', data: [record] });
		const draw = async (input: object) => {
			const fields = { resource: 'task', operation: 'create', prompt: 'A cat', ...input };
			const parameters = { model: locator(model.id), ...fields, options: { dryRun: true } };
			return (await run('mediaTask', parameters)).json;
		};
		// n8n removes a field named `constructor` from a form.
		expect(await draw({ input: form({ toString: 'big', hasOwnProperty: 'a' }) })).toMatchObject({
			priceRub: 9,
			request: { input: { prompt: 'A cat', toString: 'big', hasOwnProperty: 'a' } },
		});
		expect(await draw({ inputMode: 'json', inputJson: '{ "constructor": "big" }' })).toMatchObject({
			priceRub: 12,
			request: { input: { prompt: 'A cat', constructor: 'big' } },
		});
		expect(await draw({ input: form({ valueOf: 'b' }) })).toMatchObject({ priceRub: 6 });
	});

	test.each(['models', 'media/models'])('its records of %s', async (path) => {
		const [node, resource] =
			path === 'models' ? (['textGeneration', 'model'] as const) : (['mediaTask', 'model'] as const);
		const list = { object: 'list', data: [{ ...model, cost_context: '0.1', cost_completion: '0.2' }] };
		fault({ path: `/${path}` }, withFields(list));
		const parameters = { resource, operation: 'getMany', returnAll: true, simplify: false };
		const { json: item } = await run(node, parameters);
		expect(item).toMatchObject({ id: model.id, toString: 'text' });
		expect(hasProto(item)).toBe(false);
	});
});

describe('tasks, files and the balance', () => {
	const task = {
		...{ taskId: 't1', model: 'm', state: 'success', createTime: 1 },
		resultJson: '{"resultUrls":[],"seed":7}',
	};
	const ROWS: Array<
		[title: string, node: Parameters<typeof run>[0], parameters: object, path: string, body: object]
	> = [
		[
			'a task',
			'mediaTask',
			{ resource: 'task', operation: 'get', taskId: 't1' },
			'/async/media/tasks/*',
			{ code: 200, msg: 'success', data: task },
		],
		[
			'a list of tasks',
			'mediaTask',
			{ resource: 'task', operation: 'getMany', returnAll: true },
			'/async/media/tasks',
			{ code: 200, msg: 'success', data: { items: [task] } },
		],
		[
			'a file',
			'storage',
			{ resource: 'file', operation: 'get', fileId: 'f1' },
			'/storage/*',
			{ asset: { id: 'f1', filename: 'a.png', url: 'https://example.com/a.png' } },
		],
		['the balance', 'balance', { resource: 'balance', operation: 'get' }, '/balance', { amount: '10' }],
	];

	test.each(ROWS)('%s', async (_, node, parameters, path, body) => {
		fault({ path }, body);
		const { json: plain } = await run(node, parameters);
		gateway.control.clearFaults();
		fault({ path }, withFields(body));
		const { json: named } = await run(node, parameters);
		expect(named).toMatchObject(plain);
		expect(named).not.toHaveProperty('error');
		expect(hasProto(named)).toBe(false);
	});

	test('what a task has made of these names is in its output', async () => {
		fault({ path: '/async/media/tasks/*' }, withFields({ code: 200, msg: 'success', data: task }));
		const { json: item } = await run('mediaTask', { resource: 'task', operation: 'get', taskId: 't1' });
		expect(JSON.stringify(item.result)).toBe(JSON.stringify({ ...INHERITED, seed: 7 }));
	});

	test('a callback starts the workflow', async () => {
		const { items: created } = await gateway.draw();
		const taskId = created[0]?.json.taskId;
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
		const body = withFields({ taskId, data: { state: 'success' } }) as object;
		const { item } = await sendCallback({ downloadResults: false }, { body }, { credential, store: {} });
		expect(item?.json.taskId).toBe(taskId);
	});
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
	'an error of the code %s',
	async (code) => {
		fault(
			{ method: 'POST' },
			withFields({ error: { message: 'Words', type: code, param: code, code } }),
			400,
		);
		const parameters = { resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Go' };
		const { json: item } = await run('textGeneration', parameters);
		expect(item.error).toMatchObject({ code, type: code, param: code, httpCode: '400' });
		expect((item.error as JsonObject).message).toContain('Words');
	},
);

describe('what users enter', () => {
	const text = JSON.stringify(withFields({ a: { b: 1 } }));
	const right = { ...INHERITED, a: { ...INHERITED, b: 1 } };
	const item = { json: { given: JSON.parse(text) as never } };
	const WAYS: Array<[string, string]> = [
		['as JSON', text],
		['as an expression that gives an object', '={{ $json.given }}'],
		['as an expression that gives JSON', '={{ JSON.stringify($json.given) }}'],
	];

	test.each(WAYS)('*Extra Body* %s', async (_, extraBody) => {
		const parameters = { resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Go' };
		const { sent } = await run('textGeneration', { ...parameters, options: { extraBody } }, [item]);
		expect(sent).toMatchObject([right]);
		expect(JSON.stringify(sent)).not.toContain('__proto__');
	});

	test.each(WAYS)('*Input (JSON)* %s', async (_, inputJson) => {
		const parameters = { resource: 'task', operation: 'create', model: locator('aurora/canvas-1') };
		const { sent } = await run('mediaTask', { ...parameters, inputMode: 'json', inputJson }, [item]);
		expect(sent).toMatchObject([{ input: right }]);
		expect(JSON.stringify(sent)).not.toContain('__proto__');
	});

	const schema = {
		type: 'object',
		properties: Object.fromEntries(INPUTS.map((name) => [name, { type: 'string' }])),
		required: ['constructor'],
	};
	const OUTPUTS: Array<[string, object]> = [
		['JSON by Schema', { outputFormat: 'jsonSchema', jsonSchema: JSON.stringify(schema) }],
		['JSON by Example', { outputFormat: 'jsonExample', jsonExample: '{"constructor":"a","toString":"b"}' }],
		[
			'JSON by Fields',
			{
				outputFormat: 'jsonFields',
				fields: { field: ['constructor', 'toString'].map((name) => ({ name, type: 'text' })) },
			},
		],
	];

	test.each(OUTPUTS)('*%s* with fields of these names', async (_, parameters) => {
		const answer = (content: object) => ({
			id: 'r',
			model: 'm',
			choices: [
				{ index: 0, message: { role: 'assistant', content: JSON.stringify(content) }, finish_reason: 'stop' },
			],
			usage: chatUsage,
		});
		const good = JSON.parse('{"constructor":"a","toString":"b","__proto__":{"x":1}}') as object;
		expect((await ask('chat', answer(good), parameters)).output).toStrictEqual({
			constructor: 'a',
			toString: 'b',
		});
		// Each object has a `constructor`; this one has none of its own.
		expect((await ask('chat', answer({ toString: 'b' }), parameters)).error).toMatchObject({
			code: 'json_does_not_fit',
			message: expect.stringContaining('output.constructor is missing') as string,
		});
	});

	test('*Include Input Fields* keeps a row with fields of these names', async () => {
		const row = { ...INHERITED, name: 'Lamp' };
		const options = { includeInput: true };
		const parameters = {
			resource: 'text',
			operation: 'generate',
			model: locator(TEXT_MODEL),
			prompt: 'Go',
			options,
		};
		const { json: output } = await run('textGeneration', parameters, [{ json: row }]);
		expect(output).toMatchObject(row);
	});
});
