import { simplify } from '../../../shared/fields/simplify';
import { compact } from '../../../shared/gateway/util/json';
import { defineOperation, Deferred } from '../../../shared/run/operation';
import { createTask, taskNotSent } from './createTask';
import { planTask, taskOptions, taskParameters } from './taskRequest';

/** Creates a media task and does not wait for it (§4.6). Prices are looked up when all tasks are created. */
export const create = defineOperation({
	displayName: 'Create',
	action: 'Create a media task',
	description: 'Create a new task and continue with its ID, without waiting for the result',
	toolDescription:
		'Starts to generate an image, video, piece of music or speech from a description, without waiting for it. Returns the ID of the task, with which its result can be fetched later.',
	parameters: { ...taskParameters, simplify },
	options: taskOptions,
	plan: planTask,
	async execute(item, planned) {
		const { model, simplify: isSimple, options } = item.params;
		if (options.dryRun) return await taskNotSent(item, planned);
		const { taskId, response, priceRub } = await createTask(item, planned);
		return new Deferred(async () => [
			{ json: isSimple ? compact({ taskId, model, priceRub: await priceRub() }) : response },
		]);
	},
});
