import { asObject, asObjects, asText } from '../shared/gateway/util/json';

/** LangChain's message of a model. */
export interface AnswerMessage {
	content?: unknown;
	tool_calls?: unknown;
	tool_call_chunks?: unknown;
	/** Fields of the model's provider, which LangChain passes on. */
	additional_kwargs?: unknown;
}

/** A model of LangChain. */
interface Pipeable {
	pipe(next: (message: AnswerMessage) => unknown): unknown;
}

export interface StructuredOutputSettings {
	name?: string;
	/** Returns the message along with the parsed output. */
	includeRaw?: boolean;
}

/**
 * LangChain's own structured output offers a tool without forcing the model to call it, and reads streamed responses
 * only. Here `forced` returns a model that must call the tool, and every response is read.
 */
export function structuredOutput(forced: (tool: { name: string }) => Pipeable) {
	return (schema: unknown, settings: StructuredOutputSettings = {}): unknown => {
		// JSON Schema, zod, or a whole function in OpenAI's format.
		const fields = asObject(schema);
		const name = settings.name ?? asText(fields?.name) ?? 'extract';
		const description = asText(fields?.description) ?? 'Gives the answer';
		const tool = { name, description, schema: asObject(fields?.parameters) ?? schema };
		const read = async (message: AnswerMessage) => {
			const call = asObjects(message.tool_calls).find((toolCall) => toolCall.name === name);
			if (!call) throw new Error(`The model did not give the structured output: it did not call "${name}"`);
			// zod checks the values and adds its defaults.
			return isZod(schema) ? await schema.parseAsync(call.args) : call.args;
		};
		const readWithRaw = async (raw: AnswerMessage) => ({ raw, parsed: await read(raw).catch(() => null) });
		return forced(tool).pipe(settings.includeRaw ? readWithRaw : read);
	};
}

function isZod(schema: unknown): schema is { parseAsync(value: unknown): Promise<unknown> } {
	return typeof schema === 'object' && schema !== null && 'parseAsync' in schema;
}
