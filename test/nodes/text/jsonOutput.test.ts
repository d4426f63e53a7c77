import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { asObject } from '../../../nodes/shared/gateway/util/json';
import { useNock } from '../../helpers/nock';
import { bySchema, chatCompletion, generate, mockResponse, schema, sentBody } from './support';

useNock();

describe('JSON output is requested', () => {
	it('chat', async () => {
		expect((await sentBody({ outputFormat: 'jsonObject' })).response_format).toStrictEqual({
			type: 'json_object',
		});
		expect((await sentBody({ ...bySchema, options: { schemaStrict: true } })).response_format).toStrictEqual({
			type: 'json_schema',
			json_schema: { name: 'book', schema: JSON.parse(schema) as object, strict: true },
		});
	});
});

describe('a schema', () => {
	const schemaSent = async (parameters: INodeParameters) => {
		const { json_schema } = asObject((await sentBody(parameters)).response_format) ?? {};
		return json_schema;
	};

	it('is made of rows of fields', async () => {
		const field = [
			{ name: 'title' },
			{ name: ' pages ', type: 'number', description: 'How many', required: false },
			{ name: 'isNew', type: 'boolean' },
			{ name: 'tags', type: 'texts' },
			{ name: 'sizes', type: 'numbers' },
			{ name: 'makers', type: 'object', example: '[{ "name": "A" }]' },
		];
		expect(await schemaSent({ outputFormat: 'jsonFields', fields: { field } })).toStrictEqual({
			name: 'answer',
			schema: {
				type: 'object',
				properties: {
					title: { type: 'string' },
					pages: { type: 'number', description: 'How many' },
					isNew: { type: 'boolean' },
					tags: { type: 'array', items: { type: 'string' } },
					sizes: { type: 'array', items: { type: 'number' } },
					makers: {
						type: 'array',
						items: {
							type: 'object',
							properties: { name: { type: 'string' } },
							required: ['name'],
							additionalProperties: false,
						},
					},
				},
				required: ['title', 'isNew', 'tags', 'sizes', 'makers'],
				additionalProperties: false,
			},
		});
	});

	it('is made of an example, also of one that an expression returns, and can be strict', async () => {
		const options = { schemaStrict: true };
		const jsonExample = '={{ ({ title: "Sea", note: null }) }}';
		expect(await schemaSent({ outputFormat: 'jsonExample', jsonExample, options })).toStrictEqual({
			name: 'answer',
			schema: {
				type: 'object',
				properties: { title: { type: 'string' }, note: {} },
				required: ['title'],
				additionalProperties: false,
			},
			strict: true,
		});
	});

	test.each<[string, INodeParameters, RegExp, RegExp]>([
		[
			'sample data',
			{ outputFormat: 'jsonSchema', jsonSchema: '{"title": "Sea", "type": "book"}' },
			/^'JSON Schema' is sample data, not a schema$/,
			/Choose 'JSON by Example'/,
		],
		[
			'a list as an example',
			{ outputFormat: 'jsonExample', jsonExample: '[{"title": "Sea"}]' },
			/^'JSON Example' is not a JSON object/,
			/\{ "title"/,
		],
		[
			'an example that is not JSON',
			{ outputFormat: 'jsonExample', jsonExample: '{title: Sea}' },
			/^'JSON Example' is not a JSON object/,
			/quotes/,
		],
		['no fields', { outputFormat: 'jsonFields', fields: {} }, /^'Fields' is empty$/, /Add/],
		[
			'the field as it is added',
			{ outputFormat: 'jsonFields' },
			/^'Fields', row 1: 'Name' is empty$/,
			/title/,
		],
		[
			'an object without an example',
			{ outputFormat: 'jsonFields', fields: { field: [{ name: 'a', type: 'object', example: '' }] } },
			/^'Fields', row 1: 'Example \(JSON\)' is not valid JSON/,
			/Oslo/,
		],
	])('is not made of %s, and nothing is sent', async (_, parameters, message, description) => {
		const { error } = await generate(parameters);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
	});
});

describe('a JSON response', () => {
	it('is not expected with tool calls, also after text', async () => {
		const tool_calls = [{ id: 't', type: 'function', function: { name: 'look', arguments: '{}' } }];
		mockResponse('chat', chatCompletion({ content: 'Let me look.', tool_calls }, 'tool_calls'));
		const { items } = await generate({
			...bySchema,
			tools: { function: [{ name: 'look', parameters: '' }] },
		});
		expect(items[0]?.json).toMatchObject({ text: 'Let me look.', toolCalls: [{ name: 'look' }] });
		expect(items[0]?.json).not.toHaveProperty('output');
	});

	it('has an ID and a state, and no text, when it is pending', async () => {
		mockResponse('responses', { id: 'r9', model: 'acme/writer', status: 'queued', output: [] });
		const { items } = await generate({
			format: 'responses',
			options: { extraBody: '{ "background": true }' },
		});
		expect(items[0]?.json).toMatchObject({ id: 'r9', finishReason: 'queued', text: '', costRub: null });
	});

	it('messages: is the argument of the required call, which is not a tool call in the output', async () => {
		const content = [{ type: 'tool_use', id: 't1', name: 'book', input: { title: 'Sea' } }];
		mockResponse('messages', { id: 'm', content, stop_reason: 'tool_use' });
		const { items } = await generate({ format: 'messages', ...bySchema });
		expect(items[0]?.json).toMatchObject({
			output: { title: 'Sea' },
			text: '{"title":"Sea"}',
			finishReason: 'stop',
		});
		expect(items[0]?.json).not.toHaveProperty('toolCalls');
	});

	it('that is not JSON is not charged again by Retry On Fail', async () => {
		mockResponse('chat', chatCompletion({ content: 'no JSON' }));
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { error } = await generate(bySchema, { settings });
		expect(error?.message).toBe('The model’s response is not JSON');
		expect(nock.isDone()).toBe(true);
	});
});
