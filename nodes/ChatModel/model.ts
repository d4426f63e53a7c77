import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';

import { StoppedError } from '../shared/gateway/errors/errors';
import type { Completion } from '../shared/gateway/text/formats/completion';
import type { TextFormat } from '../shared/gateway/text/formats/format';
import type { TextRequest, ToolChoice } from '../shared/gateway/text/formats/request';
import { asText, type JsonObject } from '../shared/gateway/util/json';
import type { GatewayRequest } from '../shared/gateway/client/client';
import { streamText } from '../shared/gateway/text/streamText';
import { textCall, type TextCall } from '../shared/gateway/text/textCall';
import { completeText, type TextCosts } from '../shared/run/cost/textCall';
import { iterateChunks } from './chunkQueue';
import { callIds, toChatMessages } from './messages';
import { callInfoOf, toClosingChunks, toResult, type CallInfo } from './result';
import type { AiNodeSdk } from './sdk';
import { toToolDefinitions } from './tools';

/** The settings of the node. */
export interface ModelSettings {
	format: TextFormat;
	/** ID from the catalogue. */
	model: string;
	/** Values of the options that the format has, by option name. */
	options: JsonObject;
	/** Merged into the body last. */
	extraBody: JsonObject;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub?: string | undefined;
}

export interface ModelDependencies extends TextCosts {
	jsonSchema: AiNodeSdk['getParametersJsonSchema'];
	/** Turns any error of a request into the one that the user reads. */
	toUserError: (error: unknown) => Promise<Error>;
}

/** The settings of one request: the SDK's, and what LangChain adds. */
export interface CallConfig extends ChatModelConfig {
	/** LangChain's name for stop sequences. */
	stop?: string[];
	/** LangChain's, also for its `timeout`. */
	signal?: AbortSignal;
	/** Receives what n8n shows of the request. */
	onCallInfo?: (info: CallInfo) => void;
}

/** Settings of a request that are also options of the node, with the same names. */
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
 * A text model of the gateway behind n8n's interface for chat models. Uses the formats, retries and errors of
 * `shared/gateway`; a request that may have been charged is not repeated.
 */
export class GatewayChatModel implements ChatModel<CallConfig> {
	readonly provider = 'ai-gateway';
	readonly modelId: string;

	constructor(
		private readonly settings: ModelSettings,
		private readonly dependencies: ModelDependencies,
		private readonly tools: readonly Tool[] = [],
		private readonly toolChoice?: ToolChoice,
	) {
		this.modelId = settings.model;
	}

	/** The same model with these tools added. Agents add the same ones again. */
	withTools(tools: Tool[]): GatewayChatModel {
		const { settings, dependencies, toolChoice } = this;
		const names = new Set(tools.map(({ name }) => name));
		const kept = this.tools.filter(({ name }) => !names.has(name));
		return new GatewayChatModel(settings, dependencies, [...kept, ...tools], toolChoice);
	}

	/** The same model with a choice of tools. */
	withToolChoice(toolChoice: ToolChoice): GatewayChatModel {
		return new GatewayChatModel(this.settings, this.dependencies, this.tools, toolChoice);
	}

	/** Requests a completion and returns it as a whole. */
	async generate(messages: Message[], config: CallConfig = {}): Promise<GenerateResult> {
		return await this.withUserErrors(config.signal, async () => {
			const { client } = this.dependencies;
			const { request, call, earlierIds } = this.prepare(messages, config, false);
			const completion = await this.complete(
				request,
				call,
				async () => await client.json({ ...call, signal: config.signal }),
			);
			config.onCallInfo?.(callInfoOf(completion));
			return toResult(completion, earlierIds);
		});
	}

	/** Requests a completion and streams it. */
	async *stream(messages: Message[], config: CallConfig = {}): AsyncGenerator<StreamChunk> {
		yield* iterateChunks<StreamChunk>(async (take, signal) => {
			await this.withUserErrors(config.signal, async () => {
				const { request, call, earlierIds } = this.prepare(messages, config, true);
				let shown = '';
				const onText = async (delta: string) => {
					shown += delta;
					await take({ type: 'text-delta', delta });
				};
				const completion = await this.complete(
					request,
					call,
					async () => await this.streamed(request, { ...call, signal }, onText),
				);
				config.onCallInfo?.(callInfoOf(completion));
				for (const chunk of toClosingChunks(completion, shown, earlierIds)) await take(chunk);
			});
		}, config.signal);
	}

	private async complete(
		{ output }: TextRequest,
		{ json: body }: TextCall,
		send: () => Promise<JsonObject>,
	): Promise<Completion> {
		const { format, maxCostRub: limitRub } = this.settings;
		return (await completeText(this.dependencies, { format, output, body, limitRub }, send)).completion;
	}

	private async streamed(
		{ output }: TextRequest,
		request: GatewayRequest,
		onText: (text: string) => Promise<void>,
	): Promise<JsonObject> {
		const { format } = this.settings;
		return await streamText(this.dependencies.client, { format, output, request, onText });
	}

	private prepare(
		messages: Message[],
		config: CallConfig,
		stream: boolean,
	): { request: TextRequest; call: TextCall; earlierIds: Set<string> } {
		const { format, model, options, extraBody } = this.settings;
		const converted = toChatMessages(messages, format);
		const request: TextRequest = {
			model,
			conversation: { kind: 'messages', messages: converted },
			tools: toToolDefinitions(this.tools, this.dependencies.jsonSchema),
			toolChoice: this.tools.length > 0 ? this.toolChoice : undefined,
			output: { kind: 'text' },
			options: { ...options, ...callOptions(config) },
			stream,
		};
		return { request, call: textCall(format, request, extraBody), earlierIds: callIds(converted) };
	}

	/** An aborted request throws the reason of its signal. */
	private async withUserErrors<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (error instanceof StoppedError && signal?.aborted) throw reasonOf(signal);
			throw await this.dependencies.toUserError(error);
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
