import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';

import { normalizeMessage } from '../../../nodes/ChatModel/content';
import { sentMessages } from './support';

// Results of tools, through n8n's SDK to the chat format.

const image = (url: string) => ({ type: 'image_url', image_url: { url } });

describe('the result of a tool', () => {
	const call = new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 't', args: {} }] });
	const resultOf = async (content: unknown) => {
		const result = new ToolMessage({ tool_call_id: 'a', content: content as ToolMessage['content'] });
		return (await sentMessages(new HumanMessage('q'), call, result))[2]?.content;
	};

	test.each<[string, unknown, string]>([
		['text', 'text', 'text'],
		[
			'texts',
			[
				{ type: 'text', text: 'a' },
				{ type: 'text', text: 'b' },
			],
			'a\nb',
		],
		['JSON', [{ type: 'json', json: { a: 1 } }], '{"type":"json","json":{"a":1}}'],
		[
			'a resource next to text',
			[
				{ type: 'resource', resource: { text: 'abc' } },
				{ type: 'text', text: 'hi' },
			],
			'{"type":"resource","resource":{"text":"abc"}}\nhi',
		],
		[
			'a picture',
			[image('https://x.test/a.png')],
			'{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}',
		],
		['nothing', '', ''],
		['empty parts', [{ type: 'text', text: '' }, { type: 'text' }], ''],
		[
			'null in an object',
			[{ type: 'json', json: { a: null, b: [null] } }],
			'{"type":"json","json":{"a":null,"b":[null]}}',
		],
	])('%s', async (_, content, expected) => expect(await resultOf(content)).toBe(expected));

	const jsonWith = (text: string) => [{ type: 'json', json: { text } }];

	test.each<[string, string]>([
		['a data URL', `data:image/png;base64,${'A'.repeat(5_000)}`],
		['base64', 'Aa0+'.repeat(250)],
		['base64url, with padding', `${'Aa0-_'.repeat(200)}==`],
		['base64 with slashes', '/'.repeat(1_000)],
	])('is sent without the bytes of files, which would be charged as text: %s', async (_, text) =>
		expect(await resultOf(jsonWith(text))).toBe('{"type":"json","json":{"text":"(a file, left out)"}}'),
	);

	test.each<[string, string]>([
		['short base64', 'A'.repeat(999)],
		['long text', 'word '.repeat(400)],
		['long text that ends in a data URL', `see: data:image/png;base64,${'A'.repeat(2_000)}`],
		['long base64 and a remark', `${'A'.repeat(2_000)} (cut)`],
	])('is sent whole when it is not a file: %s', async (_, text) =>
		expect(await resultOf(jsonWith(text))).toBe(JSON.stringify(jsonWith(text)[0])),
	);

	it('is sent whole when it is a long text', async () => {
		const long = 'A'.repeat(5_000);
		expect(await resultOf([{ type: 'text', text: long }])).toBe(long);
	});
});

it('a result of strings is joined', () =>
	expect(normalizeMessage({ tool_call_id: 'a', content: ['a', null, 5, 'b'] })).toStrictEqual({
		tool_call_id: 'a',
		content: 'a\nb',
	}));
