import { limitOf, limitParameters } from '../../../shared/fields/lists';
import { simplify } from '../../../shared/fields/simplify';
import { listMediaTasks, readMediaTask, taskIdOf } from '../../../shared/gateway/endpoints/tasks';
import { taskJson } from '../../../shared/n8n/taskResults';
import { defineOperation } from '../../../shared/run/operation';

/** Lists the account's media tasks (§4.13), so that a task whose ID was lost can be found. */
export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many media tasks',
	description: 'Retrieve a list of tasks of the account, e.g. to find one whose ID was lost',
	toolDescription:
		'Lists the media tasks of the account. Returns the ID, the state, the model and the file URLs of each.',
	parameters: { ...limitParameters, simplify },
	async execute({ client, params }) {
		const isSimple = params.simplify;
		const records = await listMediaTasks(client);
		return records.slice(0, limitOf(params)).map((record) => {
			const id = isSimple ? taskIdOf(record) : undefined;
			return { json: id === undefined ? record : taskJson(readMediaTask({ data: record }, id)) };
		});
	},
});
