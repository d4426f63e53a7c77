import { rubles as inRubles } from '../../nodes/shared/gateway/util/money';
import type { TaskView } from '../../sandbox/gateway/control/types';
import type { FaultAction } from '../../sandbox/gateway/gateway';
import { placeholderPng } from '../../sandbox/gateway/media/render/placeholder';
import { eventually } from '../helpers/time';
import { CONTINUE, form, locator } from '../helpers/values';
import { picture, PIXEL, withFiles } from '../nodes/text/files';
import type { Story } from './execution';
import {
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

describe('n8n is killed while it waits for pictures', () => {
	// n8n is killed while it waits for pictures: it has stored the execution's start, and nothing of what the node has done.

	const { gateway, execute, executeUntilKilled } = useStories();

	const CATS = ['a grey cat', 'a red cat', 'a black cat'];
	const taskOf = (prompt: string) =>
		gateway.control.tasks().find(({ input }) => input.prompt === prompt)?.taskId;

	/** n8n is killed when three tasks have been created; later they end. */
	async function killed() {
		gateway.control.configure({ taskDuration: { image: 10_000_000 } });
		const execution = await executeUntilKilled(3, image(), prompts(...CATS));
		for (const { taskId } of gateway.control.tasks()) await gateway.control.finishTask(taskId);
		gateway.control.configure({ taskDuration: { image: 0 } });
		return execution;
	}

	it.each([1, 2])(
		'a retry returns the pictures that were begun, and pays nothing: killed %i times',
		async (times) => {
			let retried = await killed();
			for (let count = 0; count < times; count += 1) retried = await retried.retryAfterKill();
			expect(retried.error).toBeUndefined();
			expect(gateway.charges()).toBe(3);
			expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(CATS.map(taskOf));
			expect(retried.items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([
				['data'],
				['data'],
				['data'],
			]);
		},
	);

	it('a retry returns them after the editor has opened the node, and stored the unset fields of the form', async () => {
		const retried = await (
			await killed()
		).retryAfterKill(prompts(...CATS), {
			input: form({ quality: 'draft', size: '512x512', seed: null }),
		});
		expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(CATS.map(taskOf));
		expect(gateway.charges()).toBe(3);
	});

	it('another execution makes pictures of its own', async () => {
		await killed();
		const other = await execute(image(), prompts(...CATS));
		expect(other.error).toBeUndefined();
		expect(gateway.charges()).toBe(6);
	});
});

describe('pictures are made and cannot be downloaded, and the node is changed', () => {
	// Pictures have been made and cannot be downloaded. The user changes the node, and retries the execution with what is
	// saved now.

	const { gateway, execute, spent } = useStories();

	async function failedDownload() {
		gateway.control.addFault({
			match: { host: 'files' },
			action: { kind: 'raw', status: 404, body: 'html' },
			times: 0,
		});
		const failed = await execute(image({ prompt: '=a grey cat, {{ $json.prompt }}' }), prompts('one', 'two'));
		expect(failed.error?.message).toBe('The file at this link no longer exists');
		expect(gateway.charges()).toBe(2);
		gateway.control.clearFaults();
		return failed;
	}

	/** The tasks of the two items. */
	const made = (isMeant: (task: TaskView) => boolean) =>
		['one', 'two'].map((word) => {
			const found = gateway.control
				.tasks()
				.filter((task) => isMeant(task) && String(task.input.prompt).endsWith(word));
			return found.map(({ taskId }) => taskId).join();
		});
	const isFirst = ({ input, model }: TaskView) =>
		String(input.prompt).startsWith('a grey cat') && input.quality === 'draft' && model === 'aurora/canvas-1';
	const WITH_FILES = [['data'], ['data']];

	test.each<[string, object, (task: TaskView) => boolean]>([
		[
			'a corrected prompt',
			{ prompt: '=a red cat, {{ $json.prompt }}' },
			({ input }) => String(input.prompt).startsWith('a red cat'),
		],
		[
			'another quality',
			{ input: form({ quality: 'standard', size: '512x512' }) },
			({ input }) => input.quality === 'standard',
		],
		[
			'another model',
			{ model: locator('aurora/remix-1'), input: form({ mode: 'draw', size: '512x512' }) },
			({ model }) => model === 'aurora/remix-1',
		],
	])('a retry with %s makes new pictures, and returns those', async (_, parameters, isNew) => {
		const retried = await (await failedDownload()).retry(parameters);
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(4);
		expect(retried.hints()).toMatch(rubles(spent(0, 2)));
		expect(retried.hints()).toMatch(rubles(spent(2)));
		expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(made(isNew));
		expect(retried.items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual(WITH_FILES);
	});

	test('a retry without *Download Results* returns the URLs, as the error says', async () => {
		const failed = await failedDownload();
		expect(failed.errorText).toMatch(/'Get'.*'Download'.*'Download Results' off.*Task .* is paid for\./);
		expect(failed.error?.description).not.toMatch(/fetch its result/);
		const retried = await failed.retry({ downloadResults: false });
		const urls = gateway.control.tasks().map(({ resultUrls }) => resultUrls);
		expect(retried.items().map(({ json }) => json.resultUrls)).toStrictEqual(urls);
		expect(gateway.charges()).toBe(2);
	});

	test.each<[string, object]>([
		['the same', {}],
		['a longer *Max Wait*', { maxWait: 60 }],
		['a longer *Timeout*', { timeout: 600 }],
		['*Max Cost per Execution*', { maxCostRub: 100 }],
		['*Max Price*', { maxPriceRub: 100 }],
		['less *Concurrency*', { concurrency: 1 }],
	])('a retry with %s downloads the pictures that are paid for', async (_, options) => {
		const retried = await (await failedDownload()).retry({ options });
		expect(retried.error).toBeUndefined();
		expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(made(isFirst));
		expect(retried.items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual(WITH_FILES);
		expect(retried.hints()).toMatch(rubles(spent()));
		expect(gateway.charges()).toBe(2);
	});
});

describe('the next try has the key of another account', () => {
	// A credential whose API key is an expression, which gives the key of another account in the next try.

	const { gateway, execute, disturb, calm, spent } = useStories();

	const ANOTHER = /another (account|API key|credential)|(account|API key|credential) has changed/i;
	/** The requests of a try of the node: the first one, and three more. */
	const ONE_TRY = 4;

	/** Two accounts; the second one's key is read as soon as `isNext` holds. */
	function twoAccounts(isNext: () => boolean) {
		const keys = ['first', 'second'].map((account) => gateway.control.createKey({ account }).key);
		return { keyOf: () => keys[isNext() ? 1 : 0] ?? '' };
	}

	const chargesOf = (account: string) => gateway.control.ledger(account).length;
	/** How many requests for this prompt have ended. */
	const ended = (prompt: string) =>
		gateway.control
			.requests({ method: 'POST' })
			.filter((request) => says(prompt)(request) && request.endedAt !== null).length;

	/** The gateway charges two of three, and refuses the one with this prompt, once; then the key is another one. */
	function refuseOnce(prompt: string, code: 'insufficient_quota' | 'invalid_request') {
		disturb(
			(request) => says(prompt)(request) && ended(prompt) === 0,
			{ kind: 'error', code },
			() => gateway.charges() === 2,
		);
		return twoAccounts(() => ended(prompt) > 0);
	}

	describe('the response to a creation is lost, and the next try has the key of another account', () => {
		const lose = () => disturb(says('a cat'), { kind: 'loseResponse' });
		const credential = () => twoAccounts(() => ended('a cat') >= ONE_TRY);

		it('the other account pays for no second picture, and the error says why', async () => {
			lose();
			const { error, errorText } = await execute(image({}, RETRY_ON_FAIL), prompts('a cat'), credential());
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
			expect(error?.context?.itemIndex).toBe(0);
			expect(errorText).toMatch(ANOTHER);
			expect(errorText).toContain('The task may have been created and charged anyway.');
			expect(errorText).not.toContain('not charged');
		});

		it('nor in a retry of the execution, for which somebody has chosen another operation', async () => {
			lose();
			const failed = await execute(image(), prompts('a cat'), credential());
			const retried = await failed.retry({ resource: 'task', operation: 'createAndWait' });
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
			expect(retried.errorText).toMatch(ANOTHER);
		});

		it('the pictures of the other items come out, and are paid once', async () => {
			lose();
			const node = image({}, { ...RETRY_ON_FAIL, ...CONTINUE });
			const execution = await execute(node, prompts('a cat', 'a dog', 'a cow'), credential());
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([3, 0]);
			const [error] = execution.errors();
			expect(JSON.stringify(error)).toMatch(ANOTHER);
			expect(error).toMatchObject({ retryable: false, mayBeCharged: true });
			const made = gateway.control.tasks().map(({ input, taskId }) => [input.prompt, taskId]);
			const drawn = execution.items().slice(1);
			expect(drawn.map(({ json }) => json.taskId)).toStrictEqual(
				['a dog', 'a cow'].map((prompt) => new Map(made as Array<[string, string]>).get(prompt)),
			);
			expect(drawn.every(({ binary }) => binary?.data)).toBe(true);
		});
	});

	it('a creation that takes longer than the key is read is repeated with the same key', async () => {
		gateway.control.configure({ latency: { mediaCreate: 70_000 } });
		disturb((request) => says('a cat')(request) && ended('a cat') === 0, { kind: 'loseResponse' });
		const execution = await execute(
			image(),
			prompts('a cat'),
			twoAccounts(() => ended('a cat') > 0),
		);
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
		// The other account does not have the task.
		expect(execution.errorText).toContain(`Task ${gateway.control.tasks()[0]?.taskId} is paid for`);
	});

	it('a picture whose files take longer than the key is read is paid by the account whose limits count', async () => {
		gateway.control.configure({ latency: { storage: 70_000 } });
		const content = placeholderPng(0, 40, 30);
		const names = ['front', 'back'];
		const files = names.map((name) => ({ name, content, mimeType: 'image/png', fileName: `${name}.png` }));
		const node = image({
			operation: 'edit',
			model: locator('aurora/retouch-1'),
			input: form({}),
			inputFiles: {
				files: names.map((binaryPropertyName) => ({ binaryPropertyName, inputField: 'image_urls' })),
			},
			options: { maxWait: 0.5 },
		});
		const isUploaded = () => gateway.control.requests({ path: '/storage/upload' }).length > 0;
		const items = [{ ...(await withFiles(...files)), json: { prompt: 'a cat' } }];
		await execute(node, items, twoAccounts(isUploaded));
		expect(gateway.control.requests({ path: '/storage/upload' })).toHaveLength(2);
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
	});

	describe('while the node waits for a picture: it is not made again, and the error says why', () => {
		const INSTEAD = 'Choose the credential, or enter the key, that created it.';

		/** The key is another one after some seconds. */
		function changedAfter(seconds: number) {
			gateway.control.configure({ taskDuration: { image: 3_600_000 } });
			const start = Date.now();
			return twoAccounts(() => Date.now() - start > seconds * 1_000);
		}

		it('in the execution that created it', async () => {
			const execution = await execute(image(), prompts('a cat'), changedAfter(90));
			expect(execution.errorText).toMatch(ANOTHER);
			expect(execution.errorText).toContain(INSTEAD);
			expect(execution.errorText).not.toContain('new execution');
			expect(execution.errorText).toContain(`Task ${gateway.control.tasks()[0]?.taskId} is paid for`);
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
		});

		it('in a retry', async () => {
			const node = image({ options: { maxWait: 0.5 } });
			const failed = await execute(node, prompts('a cat'), changedAfter(150));
			const retried = await failed.retry({ options: { maxWait: 10 } });
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
			expect(retried.errorText).toMatch(ANOTHER);
			expect(retried.errorText).toContain(INSTEAD);
			expect(retried.errorText).toContain(`Task ${gateway.control.tasks()[0]?.taskId} is paid for`);
		});
	});

	it('a new key of the same account: its deleted picture comes back with *Restore*, as the error says', async () => {
		const keys = [1, 2].map(() => gateway.control.createKey({ account: 'first' }).key);
		let isNew = false;
		const credential = { keyOf: () => keys[isNew ? 1 : 0] ?? '' };
		disturb(says('a dog'), { kind: 'error', code: 'invalid_request' });
		const inTurn = image({ options: { concurrency: 1 } });
		const failed = await execute(inTurn, prompts('a cat', 'a dog'), credential);
		calm();
		isNew = true;
		const { taskId } = gateway.control.tasks()[0] ?? {};
		const change = async (operation: string) => {
			const node = { node: 'mediaTask' as const, parameters: { resource: 'task', operation, taskId } };
			expect((await execute(node, prompts(''), credential)).error).toBeUndefined();
		};
		await change('delete');
		const retried = await failed.retry();
		expect(retried.errorText).toMatch(/If both keys are of one account.*'Restore' brings it back/);
		expect(chargesOf('first')).toBe(1);
		await change('restore');
		const items = (await retried.retry()).items();
		expect([items[0]?.json.taskId, items.length, chargesOf('first')]).toStrictEqual([taskId, 2, 2]);
	});

	it('the next try of *Retry On Fail* does not wait for a picture of the other account, and charges nothing', async () => {
		gateway.control.configure({ taskDuration: { image: 3_600_000 } });
		const start = Date.now();
		const execution = await execute(
			image({}, RETRY_ON_FAIL),
			prompts('a cat', 'a dog', 'a cow'),
			refuseOnce('a cow', 'invalid_request'),
		);
		expect(execution.errorText).toMatch(ANOTHER);
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 0]);
		expect(Date.now() - start).toBeLessThan(120_000);
	});

	describe('the wallet is empty after two of three pictures, and somebody retries with another account', () => {
		const refuseThird = () => refuseOnce('a cow', 'insufficient_quota');

		it('nothing is charged, and the error says that the tasks need the former key', async () => {
			const inputJson = '={{ { prompt: $json.prompt, quality: "draft", size: "512x512" } }}';
			const node = image({ inputMode: 'json', inputJson });
			const failed = await execute(node, prompts('a cat', 'a dog', 'a cow'), refuseThird());
			const lookups = gateway.control.hold({ path: '/async/media/tasks/*', method: 'GET' });
			// By then, all that does not wait for them is sent.
			void eventually(() => lookups.requests.length === 2).then(lookups.release);
			const retried = await failed.retry();
			expect(retried.errorText).toMatch(ANOTHER);
			expect(retried.errorText).toContain('Choose the credential, or enter the key, that created it.');
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 0]);
		});

		it('with *On Error: Continue* it pays for the third, and has the IDs of the others', async () => {
			const failed = await execute(image(), prompts('a cow', 'a cat', 'a dog'), refuseThird());
			const retried = await failed.retry({}, CONTINUE);
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 1]);
			const [cow, ...others] = retried.items();
			expect(cow?.json.state).toBe('success');
			expect(others.map(({ json }) => json.error)).toMatchObject([
				{ paid: true, message: expect.stringMatching(ANOTHER) as string },
				{ paid: true, message: expect.stringMatching(ANOTHER) as string },
			]);
		});
	});

	describe('texts that are paid for come out, whatever the key is', () => {
		const THREE = ['text 0', 'text 1', 'text 2'];

		const refuseThird = () => refuseOnce('text 2', 'invalid_request');

		it('in the next try of *Retry On Fail*, whose hint has the cost of both tries', async () => {
			const execution = await execute(text({}, RETRY_ON_FAIL), numbered(3), refuseThird());
			expect(execution.items().map(({ json }) => json.text)).toStrictEqual(THREE);
			const sum = inRubles(spent());
			expect(execution.hints()).toContain(`Cost: ${sum} (execution so far: ${sum})`);
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 1]);
		});

		it('in a retry of the execution', async () => {
			const failed = await execute(text(), numbered(3), refuseThird());
			const retried = await failed.retry();
			expect(retried.items().map(({ json }) => json.text)).toStrictEqual(THREE);
			expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 1]);
		});
	});
});

describe('an *Idempotency Key* of the user', () => {
	// The user's own *Idempotency Key*, in a workflow that uses it more than once.

	const { gateway, execute, disturb, calm } = useStories();

	const SAME_KEY = /key.*same for two different inputs/i;
	const order = (parameters = {}) => image({ options: { idempotencyKey: 'order-7' }, ...parameters });

	describe('one key in each round of a loop', () => {
		it('is an error when the prompts differ: the second picture would be the first one', async () => {
			const execution = await execute(order(), prompts('a cat'), { rounds: [prompts('a dog')] });
			expect(execution.errorText).toMatch(SAME_KEY);
			expect(gateway.charges()).toBe(1);
			expect(gateway.control.tasks().map(({ input }) => input.prompt)).toStrictEqual(['a cat']);
		});

		it('returns the same picture in each round when only the callback URLs differ, and pays once, within a limit of its price', async () => {
			const callbackUrl = '=https://n8n.example.com/{{ $runIndex }}';
			const options = { idempotencyKey: 'order-7', callbackUrl, maxCostRub: 1.8 };
			const node = order({ resource: 'task', operation: 'createAndWait', options });
			const execution = await execute(node, prompts('a cat'), {
				rounds: [prompts('a cat'), prompts('a cat')],
			});
			expect(execution.error).toBeUndefined();
			const tasks = gateway.control.tasks().map(({ taskId }) => taskId);
			expect(tasks).toHaveLength(1);
			expect(execution.items().map(({ json }) => json.taskId)).toStrictEqual([...tasks, ...tasks, ...tasks]);
			expect(gateway.charges()).toBe(1);
		});

		it('makes as many pictures as the key has values', async () => {
			const keyed = order({ options: { idempotencyKey: '=order-{{ $json.prompt }}' } });
			const execution = await execute(keyed, prompts('a cat', 'a dog'), {
				rounds: [prompts('a cow', 'a cat')],
			});
			expect(execution.error).toBeUndefined();
			const drawn = execution.items().map(({ json }) => json.taskId);
			expect(new Set(drawn).size).toBe(3);
			expect(drawn[3]).toBe(drawn[0]);
			expect(gateway.charges()).toBe(3);
		});
	});

	// report: two items, one own key, different plans.
	describe('one key for different plans of one run is refused before anything is sent', () => {
		const sent = () => gateway.control.requests({ method: 'POST' });
		const keyed = '={{ $json.key }}';
		const rows = (...all: Array<[prompt: string, key: string]>) =>
			all.map(([prompt, key]) => ({ json: { prompt, key } }));

		it.each<[string, object]>([
			['prompts', {}],
			[
				'models',
				{ prompt: 'a cat', model: locator('={{ $itemIndex ? "aurora/canvas-2" : "aurora/canvas-1" }}') },
			],
			['fields', { prompt: 'a cat', input: form({ size: '={{ $itemIndex ? "512x512" : "1024x1024" }}' }) }],
			['prompts, with *Dry Run*', { options: { idempotencyKey: 'order-7', dryRun: true } }],
			['prompts, with a limit', { options: { idempotencyKey: 'order-7', maxCostRub: 50, concurrency: 1 } }],
			['prompts, with sleep', { waitStrategy: 'suspend' }],
			['prompts of *Create*', { resource: 'task', operation: 'create' }],
		])('%s', async (_, parameters) => {
			const execution = await execute(order(parameters), prompts('a cat', 'a dog'));
			expect(execution.errorText).toMatch(SAME_KEY);
			expect(execution.error?.context?.itemIndex).toBe(0);
			expect([sent(), gateway.charges()]).toStrictEqual([[], 0]);
		});

		it.each<[string, object, object[]]>([
			['a number and its text', { input: form({ seed: '={{ $json.s }}' }) }, [{ s: 7 }, { s: '7' }]],
			['two empty values', { input: form({ seed: '={{ $json.s }}' }) }, [{ s: '' }, { s: null }]],
			[
				'a prompt that *Input (JSON)* overrides',
				{ inputMode: 'json', inputJson: '{"prompt":"a cat"}', prompt: '={{ $json.s }}' },
				[{ s: 'a dog' }, { s: 'a cow' }],
			],
			[
				'a prompt beside *Input (JSON)* and one in it',
				{
					inputMode: 'json',
					inputJson: '={{ $itemIndex ? { prompt: "a cat" } : {} }}',
					prompt: '={{ $itemIndex ? "" : "a cat" }}',
				},
				[{ s: 1 }, { s: 2 }],
			],
		])('not %s, which are one task', async (_, parameters, given) => {
			const items = given.map((json) => ({ json: { prompt: 'a cat', ...json } }));
			const execution = await execute(order({ prompt: 'a cat', ...parameters }), items);
			expect(execution.error).toBeUndefined();
			expect([gateway.control.tasks().length, gateway.charges()]).toStrictEqual([1, 1]);
		});

		it('also uploads', async () => {
			const edit = order({
				operation: 'edit',
				model: locator('aurora/retouch-1'),
				input: form({}),
				inputFiles: { files: [{ inputField: 'image_urls' }] },
			});
			const items = ['a hat', 'a coat'].map(async (prompt) => ({
				...(await withFiles({ ...picture, name: 'data', content: PIXEL })),
				json: { prompt },
			}));
			const execution = await execute(edit, await Promise.all(items));
			expect(execution.errorText).toMatch(SAME_KEY);
			expect(sent()).toStrictEqual([]);
		});

		it('with *On Error: Continue*, all items with the key fail, and the others are made', async () => {
			const node = image({ options: { idempotencyKey: keyed } }, CONTINUE);
			const items = rows(['a cat', 'k'], ['a dog', 'k'], ['a cow', 'l'], ['a cat', 'k'], ['a cow', 'l']);
			const execution = await execute(node, items);
			const failed = execution.items().map(({ json }) => json.error);
			const error = expect.objectContaining({
				code: 'invalid_input',
				param: 'idempotencyKey',
				message: expect.stringMatching(SAME_KEY) as string,
			}) as object;
			expect(failed).toStrictEqual([error, error, undefined, error, undefined]);
			expect(gateway.control.tasks().map(({ input }) => input.prompt)).toStrictEqual(['a cow']);
		});

		it('in the calls of a tool, too', async () => {
			const node = { ...order({ prompt: '={{ $json.prompt }}' }), asTool: true };
			const execution = await execute(node, prompts('a cat', 'a dog'));
			const errors = execution.items().map(({ json }) => json.error);
			const error = expect.stringMatching(SAME_KEY) as string;
			expect([errors, sent()]).toStrictEqual([[error, error], []]);
		});

		it('a retry with a key for each item makes both', async () => {
			const failed = await execute(order(), prompts('a cat', 'a dog'));
			const retried = await failed.retry({ options: { idempotencyKey: '=order-{{ $itemIndex }}' } });
			expect(retried.error).toBeUndefined();
			expect(gateway.charges()).toBe(2);
		});

		it('items that have their task keep it in a retry, whatever their plans say then', async () => {
			const action = { kind: 'raw', status: 404, body: 'html' } as const;
			gateway.control.addFault({ match: { host: 'files' }, action, times: 0 });
			const prompt = '={{ $execution.id > 1 ? $json.prompt : "a cow" }}';
			const failed = await execute(order({ prompt }), prompts('a cat', 'a dog'));
			expect(failed.error).toBeDefined();
			calm();
			const retried = await failed.retry();
			expect(retried.error).toBeUndefined();
			expect([retried.items().length, gateway.charges()]).toStrictEqual([2, 1]);
		});
	});

	it('one key in two nodes of an execution is an error at the second: it is no video, but the picture', async () => {
		const video = order({
			resource: 'video',
			model: locator('lumen/motion-2'),
			prompt: 'waves',
			input: form({ duration: 5 }),
		});
		const execution = await execute([order(), video], prompts('a cat'));
		expect(execution.items('Gateway')).toHaveLength(1);
		expect(execution.errorText).toMatch(SAME_KEY);
		expect(gateway.charges()).toBe(1);
	});

	it('the error of its task that failed says that the key must change, too, also when it comes back', async () => {
		gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
		const failed = await execute(order(), prompts('a cat'));
		const again = await execute(order(), prompts('a dog'));
		for (const { errorText } of [failed, again])
			expect(errorText).toMatch(/The media task failed.*Change 'Idempotency Key', too/s);
		const retried = await failed.retry({ prompt: '={{ $json.prompt }}, sitting' });
		expect(retried.errorText).toContain('After you have changed the input, change the key, too.');
		expect(gateway.charges()).toBe(1);
	});

	it('a retry with a corrected prompt does not return the picture of a try whose response was lost', async () => {
		disturb(says('a cat'), { kind: 'loseResponse' });
		const lost = await execute(order(), prompts('a cat'));
		disturb(says('a cat'), { kind: 'error', code: 'invalid_request' });
		const refused = await lost.retry();
		calm();
		const retried = await refused.retry({ prompt: '={{ $json.prompt }}, sitting' });
		expect(retried.errorText).toMatch(SAME_KEY);
		expect(gateway.charges()).toBe(1);
	});

	describe('a key that is another one in the next try, after the response to a creation was lost', () => {
		const creation = { method: 'POST', path: '/async/media/tasks' };
		const keyed = (idempotencyKey: string, settings = {}) => image({ options: { idempotencyKey } }, settings);

		it('*Retry On Fail* returns the picture that is paid for', async () => {
			gateway.control.addFault({ match: creation, action: { kind: 'loseResponse' }, times: 4 });
			const execution = await execute(keyed('={{ $now.toMillis() }}', RETRY_ON_FAIL), prompts('a cat'));
			expect(execution.error).toBeUndefined();
			expect(gateway.charges()).toBe(1);
		});

		it('a retry returns it, too, also when no other one fits the limits, and its hint has the lost call', async () => {
			disturb(says('a cat'), { kind: 'loseResponse' });
			gateway.control.setBalance('53.00');
			const idempotencyKey = '=cat-{{ $execution.id }}';
			const failed = await execute(keyed(idempotencyKey), prompts('a cat'), { minBalanceRub: 50 });
			expect(failed.errorText).toContain('a retry of the execution request the same task');
			calm();
			const retried = await failed.retry({ options: { idempotencyKey, maxCostRub: 0.01 } });
			expect(retried.error).toBeUndefined();
			expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(
				gateway.control.tasks().map(({ taskId }) => taskId),
			);
			expect(retried.hints()).toContain('before this retry: ₽0 and calls of unknown cost: 1)');
			expect(gateway.charges()).toBe(1);
		});
	});

	describe('the gateway refuses the first request with a key', () => {
		beforeEach(() =>
			gateway.control.addFault({
				match: { method: 'POST' },
				action: { kind: 'error', code: 'invalid_request' },
			}),
		);

		it('the picture that the second one makes is in the cost of the execution', async () => {
			const node = image({ options: { idempotencyKey: 'order-7', maxCostRub: 100 } }, CONTINUE);
			const execution = await execute(node, prompts('a cat', 'a cat', 'a cat'), {
				rounds: [prompts('a cat')],
			});
			expect(gateway.charges()).toBe(1);
			expect(execution.hints()).toMatch(/^Cost: ₽0 \(execution so far: ₽0; calls of unknown cost: 1\)/m);
		});

		it('a retry with a corrected prompt makes its picture', async () => {
			const failed = await execute(order(), prompts('a cat'));
			expect(failed.errorText).toContain('This call was not charged');
			const retried = await failed.retry({ prompt: '={{ $json.prompt }}, sitting' });
			expect(retried.error).toBeUndefined();
			expect(gateway.control.tasks().map(({ input }) => input.prompt)).toStrictEqual(['a cat, sitting']);
		});
	});
});

describe('a workflow whose failed executions are not saved', () => {
	const { gateway, execute, disturb } = useStories();

	it.each<[string, FaultAction]>([
		['refused', { kind: 'error', code: 'invalid_request' }],
		['lost', { kind: 'loseResponse' }],
	])('gets no advice of a Retry, which n8n does not have, when an item is %s', async (_, action) => {
		disturb(says('a dog'), action);
		const inTurn = image({ options: { concurrency: 1 } });
		const workflow = { saveManualExecutions: false };
		const { errorText } = await execute(inTurn, prompts('a cat', 'a dog', 'a cow'), { workflow });
		expect(errorText).not.toMatch(/retry/i);
		expect(errorText).toContain(gateway.control.tasks()[0]?.taskId);
	});

	const OF_THIS = "use 'Retry' of this execution in the list of executions";
	const OF_SUB = "use 'Retry' in the list of executions for that of this sub-workflow, not for its parent";

	it.each<[string, Omit<Story, 'nodes' | 'items'>, advice: string]>([
		['executed by hand', { workflow: { saveDataErrorExecution: 'none' } }, OF_THIS],
		['published', { workflow: { saveManualExecutions: false }, isPublished: true }, OF_THIS],
		['a sub-workflow', { isSubWorkflow: true }, OF_SUB],
	])('gets it when it is %s, and only other executions are not saved', async (_, story, advice) => {
		disturb(says('a dog'), { kind: 'error', code: 'invalid_request' });
		const inTurn = image({ options: { concurrency: 1 } });
		const { errorText } = await execute(inTurn, prompts('a cat', 'a dog'), story);
		expect(errorText).toContain(advice);
	});
});

describe('a task that fails', () => {
	// A task fails. Within its execution, it stays the answer; a retry of the execution creates another one in its place.

	const { gateway, execute, disturb, calm } = useStories();

	const tasks = () => gateway.control.tasks();
	const failedIds = () => tasks().flatMap(({ state, taskId }) => (state === 'fail' ? [taskId] : []));

	/** Three pictures are requested; the task of one fails. */
	async function failedTask() {
		gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
		const failed = await execute(image(), prompts('a cat', 'a dog', 'a cow'));
		expect(failed.errorText).toContain('The media task failed');
		expect([gateway.charges(), failedIds().length]).toStrictEqual([3, 1]);
		return failed;
	}

	it('*Retry On Fail* creates no other task, and the error says why', async () => {
		gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
		const { errorText, sums } = await execute(image({}, RETRY_ON_FAIL), prompts('a cat'));
		expect(errorText).toMatch(
			/in this run of the node, the item keeps its task; a loop back to the node.*another/,
		);
		expect(tasks()).toHaveLength(1);
		expect(sums).toStrictEqual({ gatewayCostRub: '0', gatewayCalls: '1', gatewayCallsWithoutCost: '1' });
	});

	it('a retry pays for one more task, and returns its picture', async () => {
		const failed = await failedTask();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(4);
		const ids = retried.items().map(({ json }) => json.taskId);
		expect(new Set(ids)).toStrictEqual(
			new Set(tasks().flatMap(({ state, taskId }) => (state === 'success' ? [taskId] : []))),
		);
	});

	it('that was paid for in the execution before is no part of the cost of a retry', async () => {
		gateway.control.configure({ taskDuration: { image: 3_600_000 } });
		const options = { maxWait: 0.5 };
		const before = await execute(image({ options }), prompts('a cat'));
		for (const { taskId } of tasks())
			await gateway.control.finishTask(taskId, { failCode: 'MODERATION', failMsg: 'Not this one' });
		const retried = await before.retry({ options });
		expect(retried.errorText).toContain('The media task failed');
		expect(retried.sums).toStrictEqual({
			gatewayCostRub: '0',
			gatewayCalls: '0',
			gatewayCallsWithoutCost: '0',
		});
	});

	/** Disturbs the creations with other keys than so far. */
	function disturbNew(action: Parameters<typeof disturb>[1]) {
		const keys = tasks().map(({ idempotencyKey }) => idempotencyKey);
		disturb(
			({ group, headers }) => group === 'mediaCreate' && !keys.includes(String(headers['idempotency-key'])),
			action,
		);
	}

	it('when that task’s creation is refused, the next retry pays for it, and returns its picture', async () => {
		const failed = await failedTask();
		disturbNew({ kind: 'error', code: 'insufficient_quota' });
		const refused = await failed.retry();
		expect(refused.errorText).toContain('not enough money');
		calm();
		const retried = await refused.retry();
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(4);
	});

	it('when the response to that task’s creation is lost, the next retry returns its picture, and pays nothing', async () => {
		const failed = await failedTask();
		disturbNew({ kind: 'loseResponse' });
		const lost = await failed.retry();
		expect(lost.error?.message).toBe('The connection broke before the gateway responded');
		expect(gateway.charges()).toBe(4);
		calm();
		const retried = await lost.retry();
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(4);
		const ids = retried.items().map(({ json }) => json.taskId);
		expect(ids).toContain(tasks()[3]?.taskId);
		expect(ids).not.toContain(failedIds()[0]);
		// Whether a failed task is charged, nobody knows.
		const paid = new RegExp(`${failedIds()[0]} (is|was) paid`);
		for (const { errorText } of [failed, lost]) expect(errorText).not.toMatch(paid);
		expect(lost.errorText).not.toContain('not charged');
		expect(lost.errorText).toMatch(/may have been (created|charged)/);
	});
});

describe('a node that only looks things up', () => {
	const { gateway, execute } = useStories();

	it('a retry reads again what may have changed since', async () => {
		const answer = (id: string, status: number, state: string) =>
			gateway.control.addFault({
				match: { path: `/async/media/tasks/${id}` },
				action: respondJson({ code: status, msg: state, data: { state } }, status),
				times: 0,
			});
		answer('first', 200, 'processing');
		answer('second', 404, '');
		const parameters = { resource: 'task', operation: 'get', taskId: '={{ $json.prompt }}' };
		const failed = await execute({ node: 'mediaTask', parameters }, prompts('first', 'second'));
		expect(failed.error?.context?.itemIndex).toBe(1);
		gateway.control.clearFaults();
		answer('*', 200, 'success');
		const retried = await failed.retry();
		expect(retried.items().map(({ json }) => json.state)).toStrictEqual(['success', 'success']);
	});
});

describe('what was paid for, and what was not', () => {
	const { gateway, execute, disturb, calm } = useStories();

	it.each([{ fileName: '={{ $json.nope }}.txt' }, { fallbackModels: ['=v/{{ $json.nope }}'] }])(
		'a retry with an added option that is undefined in all items keeps the texts that are paid for: %j',
		async (options) => {
			disturb(says('two'), { kind: 'error', code: 'invalid_request' });
			const failed = await execute(text(), prompts('one', 'two'));
			expect(gateway.charges()).toBe(1);
			calm();
			const refused = await failed.retry({ options });
			expect(refused.errorText).toContain('nope');
			const retried = await refused.retry({ options: {} });
			expect(retried.items()).toHaveLength(2);
			expect(gateway.charges()).toBe(2);
		},
	);

	it('a retry returns the picture of a lost creation also at a lower *Max Price*', async () => {
		disturb(says('a cat'), { kind: 'loseResponse' });
		const failed = await execute(image({ options: { maxPriceRub: 100 } }), prompts('a cat'));
		calm();
		const retried = await failed.retry({ options: { maxPriceRub: 0.01 } });
		expect(retried.items().map(({ json }) => json.state)).toStrictEqual(['success']);
		expect(gateway.charges()).toBe(1);
	});

	const ERROR = { code: 'rate_limit_exceeded', message: 'Slow down' };
	const USAGE = { prompt_tokens: 500, completion_tokens: 0, total_tokens: 500 };

	it('a text that the gateway refuses in a stream costs nothing, whatever tokens it counts', async () => {
		const events = `data: ${JSON.stringify({ error: ERROR, usage: USAGE })}\n\n`;
		const body = { text: events, contentType: 'text/event-stream' };
		disturb(says('one'), { kind: 'raw', status: 200, body });
		const execution = await execute(
			text({ options: { stream: true, maxRetries: 0, rateLimitWait: 0, maxCostRub: 100 } }, CONTINUE),
			prompts('one'),
		);
		const [item] = execution.items();
		expect(item?.json.error).toMatchObject({ code: ERROR.code, costRub: null });
		expect(execution.hints()).not.toContain('Cost');
	});

	it('a response without output that reports a cost of 0 may be charged', async () => {
		disturb(says('one'), respondJson({ choices: [], usage: { cost_rub: 0 } }));
		const execution = await execute(text({}, CONTINUE), prompts('one'));
		const [item] = execution.items();
		expect(item?.json.error).toMatchObject({
			code: 'no_completion',
			description: expect.stringContaining('may have been charged') as string,
		});
	});
});
