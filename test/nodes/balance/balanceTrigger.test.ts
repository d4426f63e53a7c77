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
			message: 'The balance is ₽99.90, below the threshold of ₽100',
			lowBalance: true,
			threshold: '100',
		};
		expect(output).toStrictEqual([[{ json }]]);
		expect(await poll({ fireOn: 'below', threshold: 100 }, { amount: '50' }, { store })).toBeNull();
	});

	it('reports a change with the previous balance', async () => {
		const store = {};
		expect(await poll({ fireOn: 'change' }, { amount: '10.10' }, { store })).toBeNull();
		expect(await poll({ fireOn: 'change' }, { amount: '9.95' }, { store })).toStrictEqual([
			[
				{
					json: {
						amountRub: 9.95,
						amount: '9.95',
						currency: 'RUB',
						message: 'The balance is ₽9.95, it was ₽10.10 before',
						previousAmount: '10.10',
						change: '-0.15',
					},
				},
			],
		]);
	});

	it.each<[string, string, object]>([
		[
			'below',
			'50',
			{
				message: 'The balance is ₽50, below the threshold of ₽100',
				lowBalance: true,
				threshold: '100',
			},
		],
		[
			'everyPoll',
			'5000',
			{
				message: 'The balance is ₽5 000, not below the threshold of ₽100',
				lowBalance: false,
				threshold: '100',
			},
		],
		[
			'change',
			'7.5',
			{ message: 'The balance is ₽7.50, it was ₽7.50 before', previousAmount: '7.5', change: '0' },
		],
	])(
		'a test event in the editor (%s, %s) has all fields, and stores nothing',
		async (fireOn, amount, event) => {
			const store = {};
			const output = await poll({ fireOn, threshold: 100 }, { amount }, { mode: 'manual', store });
			expect(output?.[0]?.map(({ json }) => json)).toStrictEqual([
				{ amountRub: Number(amount), amount, currency: 'RUB', ...event },
			]);
			expect(store).toStrictEqual({});
		},
	);

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a threshold that is not a number',
			{ fireOn: 'below', threshold: 'a lot' },
			/'Threshold \(₽\)' has a value that is not allowed: "a lot"/,
		],
		[
			'an empty threshold',
			{ fireOn: 'below', threshold: '' },
			/'Threshold \(₽\)' has a value that is not allowed: ""/,
		],
		[
			'a negative margin',
			{ fireOn: 'below', threshold: 1, options: { margin: -1 } },
			/The option 'Margin \(₽\)' has a value that is not allowed: -1/,
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
		const store = { alert: { lowSince: '100' } };
		await expect(poll({ fireOn: 'below', threshold: 100 }, body, { store })).rejects.toMatchObject({
			name: 'NodeApiError',
			description: expect.any(String) as string,
		});
		expect(store).toStrictEqual({ alert: { lowSince: '100' } });
	});
});
