import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { propertiesOf } from '../shared/params/parameter';
import { parameters } from './fields';
import { pollBalance } from './poll';

export class BalanceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Balance Trigger',
		name: 'balanceTrigger',
		icon: { light: 'file:../../icons/balance.svg', dark: 'file:../../icons/balance.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ { change: "On Change", daysLeft: "Less Than " + $parameter["days"] + " Days" }[$parameter["fireOn"]] ?? "Below ₽" + $parameter["threshold"] }}',
		// The node creator shows one entry for this trigger and Gateway Balance, with the trigger's description.
		description:
			'Get the money left in the wallet of an AI gateway account, or start the workflow when it runs low',
		defaults: { name: 'Gateway Balance Trigger' },
		builderHint: {
			searchHint:
				"Starts a workflow when the gateway's balance falls below a threshold, or will last only some days. The field message is an alert that is ready to send.",
		},
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		properties: propertiesOf(parameters),
	};

	methods = { credentialTest: { testGateway } };

	async poll(this: IPollFunctions) {
		return await pollBalance(this);
	}
}
