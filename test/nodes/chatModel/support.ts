import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import { HumanMessage } from '@langchain/core/messages';

// The model behind n8n's SDK, called through LangChain as n8n's agents do.

/** The part of a model that LangChain and n8n use. */
export interface LangChainModel {
	callbacks: unknown[];
	metadata?: object;
	invoke(messages: BaseMessage[], options?: object): Promise<AIMessage>;
	stream(
		messages: BaseMessage[],
		options?: object,
	): Promise<AsyncIterable<AIMessageChunk> & { return(): Promise<unknown> }>;
	streamEvents(messages: BaseMessage[], options: object): PromiseLike<AIMessage>;
	getNumTokens(content: unknown): Promise<number>;
	bindTools(tools: unknown[], settings?: object): LangChainModel;
	withStructuredOutput(schema: unknown): StructuredModel;
}

interface StructuredModel {
	invoke(messages: BaseMessage[]): Promise<unknown>;
	stream(messages: BaseMessage[]): Promise<AsyncIterable<unknown>>;
}

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5 };

/** A response that is not streamed. */
export const whole = (message: object, finish_reason = 'stop', used: object = usage) =>
	JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, message, finish_reason }], usage: used });

/** An event of a stream. */
export const eventOf = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** An event of a stream with a delta. */
const deltaOf = (delta: object) => eventOf({ id: 'c1', choices: [{ index: 0, delta }] });

/** A streamed response with this usage. */
export const streamUsing = (used: object, ...deltas: object[]) =>
	[
		...deltas.map(deltaOf),
		eventOf({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
		eventOf({ id: 'c1', choices: [], usage: used }),
		'data: [DONE]\n\n',
	].join('');
export const streamOf = (...deltas: object[]) => streamUsing(usage, ...deltas);

/** A tool call, as in a response and in a chunk of a stream. */
export const callOf = (id: string, name: string, args: string, index = 0) => ({
	index,
	id,
	type: 'function',
	function: { name, arguments: args },
});

/** A streamed message, put together as LangChain does it. */
export async function streamed(
	lc: LangChainModel,
	messages: BaseMessage[] = [new HumanMessage('Go')],
): Promise<AIMessageChunk> {
	let all: AIMessageChunk | undefined;
	for await (const chunk of await lc.stream(messages)) all = all ? all.concat(chunk) : chunk;
	if (!all) throw new Error('the stream was empty');
	return all;
}
