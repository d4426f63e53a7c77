import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { useNock } from '../../helpers/nock';
import { supplied } from './supplied';
import { callOf, whole } from './support';

// The response format, and the choice of tools, of the node.

useNock();

const go = new HumanMessage('Go');
const search = {
	name: 'search',
	description: 'Searches',
	schema: { type: 'object', properties: {} },
	invoke: () => '',
};
/** A conversation in which the tool has been called. */
const called: BaseMessage[] = [
	go,
	new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'search', args: {}, type: 'tool_call' }] }),
	new ToolMessage({ tool_call_id: 'c1', content: 'Found' }),
];

const RESPONSES: Record<string, [string, string]> = {
	chat: ['/api/v1/chat/completions', whole({ content: '{"city":"Oslo"}' })],
	responses: [
		'/api/v1/responses',
		JSON.stringify({
			id: 'r',
			status: 'completed',
			output: [{ type: 'message', content: [{ type: 'output_text', text: '{"city":"Oslo"}' }] }],
		}),
	],
	messages: [
		'/api/v1/messages',
		JSON.stringify({
			id: 'm',
			content: [{ type: 'tool_use', id: 't', name: 'place', input: { city: 'Oslo' } }],
			stop_reason: 'tool_use',
		}),
	],
};

interface Request extends INodeParameters {
	format?: string;
	options?: INodeParameters;
}

/** Asks the model of a node; the body of the request, and the text of the response. */
async function ask(
	{ options = {}, ...parameters }: Request,
	{
		messages = [go],
		tools = [],
		response,
		toolChoice,
	}: { messages?: BaseMessage[]; tools?: unknown[]; response?: string; toolChoice?: string } = {},
) {
	const bodies: JsonObject[] = [];
	const [path = '', usual] = RESPONSES[parameters.format ?? 'chat'] ?? [];
	nock('https://gateway.test')
		.post(path)
		.reply((_, body) => {
			bodies.push(body as JsonObject);
			return [200, response ?? usual, { 'Content-Type': 'application/json' }];
		});
	const { lc, close } = await supplied({ parameters, options });
	const settings = toolChoice === undefined ? {} : { tool_choice: toolChoice };
	try {
		const model = tools.length > 0 ? lc.bindTools(tools, settings) : lc;
		const { content } = await model.invoke(messages);
		return { body: bodies[0] ?? {}, text: content };
	} finally {
		await close();
	}
}

const place = {
	outputFormat: 'jsonSchema',
	schemaName: 'place',
	jsonSchema: '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}',
};
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('the response format', () => {
	it('is JSON by a schema', async () => {
		const { body } = await ask({ ...place, options: { schemaStrict: true } });
		const fields = { name: 'place', schema, strict: true };
		expect(body.response_format).toStrictEqual({ type: 'json_schema', json_schema: fields });
	});

	it.each(['chat', 'responses', 'messages'])('%s: the JSON is the text of the message', async (format) => {
		const { text } = await ask({ ...place, format });
		expect(JSON.parse(text as string)).toStrictEqual({ city: 'Oslo' });
	});

	it('Messages: the model calls a tool of the agent, or the one that JSON comes through', async () => {
		const { body } = await ask({ ...place, format: 'messages' }, { tools: [search] });
		expect(body.tool_choice).toStrictEqual({ type: 'any' });
		expect(body.tools).toMatchObject([{ name: 'search' }, { name: 'place' }]);
	});

	it('gives way to a tool that the node must have called', async () => {
		const response = whole({ content: null, tool_calls: [callOf('a', 'search', '{}')] }, 'tool_calls');
		const { body } = await ask(place, { tools: [search], toolChoice: 'search', response });
		expect(body).not.toHaveProperty('response_format');
		expect(body.tool_choice).toStrictEqual({ type: 'function', function: { name: 'search' } });
	});
});

describe('the choice of tools', () => {
	const choice = (toolChoice: string, more: INodeParameters = {}) => ({ options: { toolChoice, ...more } });
	const builtIn = { builtIn: { values: { builtInTools: '[{"type": "web_search"}]' } } };

	it.each<[string, Request, unknown]>([
		['the model decides', choice('auto'), undefined],
		['no tools', choice('none'), 'none'],
		['a tool', choice('required'), 'required'],
		['a tool of Messages', { ...choice('required'), format: 'messages' }, { type: 'any' }],
		[
			'a tool of the agent',
			choice('function', { toolChoiceName: 'search' }),
			{ type: 'function', function: { name: 'search' } },
		],
		[
			'a built-in tool',
			{ ...choice('function', { toolChoiceName: 'web_search', ...builtIn }), format: 'responses' },
			{ type: 'web_search' },
		],
	])('%s', async (_, request, wire) => {
		expect((await ask(request, { tools: [search] })).body.tool_choice).toStrictEqual(wire);
	});

	it('forces a built-in tool where the agent has no tools', async () => {
		const { body } = await ask({ ...choice('required', builtIn), format: 'responses' });
		expect(body).toMatchObject({ tools: [{ type: 'web_search' }], tool_choice: 'required' });
	});

	it('is for the first request of a message of the user: after the result of a tool the model decides', async () => {
		const required = await ask(choice('required'), { tools: [search], messages: called });
		expect(required.body).not.toHaveProperty('tool_choice');
		const none = await ask(choice('none'), { tools: [search], messages: called });
		expect(none.body.tool_choice).toBe('none');
		const next = await ask(choice('required'), {
			tools: [search],
			messages: [...called, new HumanMessage('Next')],
		});
		expect(next.body.tool_choice).toBe('required');
	});

	it('gives way to that of the agent or chain', async () => {
		const { body } = await ask(choice('none'), { tools: [search], toolChoice: 'any' });
		expect(body.tool_choice).toBe('required');
	});
});
