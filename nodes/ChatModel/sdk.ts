import type * as Sdk from '@n8n/ai-node-sdk';
import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

import { InvalidInputError } from '../shared/gateway/errors/errors';
import type { ToolDefinition } from '../shared/gateway/text/formats/request';
import { asObject } from '../shared/gateway/util/json';

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

/** Converts an agent's tools for the formats. n8n may describe their input with zod: `jsonSchema` makes it JSON Schema. */
export function toToolDefinitions(
	tools: readonly Sdk.Tool[],
	jsonSchema: AiNodeSdk['getParametersJsonSchema'],
): ToolDefinition[] {
	return tools.flatMap((tool) => {
		// The SDK makes functions only.
		if (tool.type !== 'function') return [];
		const { name, description } = tool;
		// Vendors differ in what else they take: the gateway says so, at no cost.
		if (!/^[\w.:-]+$/.test(name)) {
			throw new InvalidInputError(
				`The name of the tool "${name}" has characters that no model takes`,
				'Rename the tool: letters from A to Z, digits, underscores and dashes.',
			);
		}
		// A tool without input still takes an object.
		const parameters = { type: 'object', properties: {}, ...asObject(readable(jsonSchema(tool), name)) };
		return { name, description, parameters };
	});
}

/**
 * The SDK converts schemas of n8n's own zod and takes all others for JSON Schema. A community node may bring
 * another zod, whose internals the model would read as the description of the input.
 */
function readable(schema: unknown, name: string): unknown {
	if (typeof schema !== 'object' || schema === null || !('safeParse' in schema || '~standard' in schema)) {
		return schema;
	}
	if ('toJSONSchema' in schema && typeof schema.toJSONSchema === 'function') {
		return schema.toJSONSchema({ io: 'input', unrepresentable: 'any' });
	}
	throw new InvalidInputError(
		`The Gateway Chat Model cannot read what the tool "${name}" takes`,
		'Its input schema uses another version of zod than n8n. Update the node of the tool, or use another one.',
	);
}
