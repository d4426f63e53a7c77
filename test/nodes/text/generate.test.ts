import nock from 'nock';

import { runNode, type RunOptions } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import chatResponse from '../../fixtures/chat/plain.json';

const MODEL = { __rl: true, mode: 'id', value: 'acme/writer' };
const parameters = { resource: 'text', operation: 'generate', model: MODEL, prompt: 'Say hello' };

useNock();

const gateway = () => nock('https://gateway.test', { reqheaders: { authorization: 'Bearer sk-test' } });
const generate = async (extra: Partial<RunOptions> & { parameters?: object } = {}) =>
	await runNode({ node: 'textGeneration', ...extra, parameters: { ...parameters, ...extra.parameters } });

describe('text: generate, in each format', () => {
	it('chat: sends messages and returns text, usage and the cost in rubles', async () => {
		gateway()
			.post('/api/v1/chat/completions', {
				model: 'acme/writer',
				messages: [
					{ role: 'system', content: 'Be brief' },
					{ role: 'user', content: 'Say hello' },
				],
				max_tokens: 50,
				temperature: 0.2,
			})
			.reply(200, chatResponse);
		const { items } = await generate({
			parameters: { systemPrompt: 'Be brief', options: { maxTokens: 50, temperature: 0.2 } },
		});
		expect(items).toStrictEqual([
			{
				json: {
					id: 'chatcmpl-1',
					model: 'acme/writer',
					provider: 'acme',
					text: 'Hello there',
					reasoning: 'Greet back.',
					finishReason: 'stop',
					usage: {
						inputTokens: 12,
						outputTokens: 3,
						totalTokens: 15,
						cachedInputTokens: 4,
						reasoningTokens: 2,
					},
					costRub: 0.0345,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('returns the body as received without Simplify', async () => {
		gateway().post('/api/v1/chat/completions').reply(200, chatResponse);
		const { items } = await generate({ parameters: { simplify: false } });
		expect(items[0]?.json).toStrictEqual(chatResponse);
	});
});

describe('models', () => {
	test.each([
		[
			'from the list',
			{ __rl: true, mode: 'list', value: 'acme/writer', cachedResultName: 'acme/writer · 8K' },
		],
		['by ID', { __rl: true, mode: 'id', value: ' acme/writer ' }],
		['by an expression', { __rl: true, mode: 'id', value: '={{ "acme/" + "writer" }}' }],
		['as plain text', 'acme/writer'],
		['as a plain expression', '={{ "acme/writer" }}'],
	])('can be set %s', async (_, model) => {
		gateway()
			.post('/api/v1/chat/completions', {
				model: 'acme/writer',
				messages: [{ role: 'user', content: 'Say hello' }],
			})
			.reply(200, chatResponse);
		const { error } = await generate({ parameters: { model } });
		expect(error).toBeUndefined();
	});
});

it('a credential with an invalid base URL sends nothing', async () => {
	const { error } = await generate({ credential: { baseUrl: 'gateway', apiKey: 'k' } });
	expect(error?.message).toBe('The base URL in the AI Gateway credential is not a web address');
});

describe('URLs', () => {
	it('may have trailing slashes in the credential', async () => {
		gateway().post('/api/v1/chat/completions').reply(200, chatResponse);
		const { items } = await generate({
			credential: { baseUrl: ' https://gateway.test/api/v1// ', apiKey: 'sk-test' },
		});
		expect(items[0]?.json.text).toBe('Hello there');
	});

	it('are not followed in a redirect with the key', async () => {
		gateway().post('/api/v1/chat/completions').reply(307, '', { location: 'https://evil.test/steal' });
		const evil = nock('https://evil.test').post('/steal').reply(200, chatResponse);
		const { error } = await generate();
		expect(error?.message).toBe('The gateway’s address redirects elsewhere');
		expect(evil.isDone()).toBe(false);
	});
});
