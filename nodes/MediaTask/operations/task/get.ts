import { simplify } from '../../../shared/fields/simplify';
import { fetchMediaTask, readMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { taskJson } from '../../../shared/n8n/taskResults';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Returns a media task with its state and result (§4.7). A failed task is no error here. */
export const get = defineOperation({
	displayName: 'Get',
	action: 'Get a media task',
	description: 'Retrieve the state of a task and the URLs of its files, which work for 7 days',
	toolDescription:
		'Looks up a task that generates an image, video, music or speech by its ID. Returns its state and, when it has succeeded, the URLs of its files.',
	isLight: true,
	parameters: { taskId, simplify },
	async execute({ client, params }) {
		const { taskId: id, simplify: isSimple } = params;
		const body = await fetchMediaTask(client, id);
		return [{ json: isSimple ? taskJson(readMediaTask(body, id)) : body }];
	},
});
