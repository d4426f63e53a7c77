import { simplify } from '../../../shared/fields/simplify';
import { compact } from '../../../shared/n8n/compact';
import { defineOperation, Deferred } from '../../../shared/run/operation';
import { createTask, readTaskRequest, taskOptions, taskParameters, taskPriceRub } from './taskRequest';

/** Creates a media task and does not wait for it (§4.6). Prices are looked up when all tasks are created. */
export const create = defineOperation({
	displayName: 'Create',
	action: 'Create media task',
	description: 'Create a new task and go on at once with its ID, while the gateway works on it',
	parameters: { ...taskParameters, simplify },
	options: taskOptions,
	async execute(item) {
		const isSimple = item.params.simplify;
		const request = await readTaskRequest(item);
		const { priced } = request;
		const { taskId, body } = await createTask(item, request);
		return new Deferred(async () => {
			if (!isSimple) return [{ json: body }];
			const priceRub = await taskPriceRub(item, priced);
			return [{ json: compact({ taskId, model: priced.model, priceRub }) }];
		});
	},
});
