import type { Tool } from '@n8n/ai-node-sdk';

import { InvalidInput } from '../shared/gateway/failure';
import type { ToolDefinition } from '../shared/gateway/formats/request';
import { asObject } from '../shared/gateway/json';
import type { AiNodeSdk } from './sdk';

/**
 * The tools of an agent, as the formats take them.
 *
 * @param jsonSchema gives the JSON Schema of a tool's input, which n8n may write with zod
 * @throws {InvalidInput} for a tool that another provider runs itself
 */
export function toToolDefinitions(
	tools: readonly Tool[],
	jsonSchema: AiNodeSdk['getParametersJsonSchema'],
): ToolDefinition[] {
	return tools.map((tool) => {
		if (tool.type === 'provider') {
			throw new InvalidInput(
				`The Gateway Chat Model cannot use the built-in tool "${tool.name}" of another model`,
				"Tools that the gateway runs itself are set in the option 'Built-In Tools (JSON)' of the Responses format. Nothing was sent.",
			);
		}
		return {
			name: tool.name,
			description: tool.description,
			// A tool without input still takes an object.
			parameters: { type: 'object', properties: {}, ...asObject(jsonSchema(tool)) },
			...(tool.strict === undefined ? {} : { strict: tool.strict }),
		};
	});
}
