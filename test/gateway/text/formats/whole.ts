import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';

/** A response of each format in which all fields that are read have a value. */
export const WHOLE = {
	chat: {
		id: 'c1',
		model: 'acme/writer',
		provider: 'Acme Cloud',
		choices: [
			{
				index: 0,
				finish_reason: 'stop',
				message: {
					role: 'assistant',
					content: 'Hello',
					reasoning: 'Hm',
					refusal: 'No',
					tool_calls: [{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
					annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } }],
					audio: { id: 'a', data: 'AAAA', transcript: 'Heard' },
					images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,BBBB' } }],
				},
			},
		],
		usage: {
			prompt_tokens: 1,
			completion_tokens: 2,
			total_tokens: 30,
			prompt_tokens_details: { cached_tokens: 4 },
			completion_tokens_details: { reasoning_tokens: 5 },
			server_tool_use: { web_search_requests: 6 },
			cost_rub: 0.5,
		},
	},
	responses: {
		id: 'r1',
		model: 'acme/writer',
		status: 'completed',
		output: [
			{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }, { text: ', well' }] },
			{ type: 'function_call', id: 'fc', call_id: 'c1', name: 'look', arguments: '{"a":1}' },
			{ type: 'web_search_call', action: { sources: [{ type: 'url', url: 'https://b.test' }] } },
			{
				type: 'message',
				role: 'assistant',
				content: [
					{
						type: 'output_text',
						text: 'Hello',
						annotations: [{ type: 'url_citation', url: 'https://a.test', title: 'A' }],
					},
					{ type: 'output_text', text: ' there', annotations: [{ url: 'https://b.test', title: 'Again' }] },
					{ type: 'refusal', refusal: 'No' },
					{ type: 'brand_new', data: 'x' },
				],
			},
			{ type: 'image_generation_call', result: 'AAAA' },
			{ type: 'custom_tool_call', call_id: 'c2', name: 'shell', input: 'ls' },
			{ type: 'brand_new', result: 'no', content: [{ text: 'no' }], summary: [{ text: 'no' }] },
		],
		usage: {
			input_tokens: 1,
			output_tokens: 2,
			total_tokens: 30,
			input_tokens_details: { cached_tokens: 4 },
			output_tokens_details: { reasoning_tokens: 5 },
			cost: { input_cost: 0.1, output_cost: 0.2, total_cost: 0.3 },
		},
	},
	messages: {
		id: 'm1',
		model: 'acme/writer',
		content: [
			{ type: 'thinking', thinking: 'Hm', text: 'no' },
			{
				type: 'text',
				text: 'Hello',
				citations: [
					{ url: 'https://a.test', title: 'A' },
					{ type: 'char_location', cited_text: 'a' },
				],
			},
			{ type: 'brand_new', text: 'no' },
			{ type: 'text', text: ' there', thinking: 'no' },
			{ type: 'tool_use', id: 't1', name: 'look', input: { a: 1 } },
		],
		stop_reason: 'tool_use',
		usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 },
	},
} satisfies Record<string, JsonObject>;
