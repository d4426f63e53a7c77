import { HumanMessage } from '@langchain/core/messages';
import nock from 'nock';

import { useNock } from '../../helpers/nock';
import { supplied } from './supplied';
import { eventOf, modelWith, streamed, streamOf, whole, type LangChainModel } from './support';

// The model's runs in n8n's log.

const go = [new HumanMessage('Hello')];
const invoke = async (lc: LangChainModel) => await lc.invoke(go);

const full = {
	prompt_tokens: 5,
	completion_tokens: 7,
	total_tokens: 12,
	cost_rub: 0.5,
	prompt_tokens_details: { cached_tokens: 2 },
	completion_tokens_details: { reasoning_tokens: 3 },
};
const wholeWith = (usage: object) =>
	JSON.stringify({ id: 'c1', choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage });
const streamWith = (usage: object) =>
	[
		eventOf({ id: 'c1', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }),
		eventOf({ id: 'c1', choices: [], usage }),
		'data: [DONE]\n\n',
	].join('');

useNock();

it.each([
	['whole', invoke, whole({ content: 'Hi', reasoning: 'A greeting' }), 'm'],
	['streamed', streamed, streamOf({ reasoning: 'A greeting' }, { content: 'H' }, { content: 'i' }), null],
])('a response that comes %s is logged once, with tokens, cost and thoughts', async (_, ask, body, model) => {
	const { lc, logged } = modelWith(body);
	await ask(lc);
	expect(logged).toStrictEqual([
		{
			response: {
				generations: [
					[
						{
							text: 'Hi',
							generationInfo: {
								finish_reason: 'stop',
								id: 'c1',
								model,
								costRub: 0.5,
								reasoning: 'A greeting',
							},
						},
					],
				],
			},
			tokenUsage: { promptTokens: 5, completionTokens: 7, totalTokens: 12, costRub: 0.5 },
		},
	]);
});

it('each call is a run of the node, with its own cost', async () => {
	nock('https://gateway.test')
		.post('/api/v1/chat/completions')
		.reply(200, wholeWith(full))
		.post('/api/v1/chat/completions')
		.reply(200, wholeWith({ ...full, cost_rub: 0.25 }));
	const { lc, logged } = await supplied();
	await lc.invoke(go);
	await lc.bindTools([]).invoke(go);
	const tokens = { promptTokens: 5, completionTokens: 7, totalTokens: 12 };
	const run = (costRub: number) => ({
		executionStatus: 'success',
		source: [{ previousNode: 'AI Agent' }],
		data: { ai_languageModel: [[{ json: { tokenUsage: { ...tokens, costRub } } }]] },
	});
	expect(logged()).toMatchObject([run(0.5), run(0.25)]);
});

it.each([
	['whole', invoke, wholeWith],
	['streamed', streamed, streamWith],
])('the cost of a response that comes %s is left out when it is unknown', async (_, ask, bodyWith) => {
	const { lc, logged } = modelWith(bodyWith({ ...full, cost_rub: null }));
	await ask(lc);
	expect(logged.map(({ tokenUsage }) => tokenUsage)).toStrictEqual([
		{ promptTokens: 5, completionTokens: 7, totalTokens: 12 },
	]);
});

it('LangChain’s message of a stream has its tokens once', async () => {
	const message = await streamed(modelWith(streamWith(full)).lc);
	expect(message.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 7, total_tokens: 12 });
	expect(message.response_metadata).toStrictEqual({
		cachedInputTokens: 2,
		finish_reason: 'stop',
		id: 'c1',
		model: null,
		costRub: 0.5,
	});
});
