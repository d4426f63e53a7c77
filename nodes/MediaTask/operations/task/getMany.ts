import { limitParameters, pageOf } from '../../../shared/fields/lists';
import { simplify } from '../../../shared/fields/simplify';
import { listMediaTasks, readMediaTask, taskIdOf } from '../../../shared/gateway/endpoints/tasks';
import { taskJson } from '../../../shared/n8n/taskResults';
import { defineOperation } from '../../../shared/run/operation';

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many media tasks',
	description: 'Retrieve a list of tasks of the account, if the gateway offers it',
	toolDescription:
		'Lists the media tasks of the account. Returns the ID, the state, the model and the file URLs of each.',
	isLight: true,
	parameters: { ...limitParameters, simplify },
	async execute(item) {
		const isSimple = item.params.simplify;
		return pageOf(await listMediaTasks(item.client), item).map((record) => {
			const id = isSimple ? taskIdOf(record) : undefined;
			return { json: id === undefined ? record : taskJson(readMediaTask({ data: record }, id)) };
		});
	},
});
