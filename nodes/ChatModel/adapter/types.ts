import type { CallConfig, GatewayChatModel } from '../model';

/** What is used of the LangChain model that n8n's SDK makes. */
export interface Adapter {
	chatModel?: GatewayChatModel;
	callbacks?: unknown;
	metadata?: unknown;
	_generate?: (messages: object[], options: CallConfig, run?: unknown) => Promise<Generated>;
	_streamResponseChunks?: (
		messages: object[],
		options: CallConfig,
		run?: unknown,
	) => AsyncGenerator<Generation>;
	stream?: (input: unknown, options?: { signal?: AbortSignal }) => Promise<Readable>;
	bindTools?: (tools: unknown[], settings?: { tool_choice?: unknown }) => Adapter;
	withStructuredOutput?: (schema: unknown, settings?: StructuredOutputSettings) => unknown;
	pipe?: (next: (message: Generation['message']) => unknown) => unknown;
}

/** LangChain's, as far as they mean something here. */
export interface StructuredOutputSettings {
	/** Of the function that the model calls. */
	name?: string;
	/** Gives the message beside what was read from it. */
	includeRaw?: boolean;
}

/** A stream of LangChain's. */
interface Readable {
	return(): Promise<unknown>;
}

/** An answer, or a piece of one. */
export interface Generation {
	/** n8n shows this of each call, besides text and tokens. */
	generationInfo?: object;
	message?: { content?: unknown; tool_calls?: unknown; tool_call_chunks?: unknown };
}

interface Generated {
	generations: Generation[];
}
