import type { TextRequest } from '../../../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, fromUrl, messages } from './support';

const sent = (parts: Partial<TextRequest>) => bodyOf('chat', parts);

describe('a prompt that is cached', () => {
	const long = 'x'.repeat(4_000);
	const mark = { cache_control: { type: 'ephemeral' } };
	const marked = (text: string) => [{ type: 'text', text, ...mark }];
	const contents = (parts: Partial<TextRequest>) =>
		(sent({ cachesPrompt: true, ...parts }).messages as JsonObject[]).map(({ content }) => content);
	const system = { role: 'system' as const, text: 'Be brief' };
	const user = (text: string) => ({ role: 'user' as const, text });

	it('has a mark after the system prompt', () =>
		expect(contents({ conversation: messages(system, user('Hi')) })).toStrictEqual([
			marked('Be brief'),
			'Hi',
		]));

	it('has a mark after a long text of the user', () =>
		expect(contents({ conversation: messages(user(long)) })).toStrictEqual([marked(long)]));

	it('has a mark after the user’s last message in a conversation', () => {
		const conversation = messages(
			system,
			user('Hi'),
			{ role: 'assistant', text: 'Hello' },
			user('Look'),
			{ role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
			{ role: 'tool', callId: 'c1', text: 'seen' },
		);
		expect(contents({ conversation })).toStrictEqual([
			marked('Be brief'),
			'Hi',
			'Hello',
			marked('Look'),
			null,
			'seen',
		]);
	});

	it('has its mark on the text, not on files', () => {
		const message = { ...user(long), attachments: [fromUrl('image')] };
		expect(contents({ conversation: messages(message) })).toStrictEqual([
			[...marked(long), { type: 'image_url', image_url: { url: 'https://files.test/a' } }],
		]);
	});

	it('without the option, has only the marks of the messages', () => {
		const conversation = messages(system, { ...user('Hi'), isCachePoint: true }, user(long));
		expect(contents({ cachesPrompt: false, conversation })).toStrictEqual(['Be brief', marked('Hi'), long]);
	});
});
