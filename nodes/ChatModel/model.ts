import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';

import { Stopped } from '../shared/gateway/errors/errors';
import type { TextAnswer } from '../shared/gateway/text/formats/completion';
import { deepMerge } from '../shared/gateway/text/formats/fields';
import type { TextFormat } from '../shared/gateway/text/formats/format';
import type { TextRequest, ToolChoice } from '../shared/gateway/text/formats/request';
import { asText, type JsonObject } from '../shared/gateway/util/json';
import type { GatewayClient, GatewayRequest } from '../shared/gateway/client/client';
import { streamText } from '../shared/gateway/text/streamText';
import { handedOver } from './chunkQueue';
import { callIds, toTurns } from './messages';
import { factsOf, toClosingChunks, toResult, type CallFacts } from './result';
import type { AiNodeSdk } from './sdk';
import { toToolDefinitions } from './tools';

/** What the user has set in the node. */
export interface ModelSettings {
	format: TextFormat;
	/** Id from the catalogue. */
	model: string;
	/** Values of the options that the format has, by option name. */
	options: JsonObject;
	/** Merged into the body last. */
	extraBody: JsonObject;
}

/** What a model works with. */
export interface ModelSurroundings {
	client: GatewayClient;
	jsonSchema: AiNodeSdk['getParametersJsonSchema'];
	/** Turns anything that a call can fail with into the error that the user reads. */
	explained: (error: unknown) => Promise<Error>;
}

/** Settings of one call: those of the SDK, and what LangChain adds. */
export interface CallConfig extends ChatModelConfig {
	/** LangChain's name for stop sequences. */
	stop?: string[];
	/** LangChain's, also for its `timeout`: nobody waits for the answer any more. */
	signal?: AbortSignal;
	/** Is told what n8n is to show of the call. */
	onFacts?: (facts: CallFacts) => void;
}

/** Settings of a call that are options of the node, too, and have its names. */
const SHARED_SETTINGS = [
	'maxTokens',
	'temperature',
	'topP',
	'topK',
	'presencePenalty',
	'frequencyPenalty',
	'seed',
] as const;

/**
 * A text model of the gateway behind n8n's interface for chat models. Asks in the formats of `shared/gateway`, with
 * its retries and errors; a call that may have been charged is not repeated.
 */
export class GatewayChatModel implements ChatModel<CallConfig> {
	readonly provider = 'ai-gateway';
	readonly modelId: string;

	constructor(
		private readonly settings: ModelSettings,
		private readonly surroundings: ModelSurroundings,
		private readonly tools: readonly Tool[] = [],
		private readonly toolChoice?: ToolChoice,
	) {
		this.modelId = settings.model;
	}

	/** The same model with these tools besides those that it has: agents give the same ones again. */
	withTools(tools: Tool[]): GatewayChatModel {
		const { settings, surroundings, toolChoice } = this;
		const names = new Set(tools.map(({ name }) => name));
		const kept = this.tools.filter(({ name }) => !names.has(name));
		return new GatewayChatModel(settings, surroundings, [...kept, ...tools], toolChoice);
	}

	/** The same model, told whether and which tool to call. */
	withToolChoice(toolChoice: ToolChoice): GatewayChatModel {
		return new GatewayChatModel(this.settings, this.surroundings, this.tools, toolChoice);
	}

	/** Asks, and gives the answer when it is whole. */
	async generate(messages: Message[], config: CallConfig = {}): Promise<GenerateResult> {
		return await this.explaining(config.signal, async () => {
			const { client } = this.surroundings;
			const { request, call, earlierIds } = this.prepare(messages, config, false);
			const body = await client.json({ ...call, signal: config.signal });
			const answer = this.settings.format.readAnswer(body, request.output);
			config.onFacts?.(factsOf(answer));
			return toResult(answer, earlierIds);
		});
	}

	/** Asks, and gives the answer while it arrives. */
	async *stream(messages: Message[], config: CallConfig = {}): AsyncGenerator<StreamChunk> {
		yield* handedOver<StreamChunk>(async (take, signal) => {
			await this.explaining(config.signal, async () => {
				const { request, call, earlierIds } = this.prepare(messages, config, true);
				let shown = '';
				const answer = await this.streamed(request, { ...call, signal }, async (delta) => {
					shown += delta;
					await take({ type: 'text-delta', delta });
				});
				config.onFacts?.(factsOf(answer));
				for (const chunk of toClosingChunks(answer, shown, earlierIds)) await take(chunk);
			});
		}, config.signal);
	}

	private async streamed(
		{ output }: TextRequest,
		request: GatewayRequest,
		onText: (text: string) => Promise<void>,
	): Promise<TextAnswer> {
		const { format } = this.settings;
		const body = await streamText(this.surroundings.client, { format, output, request, onText });
		return format.readAnswer(body, output);
	}

	private prepare(
		messages: Message[],
		config: CallConfig,
		stream: boolean,
	): { request: TextRequest; call: GatewayRequest; earlierIds: Set<string> } {
		const { format, model, options, extraBody } = this.settings;
		const turns = toTurns(messages, format);
		const request: TextRequest = {
			model,
			conversation: { kind: 'turns', turns },
			tools: toToolDefinitions(this.tools, this.surroundings.jsonSchema),
			toolChoice: this.tools.length > 0 ? this.toolChoice : undefined,
			output: { kind: 'text' },
			options: { ...options, ...callOptions(config) },
			stream,
		};
		const json = deepMerge(format.toBody(request), extraBody);
		const { group, path, headers } = format;
		const call: GatewayRequest = { group, method: 'POST', path, charged: true, headers, json };
		return { request, call, earlierIds: callIds(turns) };
	}

	/** A caller that has given up gets its own reason. */
	private async explaining<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (error instanceof Stopped && signal?.aborted) throw reasonOf(signal);
			throw await this.surroundings.explained(error);
		}
	}
}

function reasonOf({ reason }: { reason: unknown }): Error {
	return reason instanceof Error ? reason : new Error(asText(reason) ?? 'Aborted');
}

function callOptions(config: CallConfig): JsonObject {
	const options: JsonObject = {};
	for (const name of SHARED_SETTINGS) {
		if (config[name] !== undefined) options[name] = config[name];
	}
	const stop = config.stop ?? config.stopSequences;
	if (stop && stop.length > 0) options.stop = stop;
	return options;
}
