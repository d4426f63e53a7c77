import type { INodeParameters } from 'n8n-workflow';

import { useNock } from '../../helpers/nock';
import { sentBody } from './support';

// Rows of messages: each role has its own fields.

useNock();

const rows = (...message: INodeParameters[]): INodeParameters => ({
	inputMode: 'messages',
	messages: { message },
});
const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];

describe('a role from an expression', () => {
	const file = { attachment: 'image', source: 'url', url: 'https://files.test/a.png' };
	const toolCallsJson = '[{ "id": "c1", "name": "f", "arguments": {} }]';

	it('of the assistant leaves out the file and the cache of another role', async () => {
		const body = await sentBody(
			rows(
				{ role: 'user', content: 'Hi' },
				{ role: '={{ "assistant" }}', content: 'Hello', cache: true, ...file },
			),
		);
		expect(body.messages).toStrictEqual([
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
		]);
	});

	it('of the user leaves out the tool calls of another role', async () => {
		const body = await sentBody(rows({ role: '={{ "user" }}', content: 'Hi', toolCallsJson }));
		expect(body.messages).toStrictEqual([{ role: 'user', content: 'Hi' }]);
	});

	it('needs content where the file is of another role', async () => {
		const empty = sentBody(rows({ role: '={{ "system" }}', content: '', ...file }));
		await expect(empty).rejects.toThrow("'Content' is empty");
	});
});

describe('the cache', () => {
	const conversation = [
		{ role: 'system', content: 'Be brief', cache: true },
		{ role: 'user', content: 'Hi', cache: false },
		{ role: 'assistant', content: 'Hello' },
		{ role: 'user', content: 'Go', cache: true },
	];

	it('ends after each row that says so', async () => {
		const body = await sentBody(rows(...conversation));
		expect(body.messages).toStrictEqual([
			{ role: 'system', content: marked('Be brief') },
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
			{ role: 'user', content: marked('Go') },
		]);
	});

	it('of the option ends after the instructions of a prompt', async () => {
		const prompt = { systemPrompt: 'Be brief', prompt: 'Hi' };
		expect((await sentBody({ ...prompt, options: { cachePrompt: true } })).messages).toStrictEqual([
			{ role: 'system', content: marked('Be brief') },
			{ role: 'user', content: 'Hi' },
		]);
		expect((await sentBody({ ...prompt, options: { cachePrompt: false } })).messages).toStrictEqual([
			{ role: 'system', content: 'Be brief' },
			{ role: 'user', content: 'Hi' },
		]);
	});

	it('of the option ends after the last question of a conversation', async () => {
		const body = await sentBody({
			...rows(...conversation.map(({ role, content }) => ({ role, content }))),
			options: { cachePrompt: true },
		});
		expect(body.messages).toStrictEqual([
			{ role: 'system', content: marked('Be brief') },
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
			{ role: 'user', content: marked('Go') },
		]);
	});
});
