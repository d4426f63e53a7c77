import { Deferred, type ItemContext, type Operation } from '../../../shared/execution/operation';
import { simplifyField } from '../../../shared/fields/common';
import { downloadField, maxWaitOption, pollTask, readMaxWait, readWish, taskOutput } from './finish';
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
		const maxWaitMs = readMaxWait(item);
		const order = await readOrder(item);
		const { priced, mayExist } = order;
		const wish = readWish(item, priced.model);
		const { taskId } = await place(item, order);
		return new Deferred(async () => {
			const body = await pollTask(item, taskId, { model: priced.model, maxWaitMs, lookAtOnce: mayExist });
			return [await taskOutput(item, taskId, body, wish, await orderPrice(item, priced))];
		});
	},
};
