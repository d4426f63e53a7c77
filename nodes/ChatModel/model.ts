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
import type {
	ChatMessage,
	OutputRequest,
	TextRequest,
	ToolChoice,
	ToolDefinition,
	ToolMessage,
} from '../shared/gateway/text/formats/request';
import { asText, type JsonObject } from '../shared/gateway/util/json';
import { readToolChoice, type ToolChoiceValues } from '../shared/fields/toolChoice';
import { modelsOf } from '../shared/fields/textRequest';
import { withFallbacks } from '../shared/gateway/text/fallback';
import { sendOrSimpler, withoutReasoning } from '../shared/gateway/text/reasoning';
import { streamText } from '../shared/gateway/text/streamText';
import { textCall, type TextCall } from '../shared/gateway/text/textCall';
import { costLimit } from '../shared/run/cost/minBalance';
import { completeText, type TextCosts } from '../shared/run/cost/textCall';
import { iterateChunks } from './chunkQueue';
import { callIds, toChatMessages } from './messages';
import { keepReasoning, rejectsReasoning, type KeptReasoning } from './reasoning';
import { callInfoOf, toClosingChunks, toResult, type CallInfo } from './result';
import type { AiNodeSdk } from './sdk';
import { withToolMedia } from './toolMedia';
import { toToolDefinitions } from './tools';

/** The settings of the node. */
export interface ModelSettings {
	format: TextFormat;
	/** ID from the catalogue. */
	model: string;
	/** Values of the options that the format has, by option name. */
	options: JsonObject;
	/** The form of responses; text by default. */
	output?: OutputRequest;
	/** The node's choice of tools, for requests whose node makes none. */
	toolChoice?: ToolChoiceValues;
	/** Merged into the body last. */
	extraBody: JsonObject;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub?: string | undefined;
	/** Tried in this order when the model rejects a call. */
	fallbackModels?: string[] | undefined;
	/** Whether the provider is to cache the beginning of conversations. */
	cachesPrompt?: boolean;
	/** Whether the model sees the images that media tools make. */
	showsToolMedia?: boolean | undefined;
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
	/** Receives what n8n shows of the request, and what agents are to keep. */
	onCallInfo?: (info: CallInfo, reasoning?: KeptReasoning) => void;
}

/** A request, and what is needed to read its response. */
interface PreparedRequest {
	request: TextRequest;
	/** IDs of earlier tool calls in the conversation. */
	earlierIds: Set<string>;
	/** Whether the gateway has rejected reasoning in this conversation. */
	rejectsReasoning: boolean;
	/** Prepares it for another model, with the reasoning that this one can read. */
	forModel: (model: string) => PreparedRequest;
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
			const prepared = this.prepare(messages, config, false);
			const completion = await this.completed(prepared, config, async (call) => {
				return await client.json({ ...call, signal: config.signal });
			});
			return toResult(completion, prepared.earlierIds);
		});
	}

	/** Requests a completion and streams it. */
	async *stream(messages: Message[], config: CallConfig = {}): AsyncGenerator<StreamChunk> {
		yield* iterateChunks<StreamChunk>(async (take, signal) => {
			await this.withUserErrors(config.signal, async () => {
				const { format } = this.settings;
				const prepared = this.prepare(messages, config, true);
				const { output } = prepared.request;
				let shown = '';
				const onText = async (delta: string) => {
					shown += delta;
					await take({ type: 'text-delta', delta });
				};
				const completion = await this.completed(prepared, config, async (call) => {
					const request = { ...call, signal };
					return await streamText(this.dependencies.client, { format, output, request, onText });
				});
				for (const chunk of toClosingChunks(completion, shown, prepared.earlierIds)) await take(chunk);
			});
		}, config.signal);
	}

	/** @param send sends a request and returns the body of the response */
	private async completed(
		prepared: PreparedRequest,
		config: CallConfig,
		send: (call: TextCall) => Promise<JsonObject>,
	): Promise<Completion> {
		const { format, model, fallbackModels, extraBody, maxCostRub: limitRub } = this.settings;
		const { client, textModels } = this.dependencies;
		const models = await modelsOf(model, fallbackModels, async () => await textModels.known(client));
		const { output } = prepared.request;
		const complete = async (call: TextCall) => {
			const planned = { format, output, body: call.json, limitRub };
			return (await completeText(this.dependencies, planned, async () => await send(call))).completion;
		};
		const { result, fallbackFrom } = await withFallbacks(models, async (asked) => {
			const isOther = asked !== model;
			const extra = isOther ? { ...extraBody, model: asked } : extraBody;
			const toCall = (given: TextRequest) => ({
				...textCall(format, given, extra, costLimit(client, limitRub) !== undefined),
				isFallback: isOther,
			});
			const { request, rejectsReasoning: rejected } = isOther ? prepared.forModel(asked) : prepared;
			const { response: taken, isRejected } = await sendOrSimpler(
				[request, withoutReasoning(request)],
				toCall,
				async (given) =>
					await sendOrSimpler(
						[this.settings.showsToolMedia ? withToolMedia(given) : given, given],
						toCall,
						async (shown) => await complete(toCall(shown)),
					),
			);
			const { response, isRejected: leavesImagesOut } = taken;
			const kept = keepReasoning(response, { format: format.name, model: asked }, rejected || isRejected);
			return { completion: response, kept, leavesImagesOut };
		});
		const completion = { ...result.completion, fallbackFrom };
		const leftOut = result.leavesImagesOut ? { toolImagesLeftOut: true as const } : {};
		config.onCallInfo?.({ ...callInfoOf(completion), ...leftOut }, result.kept);
		return completion;
	}

	private prepare(
		messages: Message[],
		config: CallConfig,
		stream: boolean,
		model = this.settings.model,
	): PreparedRequest {
		const { format, cachesPrompt = false, output = { kind: 'text' } } = this.settings;
		const options = { ...this.settings.options, ...callOptions(config) };
		const tools = toToolDefinitions(this.tools, this.dependencies.jsonSchema);
		const converted = toChatMessages(messages, format, model);
		const rejected = rejectsReasoning(messages, { format: format.name, model });
		const request: TextRequest = {
			model,
			conversation: { kind: 'messages', messages: converted },
			tools,
			toolChoice: this.chosen(converted, tools, options),
			// A tool that must be called is the response.
			output: typeof this.toolChoice === 'object' ? { kind: 'text' } : output,
			options,
			stream,
			cachesPrompt,
			...(this.tools.length > 0 && !rejected ? { keepsReasoning: true } : {}),
		};
		const forModel = (other: string) => this.prepare(messages, config, stream, other);
		return { request, earlierIds: callIds(converted), rejectsReasoning: rejected, forModel };
	}

	/**
	 * The choice of tools: that of the agent or chain, else the node's. A node's tool that must be called is called once
	 * for each message of the user, or the agent would never respond.
	 */
	private chosen(
		messages: ReadonlyArray<ChatMessage | ToolMessage>,
		tools: ToolDefinition[],
		options: JsonObject,
	): ToolChoice | undefined {
		const { toolChoice: values, extraBody } = this.settings;
		if (this.toolChoice !== undefined) return tools.length > 0 ? this.toolChoice : undefined;
		if (values === undefined) return undefined;
		const choice = readToolChoice(values, { tools, options, extraBody });
		return choice !== 'none' && messages.at(-1)?.role === 'tool' ? undefined : choice;
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
