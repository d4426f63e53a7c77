import { FREE, image, numbered, prompts, RETRY_ON_FAIL, rubles, says, text, useStories } from './support';

// The last of many items fails, when all others are paid for.

const { gateway, execute, disturb, calm, spent } = useStories();

const TEN = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((n) => `text ${n}`);
const texts = (items: ReturnType<typeof numbered>) => items.map(({ json }) => json.text);

describe('of ten texts, the tenth is refused', () => {
	const isTenth = says('text 9');
	const refuse = () =>
		disturb(isTenth, { kind: 'error', code: 'invalid_request' }, () => gateway.charges() === 9);

	it('the error says that it is free, what the others cost, and how to get them', async () => {
		refuse();
		const { error, errorText } = await execute(text(), numbered(10));
		expect(gateway.charges()).toBe(9);
		expect(error?.httpCode).toBe('400');
		expect(error?.context?.itemIndex).toBe(9);
		expect(errorText).toMatch(FREE);
		expect(errorText).toMatch(rubles(spent()));
		expect(errorText).toContain('Retry');
		expect(errorText).not.toContain('Nothing was charged');
	});

	it('a retry pays only for the one that failed, and says what both executions cost', async () => {
		refuse();
		const failed = await execute(text(), numbered(10));
		const before = spent();
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

describe('of eight pictures, the eighth is refused', () => {
	const EIGHT = ['0', '1', '2', '3', '4', '5', '6', '7'].map((n) => `picture ${n}`);
	const INVALID = {
		kind: 'error',
		code: 'invalid_input',
		message: 'input.size: must be equal to one of the allowed values',
	} as const;
	const refuse = () => disturb(says('picture 7'), INVALID, () => gateway.charges() === 7);

	it('the error says what the other seven cost, and how to get them', async () => {
		refuse();
		const { error, errorText } = await execute(image(), prompts(...EIGHT));
		expect(gateway.charges()).toBe(7);
		expect(error?.httpCode).toBe('422');
		expect(error?.context?.itemIndex).toBe(7);
		expect(errorText).toContain("'Size'");
		expect(errorText).toMatch(FREE);
		expect(errorText).toMatch(rubles(spent()));
		expect(errorText).toContain('Retry');
		expect(errorText).not.toContain('Nothing was charged');
	});

	it('a retry pays only for the one that failed', async () => {
		refuse();
		const failed = await execute(image(), prompts(...EIGHT));
		const before = spent();
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
});
