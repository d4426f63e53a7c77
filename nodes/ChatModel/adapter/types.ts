import type { CallConfig, GatewayChatModel } from '../model';

/** The parts of the SDK's LangChain model that are used here. */
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

/** The settings of LangChain that are used here. */
export interface StructuredOutputSettings {
	/** Name of the tool that the model calls. */
	name?: string;
	/** Returns the message along with the parsed output. */
	includeRaw?: boolean;
}

/** A stream of LangChain. */
interface Readable {
	return(): Promise<unknown>;
}

/** A completion, or a chunk of one. */
export interface Generation {
	/** n8n shows this for each request, besides text and tokens. */
	generationInfo?: object;
	message?: {
		content?: unknown;
		tool_calls?: unknown;
		tool_call_chunks?: unknown;
		/** Fields of the model's provider, which LangChain passes on. */
		additional_kwargs?: unknown;
	};
}

interface Generated {
	generations: Generation[];
}
