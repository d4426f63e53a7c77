import { compareDecimals, rubles as inRubles, multiplyDecimals } from '../../nodes/shared/gateway/util/money';
import { asObject } from '../../nodes/shared/gateway/util/json';
import type { RequestRecord } from '../../sandbox/gateway/control/types';
import { TEXT_MODEL } from '../contract/support';
import { passTime } from '../helpers/time';
import { CONTINUE, locator } from '../helpers/values';
import { b64, film, paper, picture, sound, withFiles } from '../nodes/text/files';
import { streamOf } from '../reports/support';
import type { Execution, Story, StoryNode } from './execution';
import {
	FREE,
	image,
	numbered,
	prompts,
	respondJson,
	RETRY_ON_FAIL,
	rubles,
	says,
	text,
	useStories,
} from './support';

describe('a limit on what an execution, or an account, may spend', () => {
	// *Max Cost per Execution* and *Minimum Balance* with more items than fit at a time.

	const { gateway, execute, spent, disturb, calm } = useStories();

	const isWithin = (limit: string) => (compareDecimals(spent(), limit) ?? 1) <= 0;

	/** The most that one of these texts may cost, as a dry run says. */
	async function mostOfText(): Promise<string> {
		const execution = await execute(text({ options: { dryRun: true, maxTokens: 50 } }), numbered(1));
		const [{ maxCostRub } = {}] = execution.items().map(({ json }) => json);
		return JSON.stringify(maxCostRub);
	}

	it('*Minimum Balance* whose expression gives nothing lets no paid call through, and holds nothing else back', async () => {
		const minBalanceRub = null as unknown as number;
		const { errorText } = await execute(text(), numbered(3), { minBalanceRub });
		expect(errorText).toMatch(/'Minimum Balance \(₽\)'.* is not an amount.*Nothing was sent/s);
		expect(gateway.charges()).toBe(0);
		const balance = await execute({ node: 'balance', parameters: {} }, numbered(1), { minBalanceRub });
		expect(balance.error).toBeUndefined();
	});

	it('a balance that cannot be read lets no paid call through, and the error says that nothing was sent', async () => {
		gateway.control.addFault({
			match: { path: '/balance' },
			action: { kind: 'error', code: 'invalid_api_key' },
		});
		const { key } = gateway.control.createKey({ account: 'unread' });
		const credential = { minBalanceRub: 50, keyOf: () => key };
		const { errorText } = await execute(text(), numbered(1), credential);
		expect(errorText).toMatch(
			/^The balance cannot be read for 'Minimum Balance \(₽\)': .* Nothing was sent\.$/s,
		);
		expect(gateway.control.ledger('unread')).toStrictEqual([]);
	});

	describe('twelve texts, and a limit with room for three of them at a time', () => {
		it('all are answered, within the limit', async () => {
			const limit = multiplyDecimals(await mostOfText(), '3') ?? '';
			const execution = await execute(
				text({ options: { maxTokens: 50, maxCostRub: Number(limit) } }),
				numbered(12),
			);
			expect(execution.error).toBeUndefined();
			expect(execution.items().map(({ json }) => json.text)).toStrictEqual(
				Array.from({ length: 12 }, (_, n) => `text ${n}`),
			);
			expect(gateway.charges()).toBe(12);
			expect(isWithin(limit)).toBe(true);
		});

		it('with room for less than one, none is sent, and the error says what is left', async () => {
			const most = await mostOfText();
			const limit = multiplyDecimals(most, '0.9') ?? '';
			const { errorText } = await execute(
				text({ options: { maxTokens: 50, maxCostRub: Number(limit) } }),
				numbered(12),
			);
			expect(errorText).toContain(inRubles(most));
			expect(errorText).toContain("'Max Cost per Execution (₽)'");
			expect(errorText).toContain('Nothing was sent.');
			expect(gateway.charges()).toBe(0);
		});
	});

	it('an error says what is left, and that *Max Tokens* makes a text cheaper', async () => {
		const { errorText } = await execute(text({ options: { maxCostRub: 0.01 } }), numbered(1));
		expect(errorText).toMatch(/The limit is ₽0\.01, and nothing is spent yet: .* 'Max Tokens'/);
	});

	it('pictures of ₽1.80, and a limit of ₽9: five are made, and the sixth is the error', async () => {
		const execution = await execute(image({ options: { maxCostRub: 9 } }), prompts(...'abcdefg'.split('')));
		expect(gateway.charges()).toBe(5);
		expect(spent()).toBe('9');
		expect(execution.errorText).toMatch(/may cost ₽1\.8.* spent ₽9\./s);
	});

	it('a picture that *Retry On Fail* finds again after lost responses is in the cost and in the limit once', async () => {
		gateway.control.addFault({
			match: { method: 'POST', path: '/async/media/tasks' },
			action: { kind: 'loseResponse' },
			times: 4,
		});
		const node = image({ options: { maxCostRub: 3 } }, RETRY_ON_FAIL);
		const execution = await execute(
			[node, image({ prompt: 'a dog', options: { maxCostRub: 4 } })],
			prompts('a cat'),
		);
		expect(execution.error).toBeUndefined();
		expect(gateway.charges()).toBe(2);
		expect(execution.hints()).toBe('Cost: ₽1.80 (execution so far: ₽1.80)');
	});

	it('three pictures whose creation never arrived are made by a retry, and no others beyond the limit', async () => {
		disturb(({ method }) => method === 'POST', { kind: 'cutBefore' });
		const options = { maxCostRub: 6, maxRetries: 0 };
		const failed = await execute(image({ options }), prompts(...'abcdef'.split('')));
		expect(gateway.charges()).toBe(0);
		calm();
		const retried = await failed.retry();
		expect(retried.errorText).toMatch(/Of ₽6, the execution has spent ₽5\.40/);
		expect(gateway.charges()).toBe(3);
		expect(spent()).toBe('5.4');
	});

	it('a task of *Create* that fails while *Wait* waits for it has no known cost, and counts for the limit', async () => {
		gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
		const create = image({ resource: 'task', operation: 'create' });
		const wait: StoryNode = {
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'wait', taskId: '={{ $json.taskId }}', options: {} },
			settings: CONTINUE,
		};
		const another = image({ prompt: 'a cow', options: { maxCostRub: 5 } }, CONTINUE);
		const execution = await execute([create, wait, another], prompts('a cat', 'a dog'));
		const [failed, drawn] = execution.items('Gateway 2').map(({ json }) => json);
		expect([failed?.error, drawn?.state]).toMatchObject([
			{ code: 'MODERATION', mayBeCharged: true },
			'success',
		]);
		expect(JSON.stringify(failed)).toContain('Each try gets the same task');
		expect(execution.hints('Gateway 2')).toBe('Cost: ₽0 (execution so far: ₽1.80; calls of unknown cost: 1)');
		expect(JSON.stringify(execution.items('Gateway 3'))).toContain('for calls whose cost is unknown');
		expect(execution.sums).toStrictEqual({
			gatewayCostRub: '1.8',
			gatewayCalls: '2',
			gatewayCallsWithoutCost: '1',
		});
	});

	describe('a minimum balance near which the account comes', () => {
		/** An account with this balance, whose credential has a minimum of ₽50. */
		function account(name: string, balance: string) {
			gateway.control.setBalance(balance, name);
			const { key } = gateway.control.createKey({ account: name });
			return { minBalanceRub: 50, keyOf: () => key };
		}
		const chargesOf = (name: string) => gateway.control.ledger(name).length;

		it('of 40 pictures of ₽1.80, eight at a time, so many are made that about the minimum is left', async () => {
			const items = prompts(...Array.from({ length: 40 }, (_, index) => `picture ${index}`));
			const execution = await execute(image({}, CONTINUE), items, account('one', '100'));
			const left = 100 - 1.8 * chargesOf('one');
			// The minimum may be passed by what is in flight.
			expect(left).toBeGreaterThan(50 - 8 * 1.8);
			expect(left).toBeLessThan(50 + 1.8);
			const [first] = execution.errors();
			expect(first).toMatchObject({ param: 'minBalanceRub', retryable: false });
			expect(first?.message).toContain("would leave less than the 'Minimum Balance (₽)' of ₽50");
		});

		it('one at a time, the minimum is kept', async () => {
			const node = image({ options: { concurrency: 1 } });
			const { errorText } = await execute(node, prompts('a', 'b', 'c'), account('single', '53.00'));
			expect(chargesOf('single')).toBe(1);
			expect(errorText).toContain('The account has ₽51.20.');
		});

		it('a picture whose price is not known is not made, and the error names the limit', async () => {
			const model = { id: 'aurora/canvas-1', media_type: 'image', input_schema: {} };
			const action = respondJson({ object: 'list', data: [model] });
			gateway.control.addFault({ match: { path: '*/media/models' }, action, times: 0 });
			const { errorText } = await execute(image(), prompts('a'), account('unpriced', '5000'));
			expect(errorText).toContain("is unknown, so 'Minimum Balance (₽)' cannot be kept");
			expect(chargesOf('unpriced')).toBe(0);
		});

		it('is kept also when another program has spent since', async () => {
			const credential = account('two', '65.00');
			await execute(image(), prompts('a'), credential);
			gateway.control.setBalance('51.00', 'two');
			await passTime(5_001);
			const { errorText } = await execute(image(), prompts('b'), credential);
			expect(errorText).toContain("'Minimum Balance (₽)' of ₽50");
			expect(chargesOf('two')).toBe(1);
		});

		it('a picture whose response was lost is asked for again below the minimum: it is paid for', async () => {
			const match = { method: 'POST', path: '/async/media/tasks' };
			gateway.control.addFault({ match, action: { kind: 'loseResponse' } });
			const node = image({ options: { maxRetries: 0 } }, RETRY_ON_FAIL);
			const { error } = await execute(node, prompts('a'), account('lost', '51.80'));
			expect([error, chargesOf('lost')]).toStrictEqual([undefined, 1]);
		});

		it('of five texts, the response to the third is lost: a retry keeps the others, which are as long as without it', async () => {
			const { minBalanceRub, keyOf } = account('five', '5000');
			disturb(says('text 2'), { kind: 'loseResponse' }, () => chargesOf('five') === 5);
			const failed = await execute(text(), numbered(5), { minBalanceRub, keyOf });
			expect(failed.errorText).toMatch(/may have been charged.*4 other items cost/s);
			calm();
			const retried = await failed.retry();
			expect(retried.items().map(({ json }) => json.text)).toStrictEqual(
				numbered(5).map((_, n) => `text ${n}`),
			);
			expect(chargesOf('five')).toBe(6);
			const lengths = gateway.control
				.requests({ method: 'POST' })
				.map(({ body }) => asObject(body.json)?.max_tokens);
			expect(lengths).toStrictEqual(Array.from({ length: 6 }, () => undefined));
		});

		// A response as long as the context window costs up to ₽300.
		it('a text without *Max Tokens* counts as one of 4,096, and is not cut off', async () => {
			const { error } = await execute(text(), numbered(3), account('three', '1000'));
			expect(error).toBeUndefined();
			expect(chargesOf('three')).toBe(3);
			const requests = gateway.control.requests({ method: 'POST' });
			const lengths = requests.map(({ body }) => asObject(body.json)?.max_tokens);
			expect(lengths).toStrictEqual([undefined, undefined, undefined]);
			expect(gateway.control.requests({ path: '/balance' })).toHaveLength(1);
		});
	});
});

describe('what files may cost', () => {
	// What calls with files may cost, for *Max Cost per Execution* and in a *Dry Run*.

	const { gateway, execute, spent } = useStories();

	const PRESETS = {
		image: { resource: 'image', operation: 'analyze', file: picture },
		document: { resource: 'document', operation: 'read', file: paper },
		audio: { resource: 'audio', operation: 'transcribe', file: sound },
		video: { resource: 'video', operation: 'analyze', file: film },
	} as const;
	type Kind = keyof typeof PRESETS;

	function about(kind: Kind, more: object = {}): StoryNode {
		const { resource, operation } = PRESETS[kind];
		return text({ resource, operation, prompt: 'What is it?', ...more });
	}

	/** Items that each have a file of this size. */
	async function items(kind: Kind, count = 1, kilobytes = 1) {
		const { file } = PRESETS[kind];
		const content = Buffer.alloc(kilobytes * 1_024, file.content);
		const item = async () => await withFiles({ ...file, name: 'data', content });
		return await Promise.all(Array.from({ length: count }, item));
	}

	/** The outputs of a dry run, with the most that the first item may cost. */
	async function dry(node: StoryNode, inputs: Awaited<ReturnType<typeof items>>) {
		const options = { maxTokens: 100, ...(node.parameters.options as object), dryRun: true };
		const execution = await execute({ ...node, parameters: { ...node.parameters, options } }, inputs);
		expect(execution.error).toBeUndefined();
		const outputs = execution.items().map(({ json }) => json);
		return { outputs, hints: execution.hints(), rub: Number(outputs[0]?.maxCostRub) };
	}

	describe('a picture', () => {
		it('in each of five items fits *Max Cost per Execution*, with 100 as it is added', async () => {
			const execution = await execute(
				about('image', { options: { maxCostRub: 100 } }),
				await items('image', 5),
			);
			expect(execution.error).toBeUndefined();
			expect(execution.items()).toHaveLength(5);
			expect(gateway.charges()).toBe(5);
			expect(Number(spent())).toBeLessThan(5);
		});

		it('has an estimate in a dry run, which says so, also where the context window is 1M', async () => {
			const node = about('image', { model: locator('sandbox/grand-4') });
			const { outputs, hints } = await dry(node, await items('image', 3));
			expect(outputs).toHaveLength(3);
			expect(JSON.stringify(outputs)).not.toContain(b64(picture));
			for (const { maxCostRub, isEstimate } of outputs) {
				expect(maxCostRub).toBeLessThan(200);
				expect(isEstimate).toBe(true);
			}
			expect(hints).toMatch(/3 items: about ₽\d/);
		});

		it('counts the same as an attachment, in messages as JSON, in Extra Body, and by URL', async () => {
			const inputs = await items('image', 1, 100);
			const attached = await dry(about('image'), inputs);
			const messages = (url: string) =>
				JSON.stringify([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]);
			const data = messages(`data:image/png;base64,${b64({ content: Buffer.alloc(102_400) })}`);
			for (const parameters of [
				{ inputMode: 'json', messagesJson: data },
				{ inputMode: 'json', messagesJson: messages('https://files.test/a.png') },
				{ prompt: '-', options: { extraBody: `{ "messages": ${data} }` } },
			])
				expect((await dry(text(parameters), inputs)).rub).toBeCloseTo(attached.rub, 1);
		});
	});

	it.each<Kind>(['document', 'audio', 'video'])('a longer file costs more in a dry run: %s', async (kind) => {
		const [short, long] = [await items(kind), await items(kind, 1, 500)];
		const { rub } = await dry(about(kind), long);
		expect(rub).toBeGreaterThan(2 * (await dry(about(kind), short)).rub);
	});

	const MODELS = ['sandbox/swift-1', 'sandbox/balanced-2', 'sandbox/thinker-3', 'sandbox/grand-4'];

	test.each(Object.keys(PRESETS) as Kind[])('%s: costs less than its dry run says', async (kind) => {
		for (const model of MODELS) {
			await gateway.control.reset();
			const node = about(kind, { model: locator(model), options: { maxTokens: 100 } });
			const { rub } = await dry(node, await items(kind));
			await execute(node, await items(kind));
			expect(gateway.charges()).toBe(1);
			expect(Number(spent())).toBeLessThan(rub);
		}
	});
});

describe('the last item fails when all others are paid for', () => {
	// The last of many items fails, when all others are paid for.

	const { gateway, execute, disturb, calm, spent } = useStories();

	const TEN = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((n) => `text ${n}`);
	const texts = (items: ReturnType<typeof numbered>) => items.map(({ json }) => json.text);

	/** The error names the item, says that it is free and what the others cost, and how to get those. */
	function expectOneFree({ error, errorText }: Execution, httpCode: string, itemIndex: number): void {
		expect(error).toMatchObject({ httpCode, context: { itemIndex } });
		expect(errorText).toMatch(FREE);
		expect(errorText).toMatch(rubles(spent()));
		expect(errorText).toContain('Retry');
	}

	describe('of ten texts, the tenth is refused', () => {
		const isTenth = says('text 9');
		const refuse = () =>
			disturb(isTenth, { kind: 'error', code: 'invalid_request' }, () => gateway.charges() === 9);

		it('the error says what is free and what the others cost, a retry pays only for the one that failed', async () => {
			refuse();
			const failed = await execute(text(), numbered(10));
			const before = spent();
			expect(gateway.charges()).toBe(9);
			expectOneFree(failed, '400', 9);
			calm();
			const retried = await failed.retry();
			expect(retried.error).toBeUndefined();
			expect(texts(retried.items())).toStrictEqual(TEN);
			expect(gateway.charges()).toBe(10);
			const hints = retried.hints();
			expect(hints).toMatch(/^Cost: ₽/m);
			expect(hints).toMatch(rubles(spent(9)));
			expect(hints).toMatch(rubles(before));
		});

		it('a retry pays only for the one that failed, also after both tries of *Retry On Fail*', async () => {
			refuse();
			const failed = await execute(text({}, { ...RETRY_ON_FAIL, maxTries: 2 }), numbered(10));
			expect(gateway.control.requests({ path: '/chat/completions' }).filter(isTenth)).toHaveLength(2);
			const before = spent();
			calm();
			const retried = await failed.retry();
			expect(texts(retried.items())).toStrictEqual(TEN);
			expect(gateway.charges()).toBe(10);
			expect(failed.errorText).toMatch(rubles(before));
		});
	});

	it('the results of nine texts come out at no cost when the tenth fails each time, after *On Error* is set to *Continue*', async () => {
		disturb(says('text 9'), { kind: 'error', code: 'invalid_request' }, () => gateway.charges() === 9);
		const failed = await execute(text(), numbered(10));
		expect((await failed.retry()).error?.context?.itemIndex).toBe(9);
		const retried = await failed.retry({}, CONTINUE);
		expect(texts(retried.items())).toStrictEqual([...TEN.slice(0, 9), undefined]);
		expect(retried.errors()).toHaveLength(1);
		expect(failed.errorText).toContain("set 'On Error' to 'Continue' first");
		expect(gateway.charges()).toBe(9);
	});

	test.each([
		['insufficient_quota', 'other items cost'],
		['no_providers', 'other items cost'],
		['invalid_request', 'for all items if you edit the request'],
	] as const)('after %s, no advice pays for the other nine again without saying so', async (code, words) => {
		disturb(says('text 9'), { kind: 'error', code }, () => gateway.charges() === 9);
		const { errorText } = await execute(text(), numbered(10));
		expect(errorText).toContain(words);
		expect(errorText).not.toMatch(/(run|execute) the workflow again/i);
	});

	it('a retry shows the hints of the texts that it takes: cut off, and by a fallback model', async () => {
		const options = { maxTokens: 3, maxRetries: 0, fallbackModels: ['sandbox/swift-1'] };
		disturb(says('text 0'), { kind: 'error', code: 'invalid_request' }, () => gateway.charges() === 2);
		gateway.control.addFault({
			match: { model: TEXT_MODEL },
			action: { kind: 'error', code: 'no_providers' },
			times: 0,
		});
		const long = 'Write a long story';
		const failed = await execute(text({ options }), prompts('[[say:ok]] text 0', long, long));
		expect(failed.error?.context?.itemIndex).toBe(0);
		calm();
		const retried = await failed.retry();
		const models = retried.items().map(({ json }) => json.fallbackFrom);
		expect(models).toStrictEqual([undefined, [TEXT_MODEL], [TEXT_MODEL]]);
		expect(retried.hints()).toMatch(/A fallback model answered\. \(2 items\)/);
		expect(retried.hints().match(/cut off at 3 tokens/g)).toHaveLength(1);
	});

	it.each<[string, StoryNode, string]>([
		['texts', text({ options: { concurrency: 1 } }), '/chat/completions'],
		['pictures', image({ options: { concurrency: 1 } }), '/media/tasks'],
	])(
		'*Dry Run* in a retry keeps %s that are paid for: a retry without it pays for the rest',
		async (_, node, path) => {
			disturb(
				({ path: asked, method }) => method === 'POST' && asked.endsWith(path) && gateway.charges() === 3,
				{ kind: 'error', code: 'insufficient_quota' },
			);
			const failed = await execute(node, numbered(5));
			expect(gateway.charges()).toBe(3);
			calm();
			const dry = await failed.retry({ options: { concurrency: 1, dryRun: true } });
			expect(dry.errorText).toMatch(
				/'Dry Run' cannot be used in a retry after items were paid for.*The execution before paid for 3 other items/s,
			);
			expect(gateway.charges()).toBe(3);
			const retried = await dry.retry({ options: { concurrency: 1 } });
			expect(retried.items()).toHaveLength(5);
			expect(retried.items().map(({ json }) => json.dryRun)).not.toContain(true);
			expect(gateway.charges()).toBe(5);
		},
	);

	it('*Dry Run* by an expression prices those items, and sends the others', async () => {
		const options = { dryRun: "={{ $json.prompt.includes('text 1') }}", maxTokens: 50, concurrency: 1 };
		const execution = await execute(text({ options }), numbered(3));
		expect(execution.items().map(({ json }) => json.text ?? json.dryRun)).toStrictEqual([
			'text 0',
			true,
			'text 2',
		]);
		expect(gateway.charges()).toBe(2);
	});

	it('a node that always is a dry run is one in a retry, too, if it has paid for nothing', async () => {
		disturb(says('text 1'), { kind: 'error', code: 'invalid_request' });
		const nodes: Story['nodes'] = [
			text({ options: { concurrency: 1 } }),
			image({ prompt: 'a', options: { dryRun: true } }),
		];
		const failed = await execute(nodes, numbered(2));
		expect(failed.error?.context?.itemIndex).toBe(1);
		calm();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(retried.items('Gateway 2').map(({ json }) => json.dryRun)).toStrictEqual([true, true]);
		expect(gateway.charges()).toBe(2);
	});

	it('a retry without *Dry Run*, after a dry run has failed, creates all pictures', async () => {
		const options = { concurrency: 1, maxPriceRub: "={{ $json.prompt.includes('text 2') ? 0.01 : 100 }}" };
		const dry = await execute(image({ options: { ...options, dryRun: true } }), numbered(3));
		expect(dry.errorText).toContain("more than 'Max Price (₽)'");
		expect(gateway.charges()).toBe(0);
		const sent = await dry.retry({ options: { concurrency: 1 } });
		expect(sent.items().map(({ json }) => json.state)).toStrictEqual(['success', 'success', 'success']);
		expect(gateway.charges()).toBe(3);
	});

	it('of three texts, none of which is JSON, the error says that the others failed, too', async () => {
		const { errorText } = await execute(text({ outputFormat: 'jsonObject' }), numbered(3));
		expect(gateway.charges()).toBe(3);
		expect(errorText).toMatch(/2 other items cost ₽.* 2 of them failed, too: a retry pays for them again\./);
		expect(errorText).not.toContain('their results');
	});

	it('a retry with *Fallback Models*, after the model of the tenth text was not available, pays only for that', async () => {
		const isTenth = ({ body }: RequestRecord) =>
			JSON.stringify(body.json).includes('text 9') && body.model === TEXT_MODEL;
		disturb(isTenth, { kind: 'error', code: 'no_providers' }, () => gateway.charges() === 9);
		const failed = await execute(text(), numbered(10));
		expect(failed.errorText).toContain('9 other items cost');
		const retried = await failed.retry({ options: { fallbackModels: ['sandbox/swift-1'] } });
		expect(texts(retried.items())).toStrictEqual(TEN);
		expect(retried.items()[9]?.json.fallbackFrom).toStrictEqual([TEXT_MODEL]);
		expect(gateway.charges()).toBe(10);
	});

	it('of eight pictures, the eighth is refused: the error says what the others cost, a retry pays only for that', async () => {
		const EIGHT = Array.from({ length: 8 }, (_, n) => `picture ${n}`);
		const message = 'input.size: must be equal to one of the allowed values';
		const invalid = { kind: 'error', code: 'invalid_input', message } as const;
		disturb(says('picture 7'), invalid, () => gateway.charges() === 7);
		const failed = await execute(image(), prompts(...EIGHT));
		const before = spent();
		expect(gateway.charges()).toBe(7);
		expectOneFree(failed, '422', 7);
		expect(failed.errorText).toContain("'Size'");
		calm();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(8);
		const ids = new Map(gateway.control.tasks().map(({ input, taskId }) => [input.prompt, taskId]));
		expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(
			EIGHT.map((prompt) => ids.get(prompt)),
		);
		expect(retried.items().every(({ binary }) => binary?.data)).toBe(true);
		expect(retried.hints()).toMatch(rubles(spent(7)));
		expect(retried.hints()).toMatch(rubles(before));
	});

	it('a retry that creates what the first execution had tried in vain says which of the two paid for what', async () => {
		const closed = { kind: 'raw', status: 499, body: 'empty' } as const;
		disturb(
			(request) => says('picture 0')(request) || says('picture 2')(request),
			closed,
			() => gateway.charges() === 1,
		);
		const failed = await execute(image(), prompts('picture 0', 'picture 1', 'picture 2'));
		expect(failed.errorText).toContain('may have been charged');
		const refused = { kind: 'error', code: 'invalid_input', message: 'no' } as const;
		disturb(says('picture 2'), refused, () => gateway.charges() === 2);
		const { errorText } = await failed.retry();
		expect(errorText).toContain('1 other item cost ₽1.80.');
		expect(errorText).toContain('The execution before paid for 1 other item.');
	});
});

describe('the tokens of an execution', () => {
	const { gateway, execute } = useStories();
	const read = text({ prompt: "={{ JSON.stringify($('Gateway').context.gateway) }}" });

	/** What an expression behind the node reads. */
	function totals(): Record<string, unknown> | undefined {
		const sent = gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body));
		const [json = ''] = sent.flatMap((body) => /\{\\"costRub.*?\}/.exec(body)?.[0] ?? []);
		return asObject(JSON.parse(json.replaceAll('\\"', '"')));
	}

	it.each([
		['chat', false],
		['chat', true],
		['responses', false],
		['messages', true],
	])('stand beside its cost: %s, streamed %s', async (format, stream) => {
		const node = text({ format, options: { stream } });
		const execution = await execute(
			[node, read],
			[...numbered(2), ...prompts('a longer prompt than the others')],
		);
		const usages = execution.items().map(({ json }) => json.usage as Record<string, number>);
		const sum = (name: string) => usages.reduce((total, usage) => total + (usage[name] ?? NaN), 0);
		expect(totals()).toMatchObject({
			calls: 3,
			inputTokens: sum('inputTokens'),
			outputTokens: sum('outputTokens'),
		});
		expect(sum('inputTokens')).toBeGreaterThan(3);
	});

	it('are those of a stream that breaks after it has told them, too', async () => {
		const message = { id: 'm1', type: 'message', role: 'assistant', model: TEXT_MODEL, content: [] };
		const events = [
			{ type: 'message_start', message: { ...message, usage: { input_tokens: 1_000, output_tokens: 1 } } },
			{ type: 'message_delta', delta: {}, usage: { output_tokens: 200 } },
		];
		const body = { text: streamOf(events), contentType: 'text/event-stream' };
		const action = { kind: 'raw', status: 200, body } as const;
		gateway.control.addFault({ match: { path: '/messages' }, action });
		await execute([text({ format: 'messages', options: { stream: true } }, CONTINUE), read], numbered(1));
		expect(totals()).toMatchObject({ calls: 1, inputTokens: 1_000, outputTokens: 200 });
	});
});
