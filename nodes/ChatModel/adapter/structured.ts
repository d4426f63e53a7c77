import { asObject, asObjects, asText } from '../../shared/gateway/util/json';
import type { Adapter, Generation } from './types';

/**
 * LangChain's own structured output offers a tool without forcing the model to call it, and reads streamed
 * responses only. Here the model must call the tool, and every response is read.
 */
export function patchStructuredOutput(adapter: Adapter): void {
	const { withStructuredOutput: own } = adapter;
	if (!own) return;
	adapter.withStructuredOutput = (schema, settings = {}) => {
		const { name, includeRaw = false } = settings;
		const tool = toolOf(schema, name);
		const bound = adapter.bindTools?.([tool], { tool_choice: tool.name });
		if (!bound?.pipe) return own.call(adapter, schema, settings);
		const read = async (message: Generation['message']) =>
			await parsed(argumentsOf(message, tool.name), schema);
		return bound.pipe(
			includeRaw
				? async (raw) => ({ raw, parsed: await read(raw).catch(() => null) })
				: async (message) => await read(message),
		);
	};
}

/** The schema may be from zod, JSON Schema, or a whole function in OpenAI's format. */
function toolOf(
	schema: unknown,
	name: string | undefined,
): { name: string; description: string; schema: unknown } {
	const fields = asObject(schema);
	return {
		name: name ?? asText(fields?.name) ?? 'extract',
		description: asText(fields?.description) ?? 'Gives the answer',
		schema: asObject(fields?.parameters) ?? schema,
	};
}

function argumentsOf(message: Generation['message'], name: string): unknown {
	const call = asObjects(message?.tool_calls).find((toolCall) => toolCall.name === name);
	if (!call) throw new Error(`The model did not give the structured output: it did not call "${name}"`);
	return call.args;
}

/** A zod schema checks the values and adds its defaults. */
async function parsed(value: unknown, schema: unknown): Promise<unknown> {
	return isZod(schema) ? await schema.parseAsync(value) : value;
}

function isZod(schema: unknown): schema is { parseAsync(value: unknown): Promise<unknown> } {
	return typeof schema === 'object' && schema !== null && 'parseAsync' in schema;
}
