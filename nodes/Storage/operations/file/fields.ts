import { ID } from '../../../shared/gateway/util/id';
import { id } from '../../../shared/params/kinds';

export const fileId = id({
	displayName: 'File ID',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Upload' returned",
	allowed: ID,
	whenEmpty: "Enter the ID that 'Upload' returned, e.g. {{ $json.id }}.",
});
