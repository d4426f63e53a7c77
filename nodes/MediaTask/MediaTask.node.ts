import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { executeRegistry } from '../shared/run/itemLoop';
import { operationSubtitle } from '../shared/run/registry';
import { noLimitHint } from '../shared/run/settings';
import { loadFileFields, mapMediaFields } from '../shared/fields/mediaForm';
import { mediaSearches } from '../shared/fields/models';
import { registry } from './operations';
import { testUrlHint } from './operations/task/callbackUrl';
import { handleResumeCallback } from './suspend/webhook';
import { restoreInput, resumeWebhooks } from './suspend/waitingExecution';

export class MediaTask implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Media Task',
		name: 'mediaTask',
		icon: { light: 'file:../../icons/media.svg', dark: 'file:../../icons/media.dark.svg' },
		group: ['transform'],
		// n8n fails to evaluate the webhooks of version 1 where files are part of the JSON data (seen in 2.40).
		version: 1.1,
		subtitle: operationSubtitle,
		description: 'Generate images, videos, music and speech with the models of an AI gateway',
		defaults: { name: 'Gateway Media Task' },
		builderHint: {
			searchHint:
				'Images, videos, music and speech. task createAndWait returns the finished files as binary data and as resultUrls; task create returns at once with a taskId, for a workflow that continues when Gateway Media Task Trigger receives the callback. Set options.maxPriceRub to limit what a task may cost.',
		},
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		webhooks: resumeWebhooks,
		waitingNodeTooltip: 'The execution sleeps until the gateway has finished its media tasks and calls',
		hints: [noLimitHint(/^(?!session ).* (create|generate|edit)/), testUrlHint],
		properties: registry.properties,
	};

	methods = {
		credentialTest: { testGateway },
		listSearch: mediaSearches,
		loadOptions: { loadFileFields },
		resourceMapping: { mapMediaFields },
	};

	async execute(this: IExecuteFunctions) {
		restoreInput(this);
		return await executeRegistry(this, registry);
	}

	async webhook(this: IWebhookFunctions) {
		return await handleResumeCallback(this);
	}
}
