import { InvalidInputError } from '../../gateway/errors/errors';
import { compact, type JsonObject } from '../../gateway/util/json';
import { rubles, sumOfCosts } from '../../gateway/util/money';
import { counted } from '../../gateway/util/text';
import type { Hints } from '../../n8n/hints';
import { flag } from '../../params/kinds';
import type { Records } from './records';
import { maxCostRub } from '../settings';

export const dryRun = flag({
	displayName: 'Dry Run',
	isStrict: true,
	default: true,
	description:
		'Whether to check the input and compute the price without sending it: nothing is created, uploaded or charged. The output is what would be sent.',
	traits: { changesRequest: false },
}).requiredIfAdded();

interface DryPrice {
	/** Decimal text in rubles. */
	rub?: string | undefined;
	/** Whether it can cost less. */
	isMost: boolean;
	/** Whether it can also cost more. */
	isEstimate?: true | undefined;
	reason?: string | undefined;
}

export class DryRun {
	private readonly prices: DryPrice[] = [];

	constructor(
		private readonly records: Records,
		hints: Hints,
	) {
		hints.atEnd(() => this.hint);
	}

	/**
	 * The output of an item, which no later attempt takes for its result.
	 *
	 * @throws {InvalidInputError} in a retry of items that are paid for: n8n offers none after one that succeeds
	 */
	output(index: number, model: string, request: JsonObject, price: DryPrice) {
		if (this.records.others().some(([, { isBefore }]) => isBefore))
			throw new InvalidInputError(
				"'Dry Run' cannot be used in a retry after items were paid for",
				`The retry would succeed, and n8n then offers no other one: the paid results would be out of reach. Remove the option, and retry: it pays only for what has not succeeded. '${maxCostRub.label}' limits that.`,
				'dryRun',
			);
		this.prices.push(price);
		this.records.keepNothing(index);
		const { rub, isMost, isEstimate, reason } = price;
		const amount = { [isMost ? 'maxCostRub' : 'priceRub']: rub === undefined ? null : Number(rub) };
		return [{ json: compact({ dryRun: true, model, ...amount, isEstimate, reason, request }) }];
	}

	/** The sum; `undefined` if no item was left unsent. */
	private get hint(): string | undefined {
		const { length: count } = this.prices;
		if (count === 0) return undefined;
		const known = this.prices.flatMap(({ rub }) => rub ?? []);
		const most = this.prices.some(({ isMost }) => isMost) ? 'at most ' : '';
		const word = this.prices.some(({ isEstimate }) => isEstimate) ? 'about ' : most;
		const texts = ['Dry run, nothing was sent.'];
		if (known.length > 0)
			texts.push(`${counted(known.length, 'item')}: ${word}${rubles(sumOfCosts(...known) ?? '')}.`);
		const unknown = count - known.length;
		if (unknown > 0) texts.push(`Prices that are not known: ${unknown}, see reason in the output.`);
		return texts.join(' ');
	}
}
