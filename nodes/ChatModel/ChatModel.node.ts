import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { testGateway } from '../shared/n8n/credentialTest';
import { searchTextModels } from '../shared/fields/models';
import { RunSignal } from '../shared/gateway/client/limits';
import { listTextModels, Catalogue } from '../shared/gateway/endpoints/models';
import { withoutSecrets } from '../shared/gateway/errors/secrets';
import { connect } from '../shared/n8n/client';
import { Hints } from '../shared/n8n/hints';
import { NodeParameters } from '../shared/params/nodeParameters';
import { propertiesOf } from '../shared/params/parameter';
import { Ledger } from '../shared/run/charge/ledger';
import { inMessage, toNodeError } from '../shared/run/nodeError';
import { requestSettings } from '../shared/run/settings';
import { patchAdapter, type Adapter } from './adapter';
import { parameters, readSettings } from './fields';
import { GatewayChatModel } from './model';
import { loadSdk } from './sdk';

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
		properties: propertiesOf(parameters),
	};

	methods = { credentialTest: { testGateway }, listSearch: { searchTextModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		// What the agent has sent before, for this item or another one, may be charged.
		const nodeError = (error: unknown) => toNodeError(this.getNode(), error, itemIndex, { isAlone: false });
		try {
			const { supplyModel, getParametersJsonSchema } = loadSdk();
			const params = new NodeParameters(this).read(parameters, itemIndex);
			const settings = readSettings(params);
			const run = new RunSignal(this.getExecutionCancelSignal());
			const client = await connect(this, requestSettings(params.options), { itemIndex, run });
			const ledger = new Ledger(this, undefined, true);
			const model = new GatewayChatModel(settings, {
				client,
				ledger,
				textModels: new Catalogue(listTextModels),
				hints: new Hints(this, client.settings.secrets),
				jsonSchema: getParametersJsonSchema,
				toUserError: (error) => nodeError(withoutSecrets(error, client.settings.secrets)),
			});
			const response = patchAdapter(supplyModel(this, model).response as Adapter);
			const closeFunction = async () => {
				run.abort('not waited for');
				run.dispose();
				ledger.close();
			};
			return { response, closeFunction };
		} catch (error) {
			throw inMessage(nodeError(error));
		}
	}
}
