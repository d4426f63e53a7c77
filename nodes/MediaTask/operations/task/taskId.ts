import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../../shared/run/operation';

export const taskIdField: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Create' gave",
};

/** The task id of an item. */
export function readTaskId({ parameters }: ItemContext): string {
	return parameters.requiredId(
		'taskId',
		'Task ID',
		"Enter the ID that 'Create' gave, e.g. {{ $json.taskId }}.",
	);
}
