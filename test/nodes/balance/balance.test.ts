import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { runNode } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';

const parameters = { resource: 'balance', operation: 'get' };

useNock();

const gateway = () =>
	nock('https://gateway.test/api/v1', { reqheaders: { authorization: 'Bearer sk-test' } });

/** The output for a body of the gateway, or the error. */
async function balanceOf(body: object, more: INodeParameters = {}) {
	gateway().get('/balance').reply(200, body);
	const { items, error } = await runNode({ node: 'balance', parameters: { ...parameters, ...more } });
	return error?.message ?? items;
}

describe('balance: get', () => {
	it.each<[object, object]>([
		[
			{ amount: '1234567890.123456789' },
			{ amountRub: 1234567890.1234567, amount: '1234567890.123456789', currency: 'RUB' },
		],
		[
			{ RUB: '99.50', USD: '1.10' },
			{ amountRub: 99.5, amount: '99.50', currency: 'RUB', amountUsd: 1.1 },
		],
	])('reads both shapes, exactly: %j', async (body, json) => {
		expect(await balanceOf(body)).toStrictEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it.each([
		['99.999999999999999999', 100, true],
		['100.00', 100, false],
		['100.1', '100.2', true],
		['-5', 0, true],
		['0', 0, false],
	])('reports whether %s is below %s: %s', async (amount, threshold, lowBalance) => {
		const options = { threshold: threshold as number };
		expect(await balanceOf({ amount }, { options })).toMatchObject([{ json: { amount, lowBalance } }]);
	});

	it.each<[object, INodeParameters, object]>([
		[{ amount: '5', extra: [1] }, {}, {}],
		[{ amount: '5', extra: [1] }, { options: { threshold: 100 } }, { lowBalance: true }],
		[{ RUB: '500', USD: '5' }, { options: { threshold: 100 } }, { lowBalance: false }],
	])('returns %j as received without Simplify, with %j', async (body, options, more) => {
		const items = await balanceOf(body, { simplify: false, ...options });
		expect(items).toStrictEqual([{ json: { ...body, ...more }, pairedItem: { item: 0 } }]);
	});

	it('rejects a threshold that is not a number, and sends nothing', async () => {
		const { error } = await runNode({
			node: 'balance',
			parameters: { ...parameters, options: { threshold: 'a lot' } },
		});
		expect(error?.message).toContain('Threshold (₽)');
	});
});
