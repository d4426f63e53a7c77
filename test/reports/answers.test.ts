import { useReports } from './support';
import { TEXT_MODEL } from '../contract/support';
import { locator } from '../helpers/values';

// What was paid for arrives: a response, and the item.

const { respond, run } = useReports();

interface Row {
	title: string;
	format?: 'chat' | 'responses' | 'messages';
	/** A body, or the events of a stream. */
	response: object | object[];
	parameters?: object;
	/** What the item has at least. */
	json: object;
	hint?: RegExp;
}

const usage = { prompt_tokens: 3, completion_tokens: 4, cost_rub: 0.5 };
const chat = (message: object, finish_reason = 'stop', more: object = {}) => ({
	id: 'c1',
	model: 'm',
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
	usage,
	...more,
});
const says = (content: string) => chat({ content });
const delta = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const message = (content: object[], stop_reason = 'end_turn') => ({
	id: 'm1',
	type: 'message',
	role: 'assistant',
	model: 'm',
	content,
	stop_reason,
	usage: { input_tokens: 3, output_tokens: 4 },
});
const paid = { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost: { total_cost: 0.5 } } };

const asObject: object = { outputFormat: 'jsonObject' };
const bySchema = (jsonSchema: object): object => ({
	outputFormat: 'jsonSchema',
	schemaName: 'book',
	jsonSchema: JSON.stringify(jsonSchema),
});
const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const stream: object = { options: { stream: true } };

const ROWS: Row[] = [
	{
		title: 'a response with an empty error beside its text is a result',
		response: chat({ content: 'Hi' }, 'stop', { error: {} }),
		json: { text: 'Hi', costRub: 0.5 },
	},
	{
		title: 'so is one with an error that is null',
		format: 'responses',
		response: {
			id: 'r1',
			status: 'completed',
			error: null,
			output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
			...paid,
		},
		json: { text: 'Hi', costRub: 0.5 },
	},
	{
		title: 'a message after a function call is found (§2.3)',
		format: 'responses',
		response: {
			id: 'r1',
			status: 'completed',
			output: [
				{ type: 'function_call', call_id: 'f1', name: 'look', arguments: '{}' },
				{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
			],
			...paid,
		},
		json: { text: 'Hi', toolCalls: [{ id: 'f1', name: 'look' }] },
	},
	{
		title: 'a stream that is cut off and does not repeat its status is not complete',
		format: 'responses',
		response: [
			{ type: 'response.created', response: { id: 'r1', status: 'in_progress', output: [] } },
			{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi th' },
			{
				type: 'response.incomplete',
				response: { id: 'r1', incomplete_details: { reason: 'max_output_tokens' }, ...paid },
			},
		],
		parameters: stream,
		json: { text: 'Hi th', isComplete: false, finishReason: 'length', costRub: 0.5 },
		hint: /cut off/,
	},
	{
		title: 'a stream that breaks before its last event, when all is there, is a result',
		format: 'messages',
		response: [
			{ type: 'message_start', message: message([], '') },
			{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
			{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
			{ type: 'content_block_stop', index: 0 },
			{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
		],
		parameters: stream,
		json: { text: 'Hi', finishReason: 'stop' },
	},
	{
		title: 'a final chunk without choices has the cost (§6.2)',
		response: [delta('Hi '), delta('there'), finish, { choices: [], usage }],
		parameters: stream,
		json: { text: 'Hi there', costRub: 0.5 },
	},
	{
		title: 'a refusal is not complete, and has a hint',
		response: chat({ content: null, refusal: 'I must not' }),
		json: { isComplete: false },
		hint: /refuse/i,
	},
	{
		title: 'so is a text that is cut off',
		response: chat({ content: 'Once upon' }, 'length'),
		json: { text: 'Once upon', finishReason: 'length', isComplete: false },
		hint: /cut off/,
	},
	{
		title: 'an error inside a choice is an error',
		response: {
			id: 'c1',
			choices: [{ index: 0, error: { message: 'The provider is down', code: 502 }, message: {} }],
			usage,
		},
		json: { error: { costRub: 0.5 } },
	},
	{
		title: 'JSON twice, before and in a block, is found',
		response: says('{"title":"Sea"} or:\n```json\n{ "title": "Sea" }\n```'),
		parameters: asObject,
		json: { output: { title: 'Sea' }, costRub: 0.5 },
	},
	{
		title: 'so is JSON with line breaks in its texts',
		response: says('{"title":"Sea\n\n\tand land"}'),
		parameters: asObject,
		json: { output: { title: 'Sea\n\n\tand land' } },
	},
	{
		title: 'so is JSON with comments and trailing commas',
		response: says('```json\n{\n  // the book\n  "title": "Sea", // or:\n}\n```'),
		parameters: asObject,
		json: { output: { title: 'Sea' } },
	},
	{
		title: 'so is JSON after a lone bracket',
		response: says('The range is [0; 10) so: {"title":"Sea"}'),
		parameters: asObject,
		json: { output: { title: 'Sea' } },
	},
	{
		title: 'so is JSON before one',
		response: says('```json\n{"title":"Sea"}\n```\nby the template {title, price.'),
		parameters: asObject,
		json: { output: { title: 'Sea' } },
	},
	{
		title: 'JSON in thoughts is not the answer',
		response: says('<think>{"title":"Land"}?</think>{"title":"Sea"}'),
		parameters: bySchema(title),
		json: { output: { title: 'Sea' } },
	},
	{
		title: 'a schema with properties and no type asks for an object',
		response: says('[1, 2]'),
		parameters: bySchema({ properties: { title: { type: 'string' } }, required: ['title'] }),
		json: { error: { costRub: 0.5, text: '[1, 2]' } },
	},
	{
		title: 'null fits a required field that may be null',
		response: says('{"title":null}'),
		parameters: bySchema({
			type: 'object',
			properties: { title: { type: 'string', nullable: true } },
			required: ['title'],
		}),
		json: { output: { title: null } },
	},
	{
		title: 'the error for JSON that is cut off has its text and its cost',
		response: chat({ content: '{"title":"Sea","tags":["a"' }, 'length'),
		parameters: asObject,
		json: { error: { code: 'json_cut_off', text: '{"title":"Sea","tags":["a"', costRub: 0.5 } },
	},
	{
		title: 'the error for a response without JSON has its reasoning',
		response: chat({ content: 'I cannot.', reasoning: 'The title is unknown.' }),
		parameters: asObject,
		json: { error: { text: 'I cannot.', reasoning: 'The title is unknown.', costRub: 0.5 } },
	},
	{
		title: 'a failed generation that reports its cost is not free',
		format: 'responses',
		response: {
			id: 'r1',
			status: 'failed',
			error: { code: 'server_error', message: 'x' },
			output: [],
			...paid,
		},
		json: { error: { costRub: 0.5 } },
	},
	{
		title: 'the error in a stream has the text that had come (§6.2)',
		response: [delta('Hi '), { error: { message: 'The provider died', type: 'server_error' } }],
		parameters: stream,
		json: { error: { receivedText: 'Hi ' } },
	},
];

test.each(ROWS)('$title', async ({ format = 'chat', response, parameters, json, hint }) => {
	respond(response);
	const result = await run('textGeneration', {
		resource: 'text',
		operation: 'generate',
		format,
		model: locator(TEXT_MODEL),
		prompt: 'Hello',
		...parameters,
	});
	expect(result.json).toMatchObject(json);
	expect('error' in result.json).toBe('error' in json);
	expect(result.hints.join('\n')).toMatch(hint ?? '');
	expect(result.sent).toHaveLength(1);
});
