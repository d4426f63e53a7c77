import { useReports } from './support';

// What was paid for arrives: a response, and the item.

const { ask, respond } = useReports();

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
const answers = (name: string, ...inputs: object[]) =>
	inputs.map((input, index) => ({ type: 'tool_use', id: `t${index}`, name, input }));
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
		title: 'a stream whose first chunk is empty has the ID, model and provider of a later one',
		response: [
			{ id: '', model: '', choices: [] },
			{ id: 'c1', model: 'm', ...delta('Hi') },
			{ id: 'c1', model: 'm', provider: 'Acme', ...finish },
			{ choices: [], usage },
		],
		parameters: stream,
		json: { text: 'Hi', id: 'c1', model: 'm', provider: 'Acme' },
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
			choices: [{ index: 0, error: { message: 'Down', code: 502, type: 'a', param: 'b' }, message: {} }],
			usage,
		},
		json: { error: { costRub: 0.5, code: '502', type: 'a', param: 'b' } },
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
		title: 'several JSON answers of Messages are all in the error',
		format: 'messages',
		response: message(answers('answer', { title: 'Sea' }, { title: 'Land' }), 'tool_use'),
		parameters: asObject,
		json: { error: { text: expect.stringMatching(/"Sea".*"Land"/s) as string } },
	},
	...Object.entries({
		'an example before it that fits the schema, and from the prompt may be another’s':
			'Input: {"title":"Free","price":0}\nAnswer: {"title":"Boots","price":"1200"}',
		'a bracket before it': 'Sorry :-{ here: {"title":"Sea"}',
	}).map(([what, text]) => ({
		title: `JSON with ${what} is an error with the text: no other value takes its place`,
		response: says(text),
		parameters: bySchema(title),
		json: { error: { code: 'not_json', text, costRub: 0.5 } },
	})),
	{
		title: 'the end of thoughts in a text is a part of the text',
		response: says('Result: {"title":"</think>"}'),
		parameters: bySchema(title),
		json: { output: { title: '</think>' } },
	},
	{
		title: 'a footnote before an object is not the JSON',
		response: says('As [1] says: {"title":"Sea"}'),
		parameters: bySchema(title),
		json: { output: { title: 'Sea' } },
	},
	{
		title: 'JSON in a block is found before a block of something else',
		response: says('```json\n{"title":"Sea"}\n```\nSave it:\n```bash\necho "{}" > a.json\n```'),
		parameters: bySchema(title),
		json: { output: { title: 'Sea' } },
	},
	{
		title: 'the error for a response without any choice has its cost',
		response: chat({}, 'stop', { choices: [] }),
		json: { error: { message: 'The model returned nothing', costRub: 0.5, mayBeCharged: true } },
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
	{
		title: 'the error in a stream has the whole text of a part that has ended',
		format: 'responses',
		response: [
			{ type: 'response.created', response: { id: 'r1', status: 'in_progress', output: [] } },
			{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
			{ type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi there' },
			{ type: 'error', error: { message: 'The provider died', type: 'server_error' } },
		],
		parameters: stream,
		json: { error: { receivedText: 'Hi there' } },
	},
];

test.each(ROWS)('$title', async ({ format = 'chat', response, parameters, json, hint }) => {
	respond(response);
	const result = await ask({ format, ...parameters });
	expect(result.json).toMatchObject(json);
	expect('error' in result.json).toBe('error' in json);
	expect(result.hints.join('\n')).toMatch(hint ?? '');
	expect(result.sent).toHaveLength(1);
});

const at = { item_id: 'm1', output_index: 0, content_index: 0 };
const part = { type: 'output_text', text: 'Hi' };
const refusal = { type: 'refusal', refusal: 'I must not' };
const cited = { ...part, annotations: [{ type: 'url_citation', url: 'https://a.test', title: 'A' }] };
const said = (...content: object[]) => ({ type: 'message', id: 'm1', role: 'assistant', content });
const call = { type: 'function_call', id: 'i1', call_id: 'f1', name: 'look', arguments: '{"a":7}' };
const thoughts = { type: 'reasoning', id: 's1', summary: [{ type: 'summary_text', text: 'Hm' }] };
const searched = {
	type: 'web_search_call',
	action: { type: 'search', sources: [{ type: 'url', url: 'https://b.test' }] },
};
const textDelta = { type: 'response.output_text.delta', ...at, delta: 'Hi' };
const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item });
const added = (item: object) => ({ type: 'response.output_item.added', output_index: 0, item });
const toolCalls = [{ id: 'f1', name: 'look', arguments: { a: 7 } }];
const refused = { text: '', refusal: 'I must not', isComplete: false };

// §6.1. The closing event has the output, or does not repeat it.
const EVENTS: Array<[content: string, events: object[], output: object[], json: object]> = [
	['a text in response.output_text.delta', [textDelta], [], { text: 'Hi' }],
	['a text whose item does not end', [added(said()), textDelta], [], { text: 'Hi' }],
	['a text in response.output_item.done', [done(said(part))], [], { text: 'Hi' }],
	['a text in response.completed', [], [said(part)], { text: 'Hi' }],
	[
		'a text in response.output_text.done',
		[{ type: 'response.output_text.done', ...at, text: 'Hi' }],
		[],
		{ text: 'Hi' },
	],
	[
		'a text in response.content_part.done',
		[{ type: 'response.content_part.done', ...at, part }],
		[],
		{ text: 'Hi' },
	],
	[
		'a text that response.content_part.done does not repeat',
		[textDelta, { type: 'response.content_part.done', ...at, part: { ...part, text: '', annotations: [] } }],
		[],
		{ text: 'Hi' },
	],
	[
		'a refusal in response.refusal.done',
		[{ type: 'response.refusal.done', ...at, refusal: 'I must not' }],
		[],
		refused,
	],
	[
		'a tool call in response.function_call_arguments.done',
		[
			added({ ...call, arguments: '' }),
			{ type: 'response.function_call_arguments.done', item_id: 'i1', output_index: 0, arguments: '{"a":7}' },
		],
		[],
		{ text: '', toolCalls },
	],
	[
		'thoughts in response.reasoning_summary_text.delta',
		[
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'H' },
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'm' },
			{ ...textDelta, output_index: 1 },
		],
		[],
		{ text: 'Hi', reasoning: 'Hm' },
	],
	[
		'thoughts in response.reasoning_summary_text.done',
		[
			{ type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'Hm' },
			{ ...textDelta, output_index: 1 },
		],
		[],
		{ text: 'Hi', reasoning: 'Hm' },
	],
	[
		'each of several thoughts in response.reasoning_summary_text.done',
		[
			{ type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'Hm' },
			{ type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 1, text: ', well' },
			{ ...textDelta, output_index: 1 },
		],
		[],
		{ text: 'Hi', reasoning: 'Hm, well' },
	],
	[
		'a source in response.output_text.annotation.added',
		[
			textDelta,
			{
				type: 'response.output_text.annotation.added',
				...at,
				annotation: { type: 'url_citation', url: 'https://a.test' },
			},
		],
		[],
		{ text: 'Hi', sources: [{ url: 'https://a.test' }] },
	],
	['a text that an item lacks', [textDelta, done(said())], [], { text: 'Hi' }],
	['a text that response.completed lacks beside thoughts', [textDelta], [thoughts], { text: 'Hi' }],
	['a text that response.completed has without its parts', [textDelta], [said()], { text: 'Hi' }],
	[
		'a text that each event repeats',
		[
			textDelta,
			{ type: 'response.output_text.done', ...at, text: 'Hi' },
			{ type: 'response.content_part.done', ...at, part },
		],
		[],
		{ text: 'Hi' },
	],
	[
		'two messages whose items end the other way round',
		[done(said({ ...part, text: ' there' }), 1), done(said(part))],
		[],
		{ text: 'Hi there' },
	],
	[
		'a refusal in response.refusal.delta',
		[{ type: 'response.refusal.delta', ...at, delta: 'I must not' }],
		[],
		refused,
	],
	['a refusal in response.output_item.done', [done(said(refusal))], [], refused],
	['a refusal in response.completed', [], [said(refusal)], refused],
	['thoughts in response.output_item.done', [done(thoughts), textDelta], [], { text: 'Hi', reasoning: 'Hm' }],
	['thoughts in response.completed', [], [thoughts, said(part)], { text: 'Hi', reasoning: 'Hm' }],
	[
		'a tool call in response.output_item.done',
		[
			added({ ...call, arguments: '' }),
			{ type: 'response.function_call_arguments.delta', item_id: 'i1', output_index: 0, delta: '{"a":7}' },
			{ type: 'response.function_call_arguments.done', item_id: 'i1', output_index: 0, arguments: '{"a":7}' },
			done(call),
		],
		[],
		{ text: '', toolCalls },
	],
	['a tool call in response.completed', [added(call)], [call], { text: '', toolCalls }],
	['a tool call beside a text', [textDelta, done(call, 1)], [], { text: 'Hi', toolCalls }],
	[
		'the sources in response.output_item.done',
		[done(said(cited))],
		[],
		{ sources: [{ url: 'https://a.test' }] },
	],
	['the sources in response.completed', [textDelta], [said(cited)], { sources: [{ url: 'https://a.test' }] }],
	[
		'the pages of a web search',
		[textDelta],
		[searched, said(cited)],
		{ sources: [{ url: 'https://a.test' }, { url: 'https://b.test' }] },
	],
];

test.each(EVENTS)('Responses, streamed: %s arrives', async (_, events, output, json) => {
	const all = [
		{ type: 'response.created', response: { id: 'r1', status: 'in_progress', output: [] } },
		{ type: 'response.ping' },
		{ type: 'response.of_tomorrow', delta: 'no' },
		...events,
		{ type: 'response.completed', response: { id: 'r1', status: 'completed', output, ...paid } },
	];
	respond(all.map((event, sequence_number) => ({ ...event, sequence_number })));
	const result = await ask({ format: 'responses', ...stream });
	expect(result.json).toMatchObject({ ...json, costRub: 0.5 });
	expect(result.json).not.toHaveProperty('error');
	expect(result.json).not.toHaveProperty('raw');
});
