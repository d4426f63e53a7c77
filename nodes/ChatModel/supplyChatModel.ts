import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

import { readOutput } from '../shared/fields/outputFormat';
import { readTextOptions } from '../shared/fields/textOptions';
import { askedModel, checkExtraBody } from '../shared/fields/textRequest';
import { withoutSecrets } from '../shared/gateway/errors/secrets';
import { listTextModels } from '../shared/gateway/endpoints/models';
import { textFormat } from '../shared/gateway/text/formats';
import { withModelHint } from '../shared/gateway/text/unknownModel';
import { subNodeClient } from '../shared/n8n/client';
import type { Values } from '../shared/params/parameter';
import { NodeParameters } from '../shared/params/source';
import { ExecutionCost } from '../shared/run/cost/executionCost';
import { Catalogue } from '../shared/run/catalogue';
import { toNodeError } from '../shared/run/nodeError';
import { requestSettings } from '../shared/run/settings';
import { patchAdapter } from './adapter';
import { parameters } from './fields';
import { GatewayChatModel, type ModelSettings } from './model';
import { loadSdk } from './sdk';

/** The `supplyData` of the node: returns a LangChain model that sends its requests to the gateway. */
export async function supplyChatModel(context: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
	const nodeError = (error: unknown) => toNodeError(context.getNode(), error, itemIndex);
	let disposeClient: () => void = () => undefined;
	try {
		const { supplyModel, getParametersJsonSchema } = loadSdk();
		const params = parameters.read(new NodeParameters(context).item(itemIndex));
		const settings = readSettings(params);
		const { client, dispose } = await subNodeClient(context, itemIndex, requestSettings(params.options));
		disposeClient = dispose;
		const textModels = new Catalogue(listTextModels);
		const known = async () => await textModels.known(client);
		const model = new GatewayChatModel(settings, {
			client,
			cost: new ExecutionCost(context),
			textModels,
			jsonSchema: getParametersJsonSchema,
			toUserError: async (error) => {
				const withHint = await withModelHint(known, settings.model, error);
				return nodeError(withoutSecrets(withHint, client.settings.secrets));
			},
		});
		const { response } = supplyModel(context, model);
		return { response: patchAdapter(response, context.logger), closeFunction: async () => dispose() };
	} catch (error) {
		disposeClient();
		throw nodeError(error);
	}
}

function readSettings(params: Values<typeof parameters.declarations>): ModelSettings {
	const { options } = params;
	const format = textFormat(params.format);
	const extraBody = checkExtraBody(
		options.extraBody,
		'The node that uses the model decides whether the response is streamed.',
	);
	const { toolChoice, toolChoiceName } = options;
	return {
		format,
		model: askedModel(params.model, extraBody),
		options: readTextOptions(options, format),
		output: readOutput(params),
		toolChoice: { toolChoice, toolChoiceName },
		cachesPrompt: format.hasCachePoints && options.cachePrompt === true,
		extraBody,
		maxCostRub: options.maxCostRub,
		fallbackModels: options.fallbackModels,
		showsToolMedia: options.showToolMedia,
	};
}
