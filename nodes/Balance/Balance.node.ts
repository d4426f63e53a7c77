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

export class Balance implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Balance',
		name: 'balance',
		icon: { light: 'file:../../icons/balance.svg', dark: 'file:../../icons/balance.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle,
		description: 'Get the money left in the wallet of an AI gateway account',
		defaults: { name: 'Gateway Balance' },
		builderHint: {
			searchHint:
				"Money left in the gateway's wallet, in rubles. With options.threshold the output has lowBalance for an IF node.",
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
