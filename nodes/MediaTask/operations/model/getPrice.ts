import { rublePrice, taskPrice } from '../../../shared/gateway/media/price';
import { asNumber } from '../../../shared/gateway/util/json';
import { compact } from '../../../shared/n8n/compact';
import { defineOperation } from '../../../shared/run/operation';
import { inputParameters, model, readInput } from '../input';

/** Returns what a task with this input would cost (§2.2). Creates nothing. */
export const getPrice = defineOperation({
	displayName: 'Get Price',
	action: 'Get the price of a media task',
	description: 'Retrieve the price of a task with this input, without creating it',
	toolDescription:
		'Says what it would cost to generate something with a media model and this input. Creates and charges nothing. Returns the price in rubles.',
	parameters: { model, ...inputParameters('mapPriceInput') },
	async execute(item) {
		const id = item.params.model;
		const found = await item.run.mediaModel(item.client, id, true);
		const { values } = await readInput(item);
		const task = taskPrice(found, values);
		const { price, currency, matched, reason } = task;
		const priceRub = asNumber(rublePrice(task)) ?? null;
		return [{ json: compact({ model: id, priceRub, price, currency, matched, reason, tiers: found.tiers }) }];
	},
});
