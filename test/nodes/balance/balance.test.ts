import nock from 'nock';

import { runNode } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';

const parameters = { resource: 'balance', operation: 'get' };

useNock();

const gateway = () =>
	nock('https://gateway.test/api/v1', { reqheaders: { authorization: 'Bearer sk-test' } });

describe('balance: get', () => {
	it('reads the shape with an amount, exactly', async () => {
		gateway().get('/balance').reply(200, { amount: '1234567890.123456789' });
		const { items } = await runNode({ node: 'balance', parameters });
		expect(items).toStrictEqual([
			{
				json: { amountRub: 1234567890.1234567, amount: '1234567890.123456789', currency: 'RUB' },
				pairedItem: { item: 0 },
			},
		]);
	});

	it('reads the shape by currency', async () => {
		gateway().get('/balance').reply(200, { RUB: '99.50', USD: '1.10' });
		const { items } = await runNode({ node: 'balance', parameters });
		expect(items[0]?.json).toStrictEqual({
			amountRub: 99.5,
			amount: '99.50',
			currency: 'RUB',
			amountUsd: 1.1,
		});
	});

	it('rejects an unknown shape', async () => {
		gateway()
			.get('/balance')
			.reply(200, { wallet: { total: '5' }, ok: true });
		const { error } = await runNode({ node: 'balance', parameters });
		expect(error?.message).toBe('The gateway’s response has no balance');
	});

	it('returns the body as received without Simplify', async () => {
		gateway()
			.get('/balance')
			.reply(200, { amount: '5', extra: [1] });
		const { items } = await runNode({ node: 'balance', parameters: { ...parameters, simplify: false } });
		expect(items[0]?.json).toStrictEqual({ amount: '5', extra: [1] });
	});

	it.each([
		['99.999999999999999999', 100, true],
		['100.00', 100, false],
		['100.1', '100.2', true],
		['-5', 0, true],
		['0', 0, false],
	])('reports whether %s is below %s: %s', async (amount, threshold, lowBalance) => {
		gateway().get('/balance').reply(200, { amount });
		const { items } = await runNode({
			node: 'balance',
			parameters: { ...parameters, options: { threshold: threshold as number } },
		});
		expect(items[0]?.json).toMatchObject({ amount, lowBalance });
	});

	it.each([
		[{ amount: '5', extra: [1] }, true],
		[{ RUB: '500', USD: '5' }, false],
	])('also reports for %j as received whether it is below the threshold', async (body, lowBalance) => {
		gateway().get('/balance').reply(200, body);
		const { items } = await runNode({
			node: 'balance',
			parameters: { ...parameters, simplify: false, options: { threshold: 100 } },
		});
		expect(items[0]?.json).toStrictEqual({ ...body, lowBalance });
	});

	it('rejects a threshold that is not a number, and sends nothing', async () => {
		const { error } = await runNode({
			node: 'balance',
			parameters: { ...parameters, options: { threshold: 'a lot' } },
		});
		expect(error?.message).toContain('Threshold (Rubles)');
	});
});
