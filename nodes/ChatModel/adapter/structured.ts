import { asObject, asObjects, asText } from '../../shared/gateway/util/json';
import type { Adapter, Generation } from './types';

/**
 * LangChain's own way to structured output asks for a call of a function, but does not make the model call it, and then
 * takes nothing but a streamed answer. Here the model must call it, and any answer is read.
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

/** The schema may be zod's, JSON's, or a whole function as OpenAI describes one. */
function toolOf(
	schema: unknown,
	name: string | undefined,
): { name: string; description: string; schema: unknown } {
	const facts = asObject(schema);
	return {
		name: name ?? asText(facts?.name) ?? 'extract',
		description: asText(facts?.description) ?? 'Gives the answer',
		schema: asObject(facts?.parameters) ?? schema,
	};
}

function argumentsOf(message: Generation['message'], name: string): unknown {
	const call = asObjects(message?.tool_calls).find((made) => made.name === name);
	if (!call) throw new Error(`The model did not give the structured output: it did not call "${name}"`);
	return call.args;
}

/** A schema of zod checks the values and adds what it has defaults for. */
async function parsed(value: unknown, schema: unknown): Promise<unknown> {
	return isZod(schema) ? await schema.parseAsync(value) : value;
}

function isZod(schema: unknown): schema is { parseAsync(value: unknown): Promise<unknown> } {
	return typeof schema === 'object' && schema !== null && 'parseAsync' in schema;
}
