import { compareDecimals, multiplyDecimals, rubles } from '../../nodes/shared/gateway/util/money';
import { eventually } from '../helpers/time';
import { image, numbered, prompts, text, useStories } from './support';

// *Max Cost per Execution* and *Minimum Balance* with more items than fit at a time.

const { gateway, execute, spent } = useStories();

const isWithin = (limit: string) => (compareDecimals(spent(), limit) ?? 1) <= 0;

/** The most that one of these texts may cost, as a dry run says. */
async function mostOfText(): Promise<string> {
	const execution = await execute(text({ options: { dryRun: true, maxTokens: 50 } }), numbered(1));
	const [{ maxCostRub } = {}] = execution.items().map(({ json }) => json);
	return JSON.stringify(maxCostRub);
}

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
		expect(errorText).toContain(rubles(most));
		expect(errorText).toContain("'Max Cost per Execution (₽)'");
		expect(errorText).toContain('Nothing was sent.');
		expect(gateway.charges()).toBe(0);
	});
});

it('an error says that *Max Tokens* is not set, before what is left', async () => {
	const { errorText } = await execute(text({ options: { maxCostRub: 0.01 } }), numbered(1));
	expect(errorText).toMatch(/Without 'Max Tokens', 4,096 tokens .* Of ₽0\.01, the execution has spent ₽0\./);
});

describe('pictures of ₽1.80, and a limit of ₽9', () => {
	it('five are made, and the sixth is the error', async () => {
		const execution = await execute(image({ options: { maxCostRub: 9 } }), prompts(...'abcdefg'.split('')));
		expect(gateway.charges()).toBe(5);
		expect(spent()).toBe('9');
		expect(execution.errorText).toMatch(/may cost ₽1\.8.* spent ₽9\./s);
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

	it('what fits is sent, and the minimum is kept', async () => {
		const { errorText } = await execute(image(), prompts('a', 'b', 'c'), account('one', '53.00'));
		expect(chargesOf('one')).toBe(1);
		expect(errorText).toContain("'Minimum Balance (₽)' of ₽50");
	});

	it('also when another program has spent since', async () => {
		const credential = account('two', '65.00');
		await execute(image(), prompts('a'), credential);
		gateway.control.setBalance('51.00', 'two');
		const since = Date.now();
		await eventually(() => Date.now() - since > 1_000);
		const { errorText } = await execute(image(), prompts('b'), credential);
		expect(errorText).toContain("'Minimum Balance (₽)' of ₽50");
		expect(chargesOf('two')).toBe(1);
	});
});
