import { Deferred, type ItemContext, type Operation } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { createTask, taskPriceRub, readTaskRequest } from './taskRequest';
import { taskRequestFields, taskRequestOptions } from './taskRequestFields';

/** Creates a media task and does not wait for it (§4.6). Its price is looked up when all tasks exist. */
export const create: Operation = {
	displayName: 'Create',
	action: 'Create media task',
	description: 'Create a new task and go on at once with its ID, while the gateway works on it',
	properties: [...taskRequestFields, simplifyField],
	options: taskRequestOptions,
	async execute(item: ItemContext): Promise<Deferred> {
		const simplify = item.parameters.flag('simplify', 'Simplify');
		const order = await readTaskRequest(item);
		const { priced } = order;
		const { taskId, body } = await createTask(item, order);
		return new Deferred(async () => {
			if (!simplify) return [{ json: body }];
			const priceRub = await taskPriceRub(item, priced);
			return [{ json: compact({ taskId, model: priced.model, priceRub }) }];
		});
	},
};
