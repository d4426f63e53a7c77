import { fetchBalance, readBalance, type Balance } from '../../../nodes/shared/gateway/endpoints/balance';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, scriptedClient } from '../../helpers/client';
import { request } from '../../helpers/requests';

test('the balance is the body as received (§4.18)', async () => {
	const { client, sent } = scriptedClient([{ body: '{"amount":"1.50","hold":null}' }]);
	await expect(fetchBalance(client)).resolves.toStrictEqual({ amount: '1.50', hold: null });
	expect(sent).toStrictEqual([request('GET', '/balance')]);
});

describe('reading a balance (§2.8)', () => {
	it.each<[string, JsonObject, Partial<Balance>]>([
		['amount', { amount: '12.50' }, { amountRub: 12.5, amount: '12.50' }],
		['amount as a number', { amount: 12.5 }, { amountRub: 12.5, amount: '12.5' }],
		['blanks', { amount: ' 12.50\n' }, { amountRub: 12.5, amount: '12.50' }],
		['minus zero', { amount: '-0' }, { amountRub: -0, amount: '-0' }],
		['debts', { amount: '-0.01' }, { amountRub: -0.01, amount: '-0.01' }],
		[
			'more digits than a number holds',
			{ amount: '99999999999999999999.01' },
			{ amountRub: 1e20, amount: '99999999999999999999.01' },
		],
		['currencies', { RUB: '5', USD: '0.06' }, { amountRub: 5, amount: '5', amountUsd: 0.06 }],
		['text next to rubles', { amount: 'much', RUB: 5 }, { amountRub: 5, amount: '5' }],
		['both forms', { amount: '1', RUB: '5' }, { amountRub: 1, amount: '1' }],
		['null next to rubles', { amount: null, RUB: 5 }, { amountRub: 5, amount: '5' }],
		['an amount next to dollars', { amount: '1', USD: 0 }, { amountRub: 1, amount: '1', amountUsd: 0 }],
	])('has its amounts from %s', (_, body, read) =>
		expect(readBalance(body)).toStrictEqual({ currency: 'RUB', ...read }),
	);

	it.each<[string, JsonObject]>([
		['nothing', {}],
		['dollars alone', { USD: '1', held: '2' }],
		['text and null', { amount: 'much', RUB: null }],
		['a list', { amount: ['1'] }],
		['no number', { amount: '1,5' }],
	])('rejects a body without a readable amount: %s', async (_, body) => {
		const { client } = scriptedClient([{ body: JSON.stringify(body) }]);
		const { details } = await apiErrorOf(fetchBalance(client).then(readBalance));
		expect(details).toMatchObject({
			message: 'The gateway’s response has no balance',
			code: 'unreadable_answer',
			retryable: false,
		});
	});
});
