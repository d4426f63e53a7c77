import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { useNock } from '../../helpers/nock';
import { chatCompletion, generate, mockResponse, sentBody } from './support';

useNock();

describe('tools', () => {
	const look = { name: 'look', description: 'Looks', parameters: '{"type": "object"}', strict: true };
	const withTools = (more: INodeParameters = {}): INodeParameters => ({
		tools: { function: [look] },
		...more,
	});
	const parameters = { type: 'object' };

	it('chat', async () => {
		const body = await sentBody(withTools({ options: { toolChoice: 'function', toolChoiceName: 'look' } }));
		expect(body).toMatchObject({
			tools: [
				{ type: 'function', function: { name: 'look', description: 'Looks', parameters, strict: true } },
			],
			tool_choice: { type: 'function', function: { name: 'look' } },
		});
	});
	it('responses: with built-in ones', async () => {
		const options = {
			builtIn: { values: { builtInTools: '[{"type": "web_search"}]' } },
			toolChoice: 'required',
		};
		const body = await sentBody(withTools({ format: 'responses', options }));
		expect(body).toMatchObject({
			tools: [{ type: 'function', name: 'look', description: 'Looks', parameters }, { type: 'web_search' }],
			tool_choice: 'required',
		});
	});
	it('messages', async () => {
		const body = await sentBody(withTools({ format: 'messages', options: { toolChoice: 'required' } }));
		expect(body).toMatchObject({
			tools: [{ name: 'look', description: 'Looks', input_schema: parameters }],
			tool_choice: { type: 'any' },
		});
	});

	test.each<[string, string, JsonObject]>([
		[
			'chat',
			'after text',
			chatCompletion(
				{
					content: 'Let me see',
					tool_calls: [
						{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"at": 1}' } },
						{ id: 't2', type: 'function', function: { name: 'look', arguments: '{"at":' } },
					],
				},
				'tool_calls',
			),
		],
		[
			'responses',
			'before and after the message',
			{
				id: 'r',
				status: 'completed',
				output: [
					{ type: 'function_call', id: 'fc', call_id: 't1', name: 'look', arguments: '{"at": 1}' },
					{ type: 'message', content: [{ type: 'output_text', text: 'Let me see' }] },
					{ type: 'function_call', id: 'fd', call_id: 't2', name: 'look', arguments: '{"at":' },
				],
			},
		],
	])(
		'%s: tool calls are found %s, and arguments that are not JSON are kept and marked',
		async (format, _, response) => {
			mockResponse(format, response);
			const { items } = await generate(withTools({ format }));
			expect(items[0]?.json).toMatchObject({
				text: 'Let me see',
				finishReason: 'tool_calls',
				toolCalls: [
					{ id: 't1', name: 'look', arguments: { at: 1 } },
					{ id: 't2', name: 'look', arguments: '{"at":', invalidArguments: true },
				],
			});
		},
	);

	describe('in Extra Body', () => {
		const wireTool: Record<string, string> = {
			chat: '{ "type": "function", "function": { "name": "look" } }',
			responses: '{ "type": "function", "name": "look" }',
			messages: '{ "name": "look", "input_schema": { "type": "object" } }',
		};
		const extraBody = (format: string, choice: INodeParameters, more = ''): INodeParameters => ({
			format,
			options: { extraBody: `{ "tools": [${wireTool[format]}]${more} }`, ...choice },
		});

		it.each([
			['chat', { type: 'function', function: { name: 'look' } }, 'required'],
			['responses', { type: 'function', name: 'look' }, 'required'],
			['messages', { type: 'tool', name: 'look' }, { type: 'any' }],
		])('%s: may be required', async (format, named, required) => {
			const choose = async (choice: INodeParameters) =>
				(await sentBody(extraBody(format, choice))).tool_choice;
			expect(await choose({ toolChoice: 'required' })).toStrictEqual(required);
			expect(await choose({ toolChoice: '={{ "any" }}' })).toStrictEqual(required);
			expect(await choose({ toolChoice: 'function', toolChoiceName: 'look' })).toStrictEqual(named);
			expect(await choose({ toolChoice: 'look' })).toStrictEqual(named);
		});

		it('may come with a choice of their own', async () => {
			const more = ', "tool_choice": "auto"';
			const choice = { toolChoice: 'function', toolChoiceName: 'x' };
			const body = await sentBody(extraBody('chat', choice, more));
			expect(body.tool_choice).toBe('auto');
			const added = ', "tool_choice": { "disable_parallel_tool_use": true }';
			const merged = await sentBody(extraBody('messages', { toolChoice: 'required' }, added));
			expect(merged.tool_choice).toStrictEqual({ type: 'any', disable_parallel_tool_use: true });
		});
	});

	it.each<[string, INodeParameters, unknown]>([
		['by its type', { toolChoice: 'function', toolChoiceName: 'web_search' }, { type: 'web_search' }],
		['by an expression', { toolChoice: '={{ "web_search" }}' }, { type: 'web_search' }],
		['as any tool', { toolChoice: 'required' }, 'required'],
	])('built in may be chosen %s', async (_, choice, wire) => {
		const options = { builtIn: { values: { builtInTools: '[{ "type": "web_search" }]' } }, ...choice };
		expect((await sentBody({ format: 'responses', options })).tool_choice).toStrictEqual(wire);
	});

	it.each(['auto', 'none', '={{ "" }}'])('may be missing with the choice %s', async (toolChoice) => {
		expect(await sentBody({ options: { toolChoice } })).not.toHaveProperty('tool_choice');
	});

	it.each<[string, INodeParameters, unknown]>([
		[
			'a tool that is not there',
			{ toolChoice: '={{ "look" }}' },
			{ type: 'function', function: { name: 'look' } },
		],
		['any tool, without tools', { toolChoice: 'required' }, 'required'],
	])('the gateway checks the choice of %s', async (_, options, wire) => {
		expect((await sentBody({ options })).tool_choice).toStrictEqual(wire);
	});
});
