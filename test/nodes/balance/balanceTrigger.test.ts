import nock from 'nock';
import type { INodeExecutionData, INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import { BalanceTrigger } from '../../../nodes/BalanceTrigger/BalanceTrigger.node';
import { pollContext } from '../../helpers/contexts';
import { useNock } from '../../helpers/nock';

useNock();

/** Polls once; `store` is the workflow's static data. */
async function poll(
	parameters: INodeParameters,
	body: object | string,
	{ mode = 'trigger', store = {} }: { mode?: WorkflowExecuteMode; store?: object } = {},
): Promise<INodeExecutionData[][] | null> {
	nock('https://gateway.test', { reqheaders: { authorization: 'Bearer sk-test' } })
		.get('/api/v1/balance')
		.reply(200, body);
	return await new BalanceTrigger().poll.call(
		pollContext({ node: 'balanceTrigger', parameters, mode, store }),
	);
}

describe('balance trigger', () => {
	it('starts the workflow with the balance, and stores that it has fired', async () => {
		const store = {};
		const output = await poll({ fireOn: 'below', threshold: 100 }, { RUB: '99.90', USD: '1.2' }, { store });
		const json = {
			amountRub: 99.9,
			amount: '99.90',
			currency: 'RUB',
			amountUsd: 1.2,
			lowBalance: true,
			threshold: '100',
		};
		expect(output).toStrictEqual([[{ json }]]);
		expect(await poll({ fireOn: 'below', threshold: 100 }, { amount: '50' }, { store })).toBeNull();
	});

	it('stores that the balance has risen, and starts nothing', async () => {
		const store = { lowSince: '100' };
		expect(await poll({ fireOn: 'below', threshold: 100 }, { amount: '100' }, { store })).toStrictEqual([[]]);
		expect(store).toStrictEqual({});
		expect(await poll({ fireOn: 'below', threshold: 100 }, { amount: '100' }, { store })).toBeNull();
	});

	it('reports a change with the previous balance', async () => {
		const store = {};
		expect(await poll({ fireOn: 'change' }, { amount: '10.50' }, { store })).toBeNull();
		expect(await poll({ fireOn: 'change' }, { amount: '7' }, { store })).toStrictEqual([
			[{ json: { amountRub: 7, amount: '7', currency: 'RUB', previousAmount: '10.50', change: '-3.50' } }],
		]);
	});

	it('returns the current balance in the editor, and stores nothing', async () => {
		const store = {};
		const output = await poll(
			{ fireOn: 'below', threshold: 100 },
			{ amount: '5000' },
			{ mode: 'manual', store },
		);
		expect(output).toStrictEqual([[{ json: { amountRub: 5000, amount: '5000', currency: 'RUB' } }]]);
		expect(store).toStrictEqual({});
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a threshold that is not a number',
			{ fireOn: 'below', threshold: 'a lot' },
			/'Threshold \(Rubles\)' has a value that is not allowed: "a lot"/,
		],
		[
			'an empty threshold',
			{ fireOn: 'below', threshold: '' },
			/'Threshold \(Rubles\)' has a value that is not allowed: ""/,
		],
		[
			'a negative margin',
			{ fireOn: 'below', threshold: 1, options: { margin: -1 } },
			/The option 'Margin \(Rubles\)' has a value that is not allowed: -1/,
		],
		['an unknown event', { fireOn: 'never', threshold: 1 }, /"never"/],
	])('rejects %s before it polls', async (_, parameters, message) => {
		await expect(poll(parameters, { amount: '1' })).rejects.toThrow(message);
		expect(nock.pendingMocks()).toHaveLength(1);
	});

	it.each<[string, object | string]>([
		['a balance of an unknown shape', { wallet: 5 }],
		['a web page in place of a balance', '<html>'],
	])('neither fires nor changes its state for %s', async (_, body) => {
		const store = { lowSince: '100' };
		await expect(poll({ fireOn: 'below', threshold: 100 }, body, { store })).rejects.toMatchObject({
			name: 'NodeApiError',
			description: expect.any(String) as string,
		});
		expect(store).toStrictEqual({ lowSince: '100' });
	});
});
