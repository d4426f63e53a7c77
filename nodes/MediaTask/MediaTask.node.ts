import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { executeRegistry } from '../shared/run/itemLoop';
import { operationSubtitle, registryProperties } from '../shared/run/operation';
import { mediaTimeoutOption } from '../shared/run/settings';
import { wakeUpWebhooks } from './suspend/savedState';
import { loadFileFields, mapMediaInput, mapPriceInput } from '../shared/fields/mediaForm';
import { searchMediaModels } from '../shared/fields/models';
import { registry } from './operations';
import { answerWakeUpCall } from './suspend/webhook';

export class MediaTask implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Media Task',
		name: 'mediaTask',
		icon: { light: 'file:../../icons/media.svg', dark: 'file:../../icons/media.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle,
		description: 'Generate images, videos, music and speech with the models of an AI gateway',
		defaults: { name: 'Gateway Media Task' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		webhooks: wakeUpWebhooks,
		waitingNodeTooltip:
			'The execution sleeps in n8n’s database until the gateway calls: its media tasks are being worked on',
		properties: [...registryProperties(registry, [mediaTimeoutOption])],
	};

	methods = {
		credentialTest: { testGateway },
		listSearch: { searchMediaModels },
		loadOptions: { loadFileFields },
		resourceMapping: { mapMediaInput, mapPriceInput },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeRegistry(this, registry);
	}

	/** Called in the execution's sleep, with `waitStrategy` `suspend`. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await answerWakeUpCall(this);
	}
}
