import fc from 'fast-check';

import { decide, type AlertState, type Watch } from '../../../nodes/BalanceTrigger/alert';
import { readBalance } from '../../../nodes/shared/gateway/endpoints/balance';

const balance = (amount: string) => readBalance({ amount });

/** The indices of the polls at which a trigger fires. */
function fired(watch: Partial<Watch>, amounts: string[], begin: AlertState = {}): number[] {
	const fires: number[] = [];
	let state = begin;
	for (const [index, amount] of amounts.entries()) {
		const decision = decide(
			{ fireOn: 'below', threshold: '100', margin: '0', ...watch },
			state,
			balance(amount),
		);
		// n8n stores static data as JSON.
		state = JSON.parse(JSON.stringify(decision.state)) as AlertState;
		if (decision.fires) fires.push(index);
	}
	return fires;
}

describe('when a balance trigger fires', () => {
	test.each<[string, Partial<Watch>, string[], number[]]>([
		['once when the balance falls below', {}, ['150', '99.99', '50', '10'], [1]],
		['at the first poll when the balance is already low', {}, ['99', '98'], [0]],
		['not at the threshold itself', {}, ['100', '100.00', '1e2'], []],
		['again after it has risen', {}, ['99', '100', '99.99'], [0, 2]],
		['not again when it rises without reaching the threshold', {}, ['50', '99.99', '50'], [0]],
		[
			'with a margin, again only after it has risen by the margin',
			{ margin: '20' },
			['99', '119.99', '99', '120', '99'],
			[0, 4],
		],
		[
			'at the exact decimal',
			{},
			['99.999999999999999999', '100.000000000000000000', '99.999999999999999999'],
			[0, 2],
		],
		['at every poll below', { fireOn: 'everyPoll' }, ['150', '99', '99', '100', '98'], [1, 2, 4]],
		['at every change', { fireOn: 'change' }, ['10', '10', '10.00', '9.99', '9.99', '500'], [3, 5]],
	])('%s', (_, watch, amounts, expected) => expect(fired(watch, amounts)).toStrictEqual(expected));

	it('is reset by another threshold, not by the same one in another notation', () => {
		expect(fired({ threshold: '200' }, ['150'], { lowSince: '100' })).toStrictEqual([0]);
		expect(fired({ threshold: '100.0' }, ['50'], { lowSince: '100' })).toStrictEqual([]);
	});

	it('reports each fall below the threshold once, for any balances', () => {
		const rubles = fc.integer({ min: 0, max: 400 }).map((half) => (half / 2).toFixed(2));
		fc.assert(
			fc.property(fc.array(rubles, { maxLength: 30 }), fc.integer({ min: 0, max: 50 }), (amounts, margin) => {
				const fires = fired({ margin: String(margin) }, amounts);
				let armed = true;
				const expected = amounts.flatMap((amount, index) => {
					const value = Number(amount);
					if (armed && value < 100) {
						armed = false;
						return [index];
					}
					if (!armed && value >= 100 + margin) armed = true;
					return [];
				});
				expect(fires).toStrictEqual(expected);
			}),
		);
	});

	it.each(['below', 'everyPoll', 'change'] as const)(
		'a restart between any two polls changes nothing: %s',
		(fireOn) => {
			const rubles = fc.integer({ min: 50, max: 150 }).map(String);
			fc.assert(
				fc.property(fc.array(rubles, { minLength: 1, maxLength: 20 }), (amounts) => {
					let state: AlertState = {};
					const step: number[] = [];
					for (const [index, amount] of amounts.entries()) {
						const decision = decide({ fireOn, threshold: '100', margin: '5' }, state, balance(amount));
						({ state } = decision);
						if (decision.fires) step.push(index);
					}
					expect(fired({ fireOn, margin: '5' }, amounts)).toStrictEqual(step);
				}),
			);
		},
	);
});
