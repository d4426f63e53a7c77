import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';

import { supplied } from '../nodes/chatModel/supplied';
import { locator, TEXT_MODEL, useGateway } from './support';

// Cached prompts cost less, and the usage shows their tokens.

const gateway = useGateway();
const manual = 'The manual says a lot. '.repeat(300);
const amounts = () => gateway.control.ledger().map(({ amount }) => Number(amount));

const ask = async (options: object, parameters: object = {}) => {
	const { items, error } = await gateway.generate({
		systemPrompt: manual,
		prompt: 'How warm is it?',
		options: { ...options },
		...parameters,
	});
	expect(error).toBeUndefined();
	return items[0]?.json.usage;
};

it('the second request costs less and shows the cached tokens', async () => {
	expect(await ask({ cachePrompt: true })).toMatchObject({ cachedInputTokens: 0 });
	expect(await ask({ cachePrompt: true })).toMatchObject({ cachedInputTokens: Math.ceil(manual.length / 4) });
	const [first = 0, second = 0] = amounts();
	expect(second).toBeLessThan(first / 2);
});

it('without the option both cost the same', async () => {
	await ask({});
	expect(await ask({})).toMatchObject({ cachedInputTokens: 0 });
	const [first, second] = amounts();
	expect(second).toBe(first);
});

it('a row of the messages has its own mark', async () => {
	const rows = (question: string) => ({
		inputMode: 'messages',
		messages: {
			message: [
				{ role: 'user', content: manual, cache: true },
				{ role: 'assistant', content: 'I see.' },
				{ role: 'user', content: question },
			],
		},
	});
	await ask({}, rows('How warm is it?'));
	expect(await ask({}, rows('How cold is it?'))).toMatchObject({
		cachedInputTokens: Math.ceil(manual.length / 4),
	});
});

it('the chat model caches the stable beginning of a conversation', async () => {
	const { lc, logged } = await supplied({
		baseUrl: gateway.baseUrl,
		apiKey: gateway.apiKey,
		parameters: { model: locator(TEXT_MODEL) },
		options: { cachePrompt: true },
	});
	const beginning = [new SystemMessage('Be brief'), new HumanMessage(manual)];
	await lc.invoke(beginning);
	await lc.invoke([
		...beginning,
		new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 'look', args: {} }] }),
		new ToolMessage({ tool_call_id: 'a', content: '7' }),
	]);
	const [first = 0, second = 0] = amounts();
	expect(second).toBeLessThan(first / 2);
	const infos = logged().map((run) => JSON.stringify(run));
	expect(infos[0]).not.toContain('cachedInputTokens');
	expect(infos[1]).toContain('"cachedInputTokens":1727');
});
