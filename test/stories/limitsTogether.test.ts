import { multiplyDecimals } from '../../nodes/shared/gateway/util/money';
import { asObject } from '../../nodes/shared/gateway/util/json';
import { TEXT_MODEL } from '../contract/support';
import { eventually, passTime } from '../helpers/time';
import { CONTINUE } from '../helpers/values';
import { image, numbered, prompts, says, text, useStories } from './support';

// Where two rules about money meet.

const { gateway, execute, disturb, calm, spent } = useStories();

const lengths = () =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => asObject(body.json)?.max_tokens);

it('a text without *Max Tokens* is sent with both limits: each alone would let it through; the hint says that it is cut off', async () => {
	const { key } = gateway.control.createKey({ account: 'rich' });
	gateway.control.setBalance('5000', 'rich');
	const node = text({ options: { maxCostRub: 100 } });
	const items = prompts('[[long:5000]]', 'Hi');
	const execution = await execute(node, items, { minBalanceRub: 50, keyOf: () => key });
	expect(execution.hints()).toContain('cut off at 4,096 tokens');
	expect(lengths()).toStrictEqual([4096, 4096]);
	expect(gateway.control.ledger('rich')).toHaveLength(2);
});

it('*Max Cost per Execution*: a text waits for one in flight while the cost of another is unknown, and is sent when it fits', async () => {
	const options = { maxTokens: 50 };
	const dry = await execute(text({ options: { ...options, dryRun: true } }), numbered(1));
	const maximum = JSON.stringify(dry.items()[0]?.json.maxCostRub);
	// Two fit beside each other; a third one when one of them has cost less than it may.
	const maxCostRub = Number(multiplyDecimals(maximum, '2.9'));
	disturb(says('text 1'), { kind: 'cutBefore' });
	const inFlight = gateway.control.hold({ which: says('text 0') });
	const sentBefore: number[] = [];
	void eventually(() => inFlight.requests.length === 1).then(() => {
		sentBefore.push(gateway.control.requests({ method: 'POST' }).length);
		inFlight.release();
	});
	const node = text({ options: { ...options, maxCostRub } }, CONTINUE);
	const execution = await execute(node, numbered(3));
	expect(sentBefore).toStrictEqual([2]);
	const [first, lost, third] = execution.items().map(({ json }) => json);
	expect([first?.text, third?.text]).toStrictEqual(['text 0', 'text 2']);
	expect(lost?.error).toMatchObject({ mayBeCharged: true });
	expect(execution.sums).toMatchObject({ gatewayCalls: '3', gatewayCallsWithoutCost: '1' });
});

describe.each(['*Max Cost per Execution*', '*Minimum Balance*'])('%s: a text', (limit) => {
	it('goes to a cheaper fallback model where the first one does not fit', async () => {
		const { key } = gateway.control.createKey({ account: limit });
		gateway.control.setBalance('52', limit);
		const isBalance = limit === '*Minimum Balance*';
		const options = { maxTokens: 50_000, fallbackModels: ['sandbox/swift-1'] };
		const node = text({ options: { ...options, ...(isBalance ? {} : { maxCostRub: 2 }) } });
		const credential = { keyOf: () => key, ...(isBalance ? { minBalanceRub: 50 } : {}) };
		const execution = await execute(node, numbered(1), credential);
		expect(execution.items()[0]?.json).toMatchObject({ fallbackFrom: [TEXT_MODEL] });
	});

	it('is not sent to a fallback model because the balance or the prices cannot be read for a moment', async () => {
		const isBalance = limit === '*Minimum Balance*';
		gateway.control.addFault({
			match: { path: isBalance ? '/balance' : '/models' },
			action: { kind: 'error', code: 'service_unavailable' },
		});
		const options = { maxRetries: 0, fallbackModels: ['sandbox/swift-1'] };
		const node = text({ options: { ...options, ...(isBalance ? {} : { maxCostRub: 10 }) } });
		const execution = await execute(node, numbered(1), isBalance ? { minBalanceRub: 50 } : {});
		expect(execution.error).toMatchObject({ httpCode: '503' });
		expect(execution.errorText).toMatch(/Nothing was sent\.$/);
		expect(gateway.charges()).toBe(0);
	});

	it('that fits with no model says that nothing was sent', async () => {
		const isBalance = limit === '*Minimum Balance*';
		const options = { fallbackModels: ['sandbox/swift-1'] };
		const node = text({ options: { ...options, ...(isBalance ? {} : { maxCostRub: 0.01 }) } });
		const execution = await execute(node, numbered(1), isBalance ? { minBalanceRub: 1_000 } : {});
		expect(execution.errorText).toMatch(new RegExp(`Rejected before: ${TEXT_MODEL}.*Nothing was sent\\.$`));
	});
});

it('a picture whose creation was broken off, and which was made, counts once, also after a retry', async () => {
	const body = { text: '', contentType: 'text/plain' };
	disturb(says('a cat'), { kind: 'raw', status: 499, body, afterEffect: true });
	const failed = await execute(image(), prompts('a cat'));
	expect(failed.sums).toMatchObject({ gatewayCalls: '1', gatewayCallsWithoutCost: '1' });
	calm();
	const retried = await failed.retry();
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(1);
	expect(retried.sums).toStrictEqual({
		gatewayCalls: '1',
		gatewayCallsWithoutCost: '0',
		gatewayCostRub: spent(),
	});
});

it('*Minimum Balance* is that of the account that pays, also when the credential has got another key meanwhile', async () => {
	const [payer, other] = ['payer', 'other'].map((account) => gateway.control.createKey({ account }).key);
	gateway.control.setBalance('60', 'payer');
	const catalogue = gateway.control.hold({ path: '/models' });
	let key = payer;
	void (async () => {
		await eventually(() => catalogue.requests.length === 1);
		await passTime(60_000);
		key = other;
		gateway.control.setBalance('50', 'payer');
		catalogue.release();
	})();
	const node = text({ options: { maxTokens: 50 } }, CONTINUE);
	const execution = await execute(node, numbered(2), { minBalanceRub: 50, keyOf: () => key ?? '' });
	expect(execution.errors()).toMatchObject([{ param: 'minBalanceRub' }, { param: 'minBalanceRub' }]);
	expect([gateway.control.ledger('payer').length, gateway.charges()]).toStrictEqual([0, 0]);
});

it('a cost is computed with the prices of the account that has paid, also when the credential has got a key without an account', async () => {
	const inFlight = gateway.control.hold({ which: says('text 0') });
	let key = gateway.apiKey;
	void (async () => {
		await eventually(() => inFlight.requests.length === 1);
		await passTime(60_000);
		key = 'sk-unknown';
		inFlight.release();
	})();
	const execution = await execute(text({ format: 'messages' }), numbered(1), { keyOf: () => key });
	expect(execution.items()[0]?.json).toMatchObject({ costRub: Number(spent()), costIsComputed: true });
});

it('rubles count where the balance has dollars, too (§2.8)', async () => {
	gateway.control.configure({ balanceShape: 'currencies' });
	gateway.control.setBalance('53.00');
	const node = image({ options: { concurrency: 1 } });
	const execution = await execute(node, prompts('a', 'b', 'c'), { minBalanceRub: 50 });
	expect(execution.errorText).toContain("'Minimum Balance (₽)' of ₽50");
	expect(gateway.charges()).toBe(1);
});
