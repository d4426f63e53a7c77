import { Deferred, type ItemContext, type Operation } from '../../../shared/execution/operation';
import { simplifyField } from '../../../shared/fields/common';
import { downloadField, finish, maxWaitOption, readWish, type Wish } from './finish';
import { orderPrice, place, readOrder } from './order';
import { orderFields, orderOptions } from './orderFields';
import { binaryPropertyOption } from './results';

/** Creates media tasks, all items' first, and waits for their results by polling (§4.6, §3.1). */
export const createAndWait: Operation = {
	displayName: 'Create and Wait',
	action: 'Create a media task and wait for its result',
	description: 'Start a generation and get its files when it is done',
	properties: [...orderFields, downloadField, simplifyField],
	options: [...orderOptions, maxWaitOption, binaryPropertyOption],
	async execute(item: ItemContext): Promise<Deferred> {
		const settings = readWish(item);
		const order = await readOrder(item);
		const { priced } = order;
		const wish: Wish = { ...settings, model: priced.model, lookAtOnce: order.mayExist };
		const { taskId } = await place(item, order);
		return new Deferred(async () => [await finish(item, taskId, wish, await orderPrice(item, priced))]);
	},
};
