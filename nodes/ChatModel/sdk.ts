import type * as Sdk from '@n8n/ai-node-sdk';
import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

import { InvalidInputError } from '../shared/gateway/errors/errors';

/** The parts of n8n's SDK for AI nodes that are used here. */
export interface AiNodeSdk {
	supplyModel(context: ISupplyDataFunctions, model: Sdk.ChatModel): SupplyData;
	getParametersJsonSchema: typeof Sdk.getParametersJsonSchema;
}

/**
 * Loads n8n's SDK for AI nodes. Only when a model is needed: n8n loads all nodes of a package or none, so without
 * the SDK the other nodes would be missing, too. Not with `import()`: it would load the SDK and LangChain a
 * second time, as ES modules whose classes are not those of n8n's own nodes.
 */
export function loadSdk(): AiNodeSdk {
	// n8n's own first: a copy above this package's folder, as in a clone of the repository, has other classes than
	// n8n's nodes and does not recognise their tools.
	const { supplyModel, getParametersJsonSchema } = requiredBy(require.main) ?? requiredBy(module) ?? {};
	if (supplyModel && getParametersJsonSchema) return { supplyModel, getParametersJsonSchema };
	throw new InvalidInputError(
		'The Gateway Chat Model needs n8n 2.16 or newer',
		'This n8n has no SDK for AI nodes (@n8n/ai-node-sdk), or an older one. Update n8n, or use n8n’s own OpenAI Chat Model with the gateway’s base URL and key. The other nodes of this package work.',
	);
}

function requiredBy(from: NodeJS.Module | undefined): Partial<AiNodeSdk> | undefined {
	try {
		return from?.require('@n8n/ai-node-sdk') as Partial<AiNodeSdk> | undefined;
	} catch {
		return undefined;
	}
}
