import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { handleCallback } from './webhook';
import { propertiesOf } from '../shared/params/parameter';
import { parameters } from './fields';

export class MediaTaskTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Media Task Trigger',
		name: 'mediaTaskTrigger',
		icon: { light: 'file:../../icons/media.svg', dark: 'file:../../icons/media.dark.svg' },
		group: ['trigger'],
		// With version 1, n8n rejects callbacks where files are part of the JSON data.
		version: 1.1,
		subtitle:
			'={{ ({ both: "Task Ended", fail: "Task Failed", success: "Task Succeeded" })[$parameter["events"]] }}',
		// The node creator shows one entry for this trigger and Gateway Media Task, with the trigger's description.
		description:
			'Generate images, videos, music and speech with an AI gateway, or start a workflow when a task ends',
		defaults: { name: 'Gateway Media Task Trigger' },
		builderHint: {
			searchHint:
				"Starts a workflow when a media task has ended, also when it has failed. Create the task in another workflow with task create and this trigger's URL as options.callbackUrl. Own data is joined by taskId, e.g. from a Data Table.",
		},
		activationMessage:
			"Tasks with the production URL as their 'Callback URL' now start this workflow when they end.",
		eventTriggerDescription: 'Waiting for a media task with the test URL as its callback URL',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		triggerPanel: {
			header: 'Start when a media task ends',
			executionsHelp: {
				inactive:
					"Listen for a test event here, and create a task with the <b>test URL</b> as its 'Callback URL'. Then <b>publish</b> the workflow and use the <b>production URL</b>.",
				active:
					"Listen for a test event here, and create a task with the <b>test URL</b> as its 'Callback URL'. Tasks with the <b>production URL</b> start the published workflow.",
			},
			activationHint:
				"Once you publish the workflow, every task with the production URL as its 'Callback URL' starts it when the task ends.",
		},
		webhooks: [
			{
				name: 'default',
				// §6.4 does not say which method a callback has.
				httpMethod: '=POST,GET,PUT',
				ndvHideMethod: true,
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'media-task',
			},
		],
		properties: propertiesOf(parameters),
	};

	methods = { credentialTest: { testGateway } };

	webhookMethods = {
		// Nothing is registered at the gateway: each task has its own callback URL (§4.6 `callBackUrl`).
		default: {
			checkExists: async () => await Promise.resolve(true),
			create: async () => await Promise.resolve(true),
			delete: async () => await Promise.resolve(true),
		},
	};

	async webhook(this: IWebhookFunctions) {
		return await handleCallback(this);
	}
}
