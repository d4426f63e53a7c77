import type { INodeExecutionData, INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';
import nock from 'nock';

import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node';
import { paceText } from '../../nodes/BalanceTrigger/pace';
import { type AlertState, decide, type Watch } from '../../nodes/BalanceTrigger/poll';
import { readBalance } from '../../nodes/shared/gateway/endpoints/balance';
import { pollContext } from '../helpers/contexts';
import { runNode } from '../helpers/engine';
import { gateway } from '../helpers/media';
import { useNock } from '../helpers/nock';

describe('balance: get', () => {
	const parameters = { resource: 'balance', operation: 'get' };

	useNock();

	/** The output for a body of the gateway, or the error. */
	async function balanceOf(body: object, more: INodeParameters = {}) {
		gateway().get('/api/v1/balance').reply(200, body);
		const { items, error } = await runNode({ node: 'balance', parameters: { ...parameters, ...more } });
		return error?.message ?? items;
	}

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
});

const NO_PACE = { spentPerDayRub: null, daysLeft: null };
const balance = (amount: string) => readBalance({ amount });

/** The indices of the polls at which a trigger fires. */
function fired(watch: Partial<Watch>, amounts: string[], begin: AlertState = {}): number[] {
	const fires: number[] = [];
	let state = begin;
	for (const [index, amount] of amounts.entries()) {
		const decision = decide({ fireOn: 'below', threshold: '100', days: 3, ...watch }, state, {
			...balance(amount),
			...NO_PACE,
		});
		// n8n stores static data as JSON.
		state = JSON.parse(JSON.stringify(decision.state)) as AlertState;
		if (decision.fires) fires.push(index);
	}
	return fires;
}

describe('when a balance trigger fires', () => {
	it('is reset by another threshold, not by the same one in another notation', () => {
		expect(fired({ threshold: '200' }, ['150'], { lowSince: '100' })).toStrictEqual([0]);
		expect(fired({ threshold: '100.0' }, ['50'], { lowSince: '100' })).toStrictEqual([]);
	});
});

describe('how long a balance lasts', () => {
	/** Monday, in the evening. */
	const at = Date.UTC(2026, 0, 5, 20);

	it.each<[daysLeft: number, timeZone: string, end: string]>([
		[0.1, 'UTC', 'today'],
		[0.2, 'UTC', 'Tuesday'],
		[0.2, 'Asia/Vladivostok', 'today'],
		[5.9, 'UTC', 'Sunday'],
		[6, 'UTC', '11 January 2026'],
	])('%d days are until the day of the time zone %s: %s', (daysLeft, timeZone, end) => {
		const text = paceText({ spentPerDayRub: 312, daysLeft }, { at, amount: '882' }, timeZone);
		expect(text).toBe(`At ₽312 a day, ₽882 last until ${end}`);
	});
});

describe('balance trigger', () => {
	useNock();
	/** Polls once; `store` is the workflow's static data. */
	async function poll(
		parameters: INodeParameters,
		body: object,
		{
			mode = 'trigger',
			store = {},
			apiKey = 'sk-1',
			status = 200,
		}: { mode?: WorkflowExecuteMode; store?: object; apiKey?: string; status?: number } = {},
	): Promise<INodeExecutionData[][] | null> {
		nock('https://gateway.test').get('/api/v1/balance').reply(status, body);
		const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey };
		return await new BalanceTrigger().poll.call(
			pollContext({ node: 'balanceTrigger', parameters, mode, store, credential }),
		);
	}

	it('starts the workflow with the balance, and stores that it has fired', async () => {
		const store = {};
		const output = await poll({ fireOn: 'below', threshold: 100 }, { RUB: '99.90', USD: '1.2' }, { store });
		const balance = { amountRub: 99.9, amount: '99.90', currency: 'RUB', amountUsd: 1.2 };
		const message = 'The balance is ₽99.90, below the threshold of ₽100';
		const json = { ...balance, message, lowBalance: true, threshold: '100', ...NO_PACE };
		expect(output).toStrictEqual([[{ json }]]);
		expect(await poll({ fireOn: 'below', threshold: 100 }, { amount: '50' }, { store })).toBeNull();
	});

	it.each<[fireOn: string, amount: string, text: string, more: object]>([
		['below', '50', '₽50, below the threshold of ₽100', { lowBalance: true, threshold: '100' }],
		['below', '5000', '₽5 000, not below the threshold of ₽100', { lowBalance: false, threshold: '100' }],
		['change', '7.5', '₽7.50, it was ₽7.50 before', { previousAmount: '7.5', change: '0' }],
	])(
		'a test event in the editor (%s, %s) has all fields, and stores nothing',
		async (fireOn, amount, text, more) => {
			const store = {};
			const output = await poll({ fireOn, threshold: 100 }, { amount }, { mode: 'manual', store });
			expect(output?.[0]?.map(({ json }) => json)).toStrictEqual([
				{
					amountRub: Number(amount),
					amount,
					currency: 'RUB',
					message: `The balance is ${text}`,
					...more,
					...NO_PACE,
				},
			]);
			expect(store).toStrictEqual({});
		},
	);

	it.each<[string, INodeParameters]>([['"never"', { fireOn: 'never', threshold: 1 }]])(
		'invalid parameters are rejected before it polls: %s',
		async (message, parameters) => {
			await expect(poll(parameters, { amount: '1' })).rejects.toThrow(message);
			expect(nock.pendingMocks()).toHaveLength(1);
		},
	);
});
