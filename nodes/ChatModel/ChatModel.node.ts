import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { searchTextModels } from '../shared/fields/models';
import { parameters } from './fields';
import { supplyChatModel } from './supplyChatModel';

export class ChatModel implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Chat Model',
		name: 'chatModel',
		icon: { light: 'file:../../icons/text.svg', dark: 'file:../../icons/text.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"]["value"] || $parameter["model"] }}',
		description:
			'Use the text models of an AI gateway in AI Agents and chains, with the cost of each call in rubles',
		defaults: { name: 'Gateway Chat Model' },
		builderHint: {
			searchHint:
				'Language model for an AI Agent or a chain, with the models of the gateway. Connect it as their model; it has no output of its own.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		properties: parameters.properties,
	};

	methods = { credentialTest: { testGateway }, listSearch: { searchTextModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return await supplyChatModel(this, itemIndex);
	}
}
