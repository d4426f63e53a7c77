import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { executeRegistry } from '../shared/run/itemLoop';
import { operationSubtitle } from '../shared/run/registry';
import { noLimitHint } from '../shared/run/settings';
import { searchTextModels } from '../shared/fields/models';
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
		builderHint: {
			searchHint:
				'Text, JSON or tool calls from any text model of the gateway, one request for each item. Choose it for a single prompt, a summary or data extraction; for an agent with memory and tools choose Gateway Chat Model with an AI Agent. For JSON set outputFormat to jsonSchema and give jsonSchema.',
		},
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		hints: [noLimitHint(/^(?!model )/)],
		properties: registry.properties,
	};

	methods = { credentialTest: { testGateway }, listSearch: { searchTextModels } };

	async execute(this: IExecuteFunctions) {
		return await executeRegistry(this, registry);
	}
}
