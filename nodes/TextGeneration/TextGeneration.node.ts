import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { executeRegistry } from '../shared/run/itemLoop';
import { operationSubtitle } from '../shared/run/registry';
import { searchTextModels, searchTextModelsFor } from '../shared/fields/models';
import { registry } from './operations';

export class TextGeneration implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Text Generation',
		name: 'textGeneration',
		icon: { light: 'file:../../icons/text.svg', dark: 'file:../../icons/text.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle,
		description: 'Generate text with the models of an AI gateway, with the cost of each call in rubles',
		defaults: { name: 'Gateway Text Generation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		properties: registry.properties,
	};

	methods = {
		credentialTest: { testGateway },
		listSearch: {
			searchTextModels,
			searchImageReaders: searchTextModelsFor('image'),
			searchAudioReaders: searchTextModelsFor('audio'),
			searchDocumentReaders: searchTextModelsFor('file'),
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeRegistry(this, registry);
	}
}
