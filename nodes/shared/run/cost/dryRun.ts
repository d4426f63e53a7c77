import type { JsonObject } from '../../gateway/util/json';
import { addToTotal } from '../../gateway/util/money';
import { compact } from '../../n8n/compact';
import { flag, optional } from '../../params/kinds';

/** Option of operations that cost money. */
export const dryRun = optional(
	flag({
		displayName: 'Dry Run',
		default: true,
		description:
			'Whether to check the input and compute the price without sending it: nothing is created, uploaded or charged. The output is what would be sent.',
	}),
);

/** What an item would cost. */
interface DryPrice {
	/** Decimal text in rubles. */
	rub?: string | undefined;
	/** Whether it can cost less. */
	isMost: boolean;
	/** Why it is not known. */
	reason?: string | undefined;
}

/** What the items of a run would cost that are not sent. */
export class DryRun {
	private items = 0;
	private unknown = 0;
	private rub = '0';
	private isMost = false;

	/** Adds an item, and makes its output. */
	output(model: string, request: JsonObject, { rub, isMost, reason }: DryPrice) {
		this.items += 1;
		this.isMost ||= isMost;
		if (rub === undefined) this.unknown += 1;
		else this.rub = addToTotal(this.rub, rub);
		const price = rub === undefined ? null : Number(rub);
		return [
			{
				json: compact({ dryRun: true, model, [isMost ? 'maxCostRub' : 'priceRub']: price, reason, request }),
			},
		];
	}

	/** The sum; `undefined` if no item was left unsent. */
	get hint(): string | undefined {
		if (this.items === 0) return undefined;
		const most = this.isMost ? 'at most ' : '';
		const unknown = this.unknown > 0 ? ` The price of ${this.unknown} is unknown.` : '';
		return `Dry run, nothing was sent. ${this.items} item${this.items === 1 ? '' : 's'}: ${most}₽${this.rub}.${unknown}`;
	}
}
