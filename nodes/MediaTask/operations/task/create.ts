import type { ItemContext, Operation, OperationOutput } from '../../../shared/execution/operation';
import { simplifyField } from '../../../shared/fields/common';
import { orderFields, orderOptions, place, readOrder } from './order';

/** Creates a media task and does not wait for it (§4.6). */
export const create: Operation = {
	displayName: 'Create',
	action: 'Create a media task',
	description: 'Start a generation and go on at once with its task ID',
	properties: [...orderFields, simplifyField],
	options: orderOptions,
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const order = readOrder(item);
		const { taskId, body } = await place(item, order);
		return [{ json: item.parameters.flag('simplify') ? { taskId, model: order.order.model } : body }];
	},
};
