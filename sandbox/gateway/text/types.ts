/** A text request and its completion, independent of the three formats. */
import type { JsonSchema } from '../jsonSchema';

export interface ChatMessage {
	role: 'system' | 'user' | 'assistant' | 'tool';
	text: string;
	/** Tokens of images, audio, video and files in this message. */
	attachmentTokens: number;
	/** Kinds of the attachments, which the completion mentions. */
	attachments: string[];
	/** Whether the conversation up to here is to be cached (§4.2 `cache_control`). */
	isCachePoint?: boolean;
	/** The IDs of its tool calls. */
	callIds?: string[];
	/** The reasoning that came back with it. */
	returned?: ReturnedReasoning;
}

export interface ReturnedReasoning {
	text: string;
	/** See `signatureOf`. */
	signature: string;
}

export interface Tool {
	name: string;
	/** Empty for none. */
	description: string;
	schema: JsonSchema;
}

export type ToolChoice = { mode: 'none' | 'auto' | 'required' } | { mode: 'named'; name: string };

export interface TextCall {
	model: string;
	messages: ChatMessage[];
	tools: Tool[];
	toolChoice: ToolChoice;
	parallelTools: boolean;
	maxTokens: number | null;
	stop: string[];
	/** `object`: any JSON object; a schema: JSON that fits it. */
	json: 'object' | JsonSchema | null;
	/** Null leaves it to the model. */
	reasoning: boolean | null;
	choices: number;
	seed: number;
}

export interface ToolCall {
	id: string;
	name: string;
	/** JSON text. */
	arguments: string;
}

export interface Completion {
	text: string;
	/** Empty when the model did not think. */
	reasoning: string;
	toolCalls: ToolCall[];
	finish: 'stop' | 'length' | 'tool_calls' | 'content_filter';
	/** The stop sequence that ended the text. */
	stopSequence: string | null;
	textTokens: number;
	reasoningTokens: number;
}
