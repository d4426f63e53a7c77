import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { executeRegistry } from '../shared/run/itemLoop';
import { operationSubtitle } from '../shared/run/registry';
import { registry } from './operations';

export class Storage implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Storage',
		name: 'storage',
		icon: { light: 'file:../../icons/storage.svg', dark: 'file:../../icons/storage.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle,
		description: 'Upload, download and delete files in the storage of an AI gateway',
		defaults: { name: 'Gateway Storage' },
		builderHint: {
			searchHint:
				'Stores files at the gateway and returns their URLs: file upload from a binary field, a URL or base64 text. Files of policy TEMP_UPLOAD are deleted after 24 hours, PERMANENT ones are kept.',
		},
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		properties: registry.properties,
	};

	methods = { credentialTest: { testGateway } };

	async execute(this: IExecuteFunctions) {
		return await executeRegistry(this, registry);
	}
}
