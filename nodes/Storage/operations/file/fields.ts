import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../../shared/run/operation';

export const fileIdField: INodeProperties = {
	displayName: 'File ID',
	name: 'fileId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Upload' gave",
};

/** The file id of an item. */
export function readFileId({ parameters }: ItemContext): string {
	return parameters.requiredId('fileId', 'File ID', "Enter the ID that 'Upload' gave, e.g. {{ $json.id }}.");
}
