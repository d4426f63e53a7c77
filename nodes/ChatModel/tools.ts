import type { Tool } from '@n8n/ai-node-sdk';

import { InvalidInputError } from '../shared/gateway/errors/errors';
import type { ToolDefinition } from '../shared/gateway/text/formats/request';
import { asObject } from '../shared/gateway/util/json';
import type { AiNodeSdk } from './sdk';

/** Converts an agent's tools for the formats. n8n may describe their input with zod: `jsonSchema` makes it JSON Schema. */
export function toToolDefinitions(
	tools: readonly Tool[],
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
