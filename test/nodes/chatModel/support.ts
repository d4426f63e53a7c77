import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import { HumanMessage } from '@langchain/core/messages';
import type { ISupplyDataFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { patchAdapter, type Adapter } from '../../../nodes/ChatModel/adapter';
import { GatewayChatModel } from '../../../nodes/ChatModel/model';
import { loadSdk } from '../../../nodes/ChatModel/sdk';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { Spending } from '../../../nodes/shared/run/charge/spending';
import { listTextModels, Catalogue } from '../../../nodes/shared/gateway/endpoints/models';
import { scriptedClient } from '../../helpers/client';

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

/** The model with a gateway that responds with `body`, its runs in n8n's log, and the requests. */
export function modelWith(body: string) {
	const scripted = scriptedClient([{ body, headers: { 'content-type': contentType(body) } }]);
	const logged: JsonObject[] = [];
	const context = {
		getNode: () => ({ name: 'Model' }),
		getNextRunIndex: () => 0,
		addInputData: () => ({ index: 0 }),
		addOutputData: (_type: string, _index: number, data: Array<Array<{ json: JsonObject }>>) =>
			logged.push(data[0]?.[0]?.json ?? {}),
		logAiEvent: () => undefined,
		logger: { debug: () => undefined },
	} as unknown as ISupplyDataFunctions;
	const sdk = loadSdk();
	const model = new GatewayChatModel(
		{
			format: textFormat('chat'),
			model: 'm',
			options: { temperature: 0.5 },
			output: { kind: 'text' },
			toolChoice: { toolChoice: 'auto', toolChoiceName: '' },
			cachesPrompt: false,
			extraBody: { user: 'me' },
			maxCostRub: undefined,
			fallbackModels: [],
			showToolMedia: undefined,
		},
		{
			client: scripted.client,
			spending: new Spending({
				getExecutionId: () => 'e1',
				getWorkflowDataProxy: () => ({ $execution: {} }) as unknown as IWorkflowDataProxyData,
			}),
			textModels: new Catalogue(listTextModels),
			jsonSchema: sdk.getParametersJsonSchema,
			toUserError: (error) => (error instanceof Error ? error : new Error(String(error))),
			showHint: () => undefined,
		},
	);
	const lc = patchAdapter(sdk.supplyModel(context, model).response as Adapter) as unknown as LangChainModel;
	const calls = () => scripted.sent.filter(({ method }) => method === 'POST');
	const requests = () => calls().map((request) => JSON.parse(request.body as string) as JsonObject);
	return { lc, logged, requests };
}

const contentType = (body: string) => (body.startsWith('{') ? 'application/json' : 'text/event-stream');
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5 };

/** A response that is not streamed. */
export const whole = (message: object, finish_reason = 'stop', used: object = usage) =>
	JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, message, finish_reason }], usage: used });

/** An event of a stream. */
export const eventOf = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** An event of a stream with a delta. */
export const deltaOf = (delta: object) => eventOf({ id: 'c1', choices: [{ index: 0, delta }] });

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
