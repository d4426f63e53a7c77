import { ID } from '../../../shared/gateway/util/id';
import { id } from '../../../shared/params/kinds';

export const taskId = id({
	displayName: 'Task ID',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Create' returned",
	allowed: ID,
	whenEmpty: "Enter the ID that 'Create' returned, e.g. {{ $json.taskId }}.",
});
