import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact } from '../../../shared/fields/common';
import { readModelId } from '../../../shared/fields/models';
import { priceInRubles, taskPrice } from '../../../shared/gateway/media/price';
import { inputProperties, modelField, readInput } from '../input';

/** Tells what a task with an input would cost (§2.2). Creates nothing. */
export const getPrice: Operation = {
	displayName: 'Get Price',
	action: 'Get price of media task',
	description: 'Retrieve what a task of a model would cost with this input, without creating it',
	properties: [modelField, ...inputProperties('mapPriceInput')],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const id = readModelId(item.parameters);
		const model = await item.run.requireMediaModel(item.client, id);
		const { values } = await readInput(item, id);
		const found = taskPrice(model, values);
		const { price, currency, matched, reason } = found;
		const priceRub = priceInRubles(found) ?? null;
		return [{ json: compact({ model: id, priceRub, price, currency, matched, reason, tiers: model.tiers }) }];
	},
};
