import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../../shared/execution/operation';

export const taskIdField: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Create' gave",
};

export const binaryPropertyOption: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	description:
		"The name of the output binary field to put the file in. Further files get _1, _2 … appended. Defaults to 'data'.",
};

const DEFAULT_BINARY_FIELD = 'data';

/** The task id of an item. */
export function readTaskId({ parameters }: ItemContext): string {
	return parameters
		.requiredText('taskId', 'Task ID', "Enter the ID that 'Create' gave, e.g. {{ $json.taskId }}.")
		.trim();
}

/** The name of the binary field that results go to. */
export function binaryField({ parameters }: ItemContext): string {
	return parameters.options.text('binaryPropertyName', 'Put Output File in Field') ?? DEFAULT_BINARY_FIELD;
}
