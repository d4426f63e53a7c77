import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

import { toNodeError } from '../shared/run/nodeError';
import { Parameters } from '../shared/params/parameters';
import { itemSettings } from '../shared/run/settings';
import { subNodeClient } from '../shared/n8n/subNodeClient';
import { readModelId } from '../shared/fields/models';
import { readTextOptions } from '../shared/fields/textOptions';
import { readExtraBody, readFormat } from '../shared/fields/textRequest';
import { listTextModels } from '../shared/gateway/endpoints/models';
import { withoutSecrets } from '../shared/gateway/errors/fromResponse';
import type { GatewayClient } from '../shared/gateway/client/client';
import { withModelHint } from '../shared/gateway/text/unknownModel';
import { completed } from './adapter';
import { GatewayChatModel, type ModelSettings } from './model';
import { loadSdk } from './sdk';

/** Gives the node that uses the model a LangChain model which asks the gateway. The whole of `supplyData`. */
export async function supplyChatModel(context: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
	const toUserError = (error: unknown) => toNodeError(context.getNode(), error, itemIndex);
	let letGo: () => void = () => undefined;
	try {
		const { supplyModel, getParametersJsonSchema } = loadSdk();
		const parameters = new Parameters(context, itemIndex);
		const settings = readSettings(parameters);
		const { client, dispose } = await subNodeClient(context, itemSettings(parameters));
		letGo = dispose;
		const known = knownModels(client);
		const model = new GatewayChatModel(settings, {
			client,
			jsonSchema: getParametersJsonSchema,
			toUserError: async (error) => {
				const advised = await withModelHint(known, settings.model, error);
				return toUserError(withoutSecrets(advised, client.settings.secrets));
			},
		});
		const { response } = supplyModel(context, model);
		return { response: completed(response), closeFunction: async () => dispose() };
	} catch (error) {
		letGo();
		throw toUserError(error);
	}
}

function readSettings(parameters: Parameters): ModelSettings {
	const format = readFormat(parameters);
	return {
		format,
		model: readModelId(parameters),
		options: readTextOptions(parameters.options, format),
		extraBody: readExtraBody(
			parameters,
			'Whether the answer is streamed is up to the node that uses the model.',
		),
	};
}

/** The catalogue, for advice; an error about that would hide the one that matters. */
function knownModels(client: GatewayClient): () => ReturnType<typeof listTextModels> {
	return async () => await listTextModels(client, { maxRetries: 0 }).catch(() => []);
}
