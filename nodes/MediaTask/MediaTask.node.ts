import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { testGateway } from '../shared/execution/credentialTest';
import { executeRegistry } from '../shared/execution/itemLoop';
import { registryProperties } from '../shared/execution/operation';
import { loadFileFields, mapMediaInput, mapPriceInput } from '../shared/fields/mediaForm';
import { searchMediaModels } from '../shared/fields/models';
import { registry } from './operations';

export class MediaTask implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Gateway Media Task',
		name: 'mediaTask',
		icon: { light: 'file:../../icons/media.svg', dark: 'file:../../icons/media.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Generate images, videos, music and speech with the models of an AI gateway',
		defaults: { name: 'Gateway Media Task' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiGatewayApi', required: true, testedBy: 'testGateway' }],
		properties: [...registryProperties(registry)],
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
}
