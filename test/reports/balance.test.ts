import type { INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node';
import { pollContext } from '../helpers/contexts';
import { useReports } from './support';

// Which polls of the balance start the workflow, and with what.

const { gateway } = useReports();

/** A balance that the gateway has, exactly; `account: balance` for that of another account. */
type Poll = string;

async function poll(parameters: object, found: Poll, store: object, mode: WorkflowExecuteMode = 'trigger') {
	const [amount = '', account] = found.split(': ').reverse();
	const apiKey = account === undefined ? gateway.apiKey : keyOf(account);
	const body = { text: JSON.stringify({ amount }), contentType: 'application/json' };
	gateway.control.addFault({ match: { path: '/balance' }, action: { kind: 'raw', status: 200, body } });
	const credential = { baseUrl: gateway.baseUrl, apiKey };
	const context = { node: 'balanceTrigger', parameters: parameters as INodeParameters } as const;
	return await new BalanceTrigger().poll.call(pollContext({ ...context, mode, store, credential }));
}

const keys = new Map<string, string>();
beforeEach(() => keys.clear());
const keyOf = (account: string): string => {
	const key = keys.get(account) ?? gateway.control.createKey({ account }).key;
	keys.set(account, key);
	return key;
};

const below = { fireOn: 'below', threshold: 100 };
const change = { fireOn: 'change' };

const ROWS: Array<[title: string, parameters: object | object[], polls: Poll[], starts: string[]]> = [
	['a fall below the threshold starts it once', below, ['150', '99.99', '50', '10'], ['99.99']],
	['a balance that is low at the first poll counts as fallen', below, ['99', '98'], ['99']],
	['the threshold itself is not below', below, ['100', '100.00', '1e2'], []],
	[
		'it starts again after the balance has risen to the threshold',
		below,
		['99', '100', '99.5'],
		['99', '99.5'],
	],
	['a rise that does not reach the threshold changes nothing', below, ['50', '99.99', '49'], ['50']],
	[
		'amounts are compared exactly',
		below,
		['99.999999999999999999', '100.000000000000000000', '99.998'],
		['99.999999999999999999', '99.998'],
	],
	['a negative balance is below 0', { ...below, threshold: 0 }, ['0', '-0.01'], ['-0.01']],
	['another threshold starts over', [below, { ...below, threshold: 200 }], ['50', '60'], ['50', '60']],
	['another account is not compared with the one before', below, ['50', 'two: 40', 'two: 30'], ['50', '40']],
	['nor is it taken for one that has risen', below, ['50', 'two: 150', 'two: 90'], ['50', '90']],
	[
		'each change starts it, also in the sixth decimal',
		change,
		['10', '10', '10.00', '9.999999', '9.999999', '500'],
		['9.999999', '500'],
	],
	['a change of the account is no change of the balance', change, ['50', 'two: 40', 'two: 41'], ['41']],
];

/** The balances with which the workflow starts. */
async function starts(given: object | object[], polls: Poll[], isRestarted = false): Promise<string[]> {
	const list = [given].flat();
	let store = {};
	const started: string[] = [];
	for (const [index, found] of polls.entries()) {
		const used = structuredClone(store);
		const output = await poll(list[Math.min(index, list.length - 1)] ?? {}, found, used);
		// n8n stores what a node keeps when a poll returns something; until it restarts, it has it in memory.
		if (output !== null || !isRestarted) store = used;
		started.push(...(output?.[0] ?? []).map(({ json }) => json.amount as string));
	}
	return started;
}

test.each(ROWS)('%s', async (_, parameters, polls, right) => {
	expect(await starts(parameters, polls)).toStrictEqual(right);
});

test.each(ROWS.filter(([, parameters]) => parameters !== change))(
	'n8n restarts after each poll: %s',
	async (_, parameters, polls, right) => {
		expect(await starts(parameters, polls, true)).toStrictEqual(right);
	},
);

const rub = (amount: string) => ({ amountRub: Number(amount), amount, currency: 'RUB' });

test.each<[string, object, Poll[], object]>([
	[
		'an alert',
		below,
		['150', '99.996'],
		{
			...rub('99.996'),
			message: 'The balance is ₽99.99, below the threshold of ₽100',
			lowBalance: true,
			threshold: '100',
		},
	],
	[
		'a change',
		change,
		['10.5', '7.25'],
		{
			...rub('7.25'),
			message: 'The balance is ₽7.25, it was ₽10.50 before',
			previousAmount: '10.5',
			change: '-3.25',
		},
	],
])('%s has all fields, and a message', async (_, parameters, polls, json) => {
	const store = {};
	let output: Awaited<ReturnType<typeof poll>> = null;
	for (const found of polls) output = await poll(parameters, found, store);
	const pace = { spentPerDayRub: null, daysLeft: null };
	expect(output).toStrictEqual([[{ json: { ...json, ...pace } }]]);
});

test('a test event in the editor stores nothing, and leaves the next alert', async () => {
	const store = {};
	const output = await poll(below, '50', store, 'manual');
	expect(output?.[0]?.map(({ json }) => json.lowBalance)).toStrictEqual([true]);
	expect(store).toStrictEqual({});
});

test.each([
	['that an expression leaves empty', ''],
	['that is no number', 'a lot'],
])('a threshold %s is an error before anything is sent', async (_, threshold) => {
	await expect(poll({ ...below, threshold }, '50', {})).rejects.toThrow(
		`'Threshold (₽)' has a value that is not allowed: "${threshold}"`,
	);
	expect(gateway.control.requests()).toStrictEqual([]);
});
