import type * as Sdk from '@n8n/ai-node-sdk';
import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

import { InvalidInputError } from '../shared/gateway/errors/errors';
import type { ToolDefinition } from '../shared/gateway/text/formats/request';
import { asObject, outsideValue, type Json } from '../shared/gateway/util/json';

export interface AiNodeSdk {
	supplyModel(context: ISupplyDataFunctions, model: Sdk.ChatModel): SupplyData;
	getParametersJsonSchema: typeof Sdk.getParametersJsonSchema;
}

/**
 * Loads n8n's SDK for AI nodes, when a model is needed: in an n8n without it, the other nodes work.
 * `import()` would load the SDK and LangChain a second time, as ES modules whose classes are not those of
 * n8n's own nodes.
 */
export function loadSdk(): AiNodeSdk {
	// n8n's own first: a copy above this package's folder has other classes, and does not recognise n8n's tools.
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

/** Converts an agent's tools. n8n may describe their input with zod: `jsonSchema` makes it JSON Schema. */
export function toToolDefinitions(
	tools: readonly Sdk.Tool[],
	jsonSchema: AiNodeSdk['getParametersJsonSchema'],
): ToolDefinition[] {
	return tools.flatMap((tool) => {
		if (tool.type !== 'function') return [];
		const { name, description } = tool;
		// A tool without input still takes an object.
		const parameters = {
			type: 'object',
			properties: {},
			...asObject(outsideValue(readable(jsonSchema(tool), name) as Json)),
		};
		return { name, description, parameters };
	});
}

/** The SDK takes the schemas of another zod than n8n's, which a community node may bring, for JSON Schema. */
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
