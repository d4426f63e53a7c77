import type { INodeProperties } from 'n8n-workflow';

import { inputFile } from '../../../shared/n8n/binary';
import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { readBase64 } from '../../../shared/gateway/util/base64';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import type { JsonObject } from '../../../shared/gateway/util/json';
import {
	checkUpload,
	readStoredFile,
	uploadBase64,
	uploadFile,
	type UploadSettings,
} from '../../../shared/gateway/endpoints/storage';

const properties: INodeProperties[] = [
	{
		displayName: 'Upload Source',
		name: 'uploadSource',
		type: 'options',
		options: [
			{ name: 'Base64 Text', value: 'base64', description: 'A file written as base64 text or as a data URL' },
			{ name: 'Binary Field', value: 'binary', description: 'A file that an earlier node put out' },
		],
		default: 'binary',
		description: 'Where the file comes from',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the input binary field containing the file to be uploaded',
		displayOptions: { show: { uploadSource: ['binary'] } },
	},
	{
		displayName: 'Base64',
		name: 'base64',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.image }}',
		description: 'The file as base64 text; a data URL (data:image/png;base64,…) is understood as well',
		displayOptions: { show: { uploadSource: ['base64'] } },
	},
	{
		displayName: 'MIME Type',
		name: 'mimeType',
		type: 'string',
		default: '',
		placeholder: 'e.g. image/png',
		description: 'What the file is. Can be left empty for a data URL, which says so itself.',
		displayOptions: { show: { uploadSource: ['base64'] } },
	},
	{
		displayName: 'Storage Policy',
		name: 'storagePolicy',
		type: 'options',
		options: [
			{ name: 'Permanent', value: 'PERMANENT', description: 'Kept until you delete it' },
			{ name: 'Temporary', value: 'TEMP_UPLOAD', description: 'Kept for 24 hours' },
		],
		default: 'TEMP_UPLOAD',
		description: 'How long the gateway keeps the file',
	},
	simplifyField,
];

const externalUserIdOption: INodeProperties = {
	displayName: 'External User ID',
	name: 'externalUserId',
	type: 'string',
	default: '',
	placeholder: 'e.g. customer-42',
	description: 'Your own ID of the user to whom the file belongs, up to 128 characters',
};

/** Uploads a file (§4.14): streamed from a binary field, or from base64 text. */
export const upload: Operation = {
	displayName: 'Upload',
	action: 'Upload file',
	description: 'Store a new file at the gateway and get its URL',
	properties,
	options: [externalUserIdOption],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { parameters } = item;
		const simplify = parameters.flag('simplify', 'Simplify');
		const settings: UploadSettings = {
			storagePolicy: parameters.choice('storagePolicy', 'Storage Policy', ['TEMP_UPLOAD', 'PERMANENT']),
			externalUserId: parameters.options.optionalText('externalUserId', 'External User ID'),
		};
		const source = parameters.choice('uploadSource', 'Upload Source', ['binary', 'base64']);
		const body = source === 'binary' ? await fromBinary(item, settings) : await fromBase64(item, settings);
		return [{ json: simplify ? compact(readStoredFile(body)) : body }];
	},
};

async function fromBinary(item: ItemContext, settings: UploadSettings): Promise<JsonObject> {
	const file = await inputFile(item, item.parameters.file('binaryPropertyName', 'Input Binary Field'));
	checkUpload(file, settings, 'binaryPropertyName');
	return await uploadFile(item.client, file, settings);
}

async function fromBase64(item: ItemContext, settings: UploadSettings): Promise<JsonObject> {
	const file = readBase64(item.parameters.requiredText('base64', 'Base64', 'Enter the file as base64 text.'));
	if (!file) {
		throw new InvalidInputError(
			'The text is not base64',
			"Give the file as base64 text, or as a data URL such as data:image/png;base64,…. For a file from an earlier node set 'Upload Source' to 'Binary Field'.",
			'base64',
		);
	}
	const { base64, size, mimeType } = file;
	checkUpload({ size, encoded: base64.length }, settings, 'base64');
	const type = item.parameters.text('mimeType', 'MIME Type').trim() || mimeType;
	return await uploadBase64(item.client, { base64, mimeType: type }, settings);
}
