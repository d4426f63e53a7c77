import type { INodeParameters, IRun } from 'n8n-workflow';

import { addToTotal, compareDecimals, multiplyDecimals } from '../../nodes/shared/gateway/util/money';
import type { ErrorCode } from '../../sandbox/gateway/errors';
import { TEXT_MODEL } from '../contract/support';
import { eventually } from '../helpers/time';
import { FORMATS, form, locator } from '../helpers/values';
import { type AgentStory, retryAgent, runAgent } from './agentWorkflow';
import type { StoryNode } from './execution';
import { image, says, text, useStories } from './support';

// An AI Agent with *Gateway Chat Model*, which makes pictures with *Gateway Media Task* as its tool.

const { gateway, disturb, calm, spent } = useStories();

const DRAW = 'Generate an image';
const SAME = 'This is the same task as before. To get another result, change the input.';
const [CAT, BOAT] = ['Draw a grey cat', 'Draw a red boat at sea'];
/** To describe it, the model calls the tool a second time. */
const TWICE = `${CAT} [[rounds:2]]`;

const draw = (options: INodeParameters = {}) =>
	image({ prompt: "={{ $fromAI('prompt', 'What the image shows', 'string') }}", options });

/** An agent whose model has these parameters and options. */
const agent = (
	asks: string[],
	more: Partial<Record<'parameters' | 'options' | 'draw', INodeParameters>> = {},
) => ({
	asks,
	model: { model: locator(TEXT_MODEL), ...more.parameters, options: more.options ?? {} },
	tools: { [DRAW]: draw(more.draw) } as Record<string, StoryNode>,
});

/** What its users and the owner of the workflow see. */
function seen({ data: { resultData } }: IRun) {
	const items = resultData.runData.Agent?.at(-1)?.data?.main?.[0] ?? [];
	return {
		error: resultData.error?.message,
		sums: resultData.metadata,
		answers: items.map(({ json }) => json.output as string),
		/** What the model reads of its tools, by item. */
		results: items.map(({ json }) => json.results as string[]),
	};
}

async function run(story: AgentStory) {
	const { baseUrl, apiKey } = gateway;
	return await runAgent(story, { baseUrl, apiKey });
}

const kinds = () => gateway.control.ledger().map(({ kind }) => kind);
const creations = () => gateway.control.requests({ method: 'POST', path: '/async/media/tasks' }).length;
const urls = () => gateway.control.tasks().map(({ resultUrls: [url = 'no picture'] }) => url);
/** What the execution has cost: all that was charged. */
const sums = (calls: number, cost = spent()) => ({
	gatewayCostRub: cost,
	gatewayCalls: String(calls),
	gatewayCallsWithoutCost: '0',
});

test.each(FORMATS)(
	'%s: users get the links of their pictures, and the sums have model and tool',
	async (format) => {
		const { error, answers, ...rest } = seen(await run(agent([CAT, BOAT], { parameters: { format } })));
		expect(error).toBeUndefined();
		const tasks = gateway.control.tasks().map(({ input }) => input.prompt);
		expect(tasks).toStrictEqual([CAT, BOAT]);
		expect(answers.map((answer) => urls().map((url) => answer.includes(url)))).toStrictEqual([
			[true, false],
			[false, true],
		]);
		expect(kinds()).toStrictEqual(['text', 'media', 'text', 'text', 'media', 'text']);
		expect(rest.sums).toStrictEqual(sums(6));
	},
);

test.each<[string, string[], object[]]>([
	['twice for one user', [TWICE], [[{}, { note: SAME }]]],
	['for the next user', [CAT, CAT], [[{}], [{ note: SAME }]]],
])(
	'a model that calls the tool with the same words %s gets the same picture, and reads so',
	async (_, asks, notes) => {
		const { error, answers, results } = seen(await run(agent(asks)));
		expect(error).toBeUndefined();
		const [task] = gateway.control.tasks();
		const { taskId, model, createTime = 0, resultUrls } = task ?? {};
		const picture = {
			taskId,
			state: 'success',
			priceRub: 1.8,
			model,
			createdAt: new Date(createTime).toISOString(),
			resultUrls,
		};
		expect(results.map((texts) => texts.map((text) => JSON.parse(text) as unknown))).toStrictEqual(
			notes.map((ofItem) => (ofItem as object[]).map((note) => [{ ...picture, ...note }])),
		);
		for (const answer of answers) expect(answer).toContain(urls()[0]);
		expect(kinds().filter((kind) => kind === 'media')).toHaveLength(1);
	},
);

test.each([
	['being created', 'POST'],
	['running', 'GET'],
])(
	'the model of a user who asks for the same picture while its task is %s reads so, too',
	async (_, method) => {
		const media = ({ path }: { path: string }) => path.includes('/async/media/tasks');
		const first = gateway.control.hold({ method, which: media });
		const later = gateway.control.hold({ which: says('[[rounds:1]]') });
		void eventually(() => first.requests.length === 1).then(async () => {
			later.release();
			// Until the later one waits for the first, or polls the same task.
			await eventually(() => true);
			first.release();
		});
		const { results } = seen(await run({ ...agent([CAT, `${CAT} [[rounds:1]]`]), batchSize: 2 }));
		expect(results.flat().map((text) => text.includes(SAME))).toStrictEqual([false, true]);
		expect(kinds().filter((kind) => kind === 'media')).toHaveLength(1);
		expect(creations()).toBe(1);
	},
);

test('of two equal calls at once, one is refused and the response to the other is lost: the next call gets its picture', async () => {
	const match = { method: 'POST', path: '/async/media/tasks' };
	gateway.control.addFault({ match, action: { kind: 'error', code: 'insufficient_quota' } });
	gateway.control.addFault({ match, action: { kind: 'loseResponse' } });
	const lost = gateway.control.hold({ ...match, which: () => creations() > 1 });
	const refused = gateway.control.hold({ which: says('was not charged') });
	void eventually(() => refused.requests.length > 0 && lost.requests.length > 0).then(lost.release);
	const unknown = gateway.control.hold({ which: says('may have been created') });
	void eventually(() => unknown.requests.length > 0).then(() => {
		unknown.release();
		refused.release();
	});
	const { results } = seen(await run({ ...agent([TWICE, CAT], { draw: { maxRetries: 0 } }), batchSize: 2 }));
	expect(results[0]?.at(-1)).toContain(urls()[0]);
	expect([urls().length, kinds().filter((kind) => kind === 'media').length]).toStrictEqual([1, 1]);
});

test.each<[number, string[], number[], string | undefined]>([
	[1.5, ['text', 'text', 'text', 'text'], [0, 0], undefined],
	[
		2.6,
		['text', 'media'],
		[],
		"The call may cost ₽0.8016, more than is left of 'Max Cost per Execution (₽)'",
	],
	[3.7, ['text', 'media', 'text', 'text', 'text'], [1, 0], undefined],
	[6, ['text', 'media', 'text', 'text', 'media', 'text'], [1, 1], undefined],
])(
	'*Max Cost per Execution* of ₽%d at model and tool holds for both together',
	async (maxCostRub, charged, pictures, message) => {
		const limited = { options: { maxCostRub, maxTokens: 200 }, draw: { maxCostRub } };
		const { error, answers, ...rest } = seen(await run(agent([CAT, BOAT], limited)));
		expect([error, kinds()]).toStrictEqual([message, charged]);
		expect(compareDecimals(spent(), String(maxCostRub))).toBe(-1);
		expect(answers.map((answer) => urls().filter((url) => answer.includes(url)).length)).toStrictEqual(
			pictures,
		);
		for (const [item, count] of pictures.entries())
			expect(answers[item]?.includes("more than is left of 'Max Cost per Execution (₽)'")).toBe(count === 0);
		expect(rest.sums).toStrictEqual(sums(charged.length));
	},
);

test('what a user asks is paid for with the API key of their item', async () => {
	const users = ['one', 'two'];
	const keys = users.map((account) => gateway.control.createKey({ account }).key);
	const keyOf = (_: object, index: number) => keys[index] ?? '';
	expect(seen(await run({ ...agent(['Hi', 'Hi']), keyOf })).error).toBeUndefined();
	expect(gateway.control.ledger().map(({ account }) => account)).toStrictEqual(users);
});

describe('a picture that cannot be made', () => {
	const CREATIONS = { method: 'POST', path: '/async/media/tasks' };
	const failTask = () =>
		gateway.control.configure({ taskFailure: { code: 'NSFW', message: 'Not this one', times: 1 } });
	const refuse = (code: ErrorCode) => () =>
		gateway.control.addFault({ match: CREATIONS, action: { kind: 'error', code } });

	test.each<[string, () => unknown, RegExp, number]>([
		['its task fails', failTask, /^The media task failed.*Not this one/s, 2],
		['the gateway refuses it', refuse('invalid_input'), /^Invalid input.*not charged/s, 1],
		['the balance is too low', refuse('insufficient_quota'), /^There is not enough money.*not charged/s, 1],
	])(
		'because %s: the model reads why, the agent goes on, and the next one is made',
		async (_, disturbNext, words, paid) => {
			disturbNext();
			const { error, answers, results, ...rest } = seen(await run(agent([CAT, BOAT])));
			expect(error).toBeUndefined();
			const [[failure = ''] = []] = results;
			const [{ error: text } = {}] = JSON.parse(failure) as Array<{ error?: string }>;
			expect(text).toMatch(words);
			expect(answers[0]).not.toContain('/files/');
			expect(answers[1]).toContain(urls().at(-1));
			expect(kinds().filter((kind) => kind === 'media')).toHaveLength(paid);
			// A failed task may have been given back.
			const unknown = String(paid - 1);
			const known = addToTotal(spent(), multiplyDecimals('1.8', unknown) ?? '', -1);
			expect(rest.sums).toStrictEqual({ ...sums(4 + paid, known), gatewayCallsWithoutCost: unknown });
		},
	);
});

test('the model fails after the picture is made: a retry pays for texts alone, and sends the same picture', async () => {
	const story = agent([CAT]);
	disturb(says('resultUrls'), { kind: 'error', code: 'invalid_request' });
	const failed = await run(story);
	expect(seen(failed).error).toBe('The gateway did not accept the request');
	calm();
	const { baseUrl, apiKey } = gateway;
	const { error, answers } = seen(await retryAgent(failed, story, { baseUrl, apiKey }));
	expect(error).toBeUndefined();
	expect(answers).toStrictEqual([expect.stringContaining(urls()[0] ?? 'no picture')]);
	expect(kinds()).toStrictEqual(['text', 'media', 'text', 'text']);
});

test('users at once get the pictures that they have asked for, also when a call is repeated', async () => {
	disturb(({ path }) => path.includes('/async/media/tasks') && creations() === 1, { kind: 'loseResponse' });
	const asks = [TWICE, BOAT, 'Draw a green frog'];
	const { error, results } = seen(await run({ ...agent(asks, { draw: { maxRetries: 0 } }), batchSize: 3 }));
	expect(error).toBeUndefined();
	const drawn = new Map(gateway.control.tasks().map(({ taskId, input }) => [taskId, input.prompt]));
	const promptsOf = (texts: string[]) =>
		texts
			.flatMap((text) => JSON.parse(text) as Array<{ taskId?: string }>)
			.map(({ taskId = '' }) => drawn.get(taskId));
	expect(results.map(promptsOf)).toStrictEqual([[undefined, CAT], [BOAT], ['Draw a green frog']]);
	expect(kinds().filter((kind) => kind === 'media')).toHaveLength(3);
});

test('two users at once, whose agent calls all its tools at once, get what each returns, and the sums have all that was paid', async () => {
	const ask = 'Draw a grey cat, and call all tools';
	const story = { ...agent([ask, ask]), batchSize: 2 };
	const prompt = '[[say:four lines]]';
	story.tools['Write a text'] = text({ prompt });
	story.tools['Get the balance'] = { node: 'balance', parameters: {} };
	const texts = gateway.control.hold({ which: says(prompt) });
	void eventually(() => texts.requests.length === 2).then(texts.release);
	const { error, results, ...rest } = seen(await run(story));
	expect(error).toBeUndefined();
	const shown = [`"resultUrls":["${urls()[0]}"]`, '"text":"four lines"', '"currency":"RUB"'];
	const placesIn = (returned: string[]) =>
		shown.map((part) => returned.findIndex((text) => text.includes(part)));
	expect(results.map((returned) => [returned.length, placesIn(returned).sort()])).toStrictEqual([
		[3, [0, 1, 2]],
		[3, [0, 1, 2]],
	]);
	// Equal pictures are one task, equal texts are not.
	expect(kinds().sort()).toStrictEqual(['media', 'text', 'text', 'text', 'text', 'text', 'text']);
	expect(rest.sums).toStrictEqual(sums(7));
});

test('each item has the options that the expressions of the model give for it', async () => {
	await run(agent(['[[say:a]]', '[[say:b]]'], { options: { maxTokens: '={{ 100 + $itemIndex }}' } }));
	const requests = gateway.control.requests({ path: '/chat/completions' });
	expect(requests.map(({ body }) => body.json)).toMatchObject([{ max_tokens: 100 }, { max_tokens: 101 }]);
});

test('a tool whose prompt nobody lets the agent fill in says so to the model, at no cost', async () => {
	const { results } = seen(await run({ ...agent([CAT]), tools: { [DRAW]: image({ prompt: '' }) } }));
	expect(results[0]?.[0]).toContain('The tool received no prompt, so nothing was generated');
	expect(results[0]?.[0]).toContain("click the sparkle button beside 'Prompt'");
	expect(kinds()).not.toContain('media');
});

test('a tool whose form has the prompt makes that picture', async () => {
	const input = form({ prompt: 'a grey cat', quality: 'draft', size: '512x512' });
	await run({ ...agent([CAT]), tools: { [DRAW]: image({ prompt: '', input }) } });
	expect(gateway.control.tasks().map((task) => task.input.prompt)).toStrictEqual(['a grey cat']);
});

test.each([
	['Max Price (₽)', 'maxPriceRub', '$fromAI'],
	// n8n has it in this spelling, too.
	['Max Cost per Execution (₽)', 'maxCostRub', '$fromai'],
])('*%s* that is left to the model is an error that it reads, at no cost', async (label, name, fromAi) => {
	const { results } = seen(
		await run(agent([CAT], { draw: { [name]: `={{ ${fromAi}('limit', '', 'number') }}` } })),
	);
	expect(results[0]?.[0]).toContain(`The model of the agent may not set '${label}'`);
	expect(results[0]?.[0]).toContain('Nothing was sent.');
	expect(kinds()).not.toContain('media');
});

test('*Max Price* of a tool may be another expression', async () => {
	const { error } = seen(await run(agent([CAT], { draw: { maxPriceRub: '={{ 1 + 1 }}' } })));
	expect(error).toBeUndefined();
	expect(kinds()).toContain('media');
});
