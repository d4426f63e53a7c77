import type { Tool } from '@n8n/ai-node-sdk';

import { InvalidInputError } from '../shared/gateway/errors/errors';
import { excerpt } from '../shared/gateway/util/excerpt';
import type { ToolDefinition } from '../shared/gateway/text/formats/request';
import { asObject } from '../shared/gateway/util/json';
import type { AiNodeSdk } from './sdk';

/**
 * Converts an agent's tools for the formats.
 *
 * @param jsonSchema returns the JSON Schema of a tool's input, which n8n may describe with zod
 * @throws {InvalidInputError} for a tool that another provider runs itself, and for one whose input cannot be
 *   described
 */
export function toToolDefinitions(
	tools: readonly Tool[],
	jsonSchema: AiNodeSdk['getParametersJsonSchema'],
): ToolDefinition[] {
	return tools.map((tool) => {
		if (tool.type === 'provider') {
			throw new InvalidInputError(
				`The Gateway Chat Model cannot use the built-in tool "${tool.name}" of another model`,
				"Tools that the gateway runs itself are set in the option 'Built-In Tools (JSON)' of the API format Responses.",
			);
		}
		if (tool.name.trim() === '') throw noName(tool);
		return {
			name: tool.name,
			description: tool.description,
			// A tool without input still takes an object.
			parameters: { type: 'object', properties: {}, ...asObject(schemaOf(tool, jsonSchema)) },
			...(tool.strict === undefined ? {} : { strict: tool.strict }),
		};
	});
}

function noName({ description = '' }: FunctionTool): InvalidInputError {
	return new InvalidInputError(
		'A tool of the agent has no name',
		`Give the node of the tool a name${description === '' ? '' : ` (its description: “${excerpt(description)}”)`}.`,
	);
}

type FunctionTool = Exclude<Tool, { type: 'provider' }>;

/**
 * The SDK converts schemas of n8n's own zod and takes all others for JSON Schema. A community node may bring
 * another zod, whose internals the model would read as the description of the input.
 */
function schemaOf(tool: FunctionTool, jsonSchema: AiNodeSdk['getParametersJsonSchema']): unknown {
	const schema: unknown = jsonSchema(tool);
	if (typeof schema !== 'object' || schema === null || !('safeParse' in schema || '~standard' in schema)) {
		return schema;
	}
	if ('toJSONSchema' in schema && typeof schema.toJSONSchema === 'function') {
		return schema.toJSONSchema({ io: 'input', unrepresentable: 'any' });
	}
	throw new InvalidInputError(
		`The Gateway Chat Model cannot read what the tool "${tool.name}" takes`,
		'Its input schema uses another version of zod than n8n. Update the node of the tool, or use another one.',
	);
}
