import { Deferred, type ItemContext, type Operation } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { createOrdered, orderPrice, readOrder } from './taskRequest';
import { orderFields, orderOptions } from './taskRequestFields';

/** Creates a media task and does not wait for it (§4.6). Its price is looked up when all tasks exist. */
export const create: Operation = {
	displayName: 'Create',
	action: 'Create media task',
	description: 'Create a new task and go on at once with its ID, while the gateway works on it',
	properties: [...orderFields, simplifyField],
	options: orderOptions,
	async execute(item: ItemContext): Promise<Deferred> {
		const simplify = item.parameters.flag('simplify', 'Simplify');
		const order = await readOrder(item);
		const { priced } = order;
		const { taskId, body } = await createOrdered(item, order);
		return new Deferred(async () => {
			if (!simplify) return [{ json: body }];
			const priceRub = await orderPrice(item, priced);
			return [{ json: compact({ taskId, model: priced.model, priceRub }) }];
		});
	},
};
