import type { ChatModel, ChatModelConfig, GenerateResult, StreamChunk, Tool } from '@n8n/ai-node-sdk';

import { optionFields } from '../shared/fields/textOptions';
import { hasTools, readToolChoice, takenToolNames } from '../shared/fields/textRequest';
import { ApiError, asError, StoppedError } from '../shared/gateway/errors/errors';
import { withFallbacks } from '../shared/gateway/text/fallback';
import type { Completion } from '../shared/gateway/text/formats/completion';
import type { OutputRequest, TextRequest, ToolChoice } from '../shared/gateway/text/formats/request';
import { parseJsonOutput } from '../shared/gateway/text/formats/jsonOutput';
import { isIncomplete } from '../shared/gateway/text/incomplete';
import { streamText } from '../shared/gateway/text/streamText';
import { textBody, textCall } from '../shared/gateway/text/textCall';
import { asObjects, canonicalJson, type JsonObject } from '../shared/gateway/util/json';
import { completeText, type TextCosts } from '../shared/run/charge/text';
import type { ModelSettings } from './fields';
import { reasoningToKeep, toChatMessages, withToolMedia, type LangChainMessage } from './messages';
import { callInfoOf, toClosingChunks, toResult } from './result';
import { toToolDefinitions, type AiNodeSdk } from './sdk';
import { ToolNames } from './toolNames';

export interface ModelDependencies extends TextCosts {
	jsonSchema: AiNodeSdk['getParametersJsonSchema'];
	toUserError: (error: unknown) => Error;
}

export interface CallOptions extends ChatModelConfig {
	stop?: string[];
	/** Also for LangChain's `timeout`. */
	signal?: AbortSignal;
}

/** A request of LangChain. The SDK passes it on as it is. */
export interface CallConfig extends CallOptions {
	messages: readonly LangChainMessage[];
	toolChoice: ToolChoice | undefined;
	shown: ShownOfCall;
}

/** What the completions of the SDK do not have. */
export interface ShownOfCall {
	info?: object;
	reasoning?: string | undefined;
}

export class GatewayChatModel implements ChatModel<CallConfig> {
	readonly provider = 'ai-gateway';
	readonly modelId: string;
	private readonly toolNames: ToolNames;

	constructor(
		private readonly settings: ModelSettings,
		private readonly dependencies: ModelDependencies,
		private readonly tools: readonly Tool[] = [],
	) {
		this.modelId = settings.model;
		const names = tools.map(({ name }) => name);
		this.toolNames = new ToolNames(names, takenToolNames(settings.format, settings));
	}

	withTools(tools: Tool[]): GatewayChatModel {
		// Agents add the same ones again.
		const names = new Set(tools.map(({ name }) => name));
		const kept = this.tools.filter(({ name }) => !names.has(name));
		return new GatewayChatModel(this.settings, this.dependencies, [...kept, ...tools]);
	}

	async generate(_messages: unknown, config: CallConfig = calledDirectly()): Promise<GenerateResult> {
		return await this.withUserErrors(config.signal, async () => {
			const completion = await this.completed(config, this.settings.stream ?? false);
			return toResult(completion, callIds(config.messages));
		});
	}

	stream(_messages: unknown, config: CallConfig = calledDirectly()): AsyncIterable<StreamChunk> {
		return iterate(config.signal, async (take: (chunk: StreamChunk) => void, signal) => {
			await this.withUserErrors(config.signal, async () => {
				let shown = '';
				const onText = (delta: string) => {
					shown += delta;
					take({ type: 'text-delta', delta });
				};
				const asked = { ...config, signal };
				const completion = await this.completed(asked, this.settings.stream ?? true, onText);
				toClosingChunks(completion, shown, callIds(config.messages)).forEach(take);
			});
		});
	}

	private async completed(
		config: CallConfig,
		stream: boolean,
		onText: (delta: string) => void = () => undefined,
	): Promise<Completion> {
		const { settings, dependencies } = this;
		const { format, model, maxCostRub } = settings;
		const models = [model, ...settings.fallbackModels];
		const { result, fallbackFrom } = await withFallbacks(models, async (asked, wait) => {
			const extraBody = asked === model ? settings.extraBody : { ...settings.extraBody, model: asked };
			const bodyOf = (isPlain: boolean) =>
				textBody(format, this.request(config, asked, stream, isPlain), extraBody);
			const output = this.output(config);
			const { result: sent, isPlain } = await plainIfRejected(bodyOf, async (body) => {
				const plan = { format, output, body, maxCostRub, signal: config.signal };
				return await completeText(dependencies, plan, async (json) => {
					const request = { ...textCall(format, json), ...wait, signal: config.signal };
					const streamed = stream ? { onText } : {};
					return await streamText(dependencies.client, { format, output, request, ...streamed });
				});
			});
			config.shown.reasoning = reasoningToKeep(sent.completion, this.source(asked));
			return { ...sent, isPlain };
		});
		if (fallbackFrom.length > 0)
			dependencies.hints.add('A fallback model has answered. The log shows which models were asked before.');
		const completion = { ...this.toolNames.completion(result.completion), fallbackFrom };
		this.checkOutput(completion, this.output(config));
		const leftOut = result.isPlain ? { leftOut: 'images of tools, reasoning' } : {};
		config.shown.info = { ...callInfoOf(completion), ...leftOut };
		return completion;
	}

	/** @param isPlain without images of tools and without reasoning, which a model may reject */
	private request(config: CallConfig, model: string, stream: boolean, isPlain: boolean): TextRequest {
		const { format, cachesPrompt, fields: own, showToolMedia = false, toolChoice, extraBody } = this.settings;
		const stop = config.stop?.length ? config.stop : undefined;
		const fields = { ...own, ...optionFields({ sampling: { stop } }, format) };
		const { toolNames } = this;
		const tools = toToolDefinitions(this.tools, this.dependencies.jsonSchema).map((tool) =>
			toolNames.tool(tool),
		);
		const source = isPlain ? undefined : this.source(model);
		const messages = toChatMessages(config.messages, source).map((message) => toolNames.message(message));
		// A tool that must be called is called once for each message of the user: the agent must respond.
		const withTools = { tools, fields, extraBody };
		const choice = hasTools(withTools) ? readToolChoice(toolChoice, withTools) : undefined;
		const ownChoice = choice !== 'none' && messages.at(-1)?.role === 'tool' ? undefined : choice;
		const shown = showToolMedia && !isPlain ? withToolMedia(messages) : messages;
		return {
			model,
			conversation: { kind: 'messages', messages: shown },
			tools,
			// That of the agent or chain comes first.
			toolChoice: toolNames.choice(config.toolChoice ?? ownChoice),
			output: this.output(config),
			fields,
			stream,
			cachesPrompt,
			keepsReasoning: !isPlain && tools.length > 0,
		};
	}

	/** Agents and chains take any text: a hint says that it is not the JSON of *Output Format*. */
	private checkOutput(completion: Completion, output: OutputRequest): void {
		try {
			// What is cut off or filtered has a hint already.
			if (!isIncomplete(completion)) parseJsonOutput(completion, output);
		} catch (error) {
			this.dependencies.hints.add(`${asError(error).message}. The text is passed on as it is.`);
		}
	}

	/** A tool that the agent or chain forces is the response. */
	private output({ toolChoice }: CallConfig): OutputRequest {
		return typeof toolChoice === 'object' ? { kind: 'text' } : this.settings.output;
	}

	/** Identifies what can read the reasoning of a model. */
	private source(model: string): string {
		return `${this.settings.format.name} ${model}`;
	}

	/** An aborted request throws the reason of its signal. */
	private async withUserErrors<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (error instanceof StoppedError && signal?.aborted) throw asError(signal.reason);
			throw this.dependencies.toUserError(error);
		}
	}
}

/** A 400 costs nothing (§7.3): then the plain call is sent, if it is another. If both get one, the first error counts. */
async function plainIfRejected<R>(
	bodyOf: (isPlain: boolean) => JsonObject,
	send: (body: JsonObject) => Promise<R>,
): Promise<{ result: R; isPlain: boolean }> {
	const [asked, plain] = [bodyOf(false), bodyOf(true)];
	try {
		return { result: await send(asked), isPlain: false };
	} catch (error) {
		if (!isRejection(error) || canonicalJson(plain) === canonicalJson(asked)) throw asError(error);
		const result = await send(plain).catch((second: unknown) => {
			throw asError(isRejection(second) ? error : second);
		});
		return { result, isPlain: true };
	}
}

/** Whether the gateway may take a simpler request: a 400 for a part of it, not for its length (§7.3). */
function isRejection(error: unknown): boolean {
	if (!(error instanceof ApiError)) return false;
	const { status = 0, responseStatus = status, outcome, code } = error.details;
	const isBadRequest = status === 400 && (responseStatus === 400 || responseStatus < 400);
	return isBadRequest && outcome === 'rejected' && code !== 'context_length_exceeded';
}

/** The patched adapter is the only caller. */
function calledDirectly(): never {
	throw new TypeError('The model has no messages');
}

function callIds(messages: readonly LangChainMessage[]): unknown[] {
	return messages.flatMap(({ tool_call_id: id, tool_calls: calls }) => [
		id,
		...asObjects(calls).map((call) => call.id),
	]);
}

/**
 * The values that `work` passes on, in order; ends, or throws, as the work does. The reader does not slow the work down,
 * whose signal aborts with `signal`, and when the reader has left.
 */
async function* iterate<T>(
	signal: AbortSignal | undefined,
	work: (take: (value: T) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<T> {
	const left = new AbortController();
	let done = Promise.resolve();
	const values = new ReadableStream<T>({
		start(controller) {
			const take = (value: T) => left.signal.aborted || controller.enqueue(value);
			const close = () => left.signal.aborted || controller.close();
			done = work(take, AbortSignal.any([left.signal, ...(signal ? [signal] : [])]));
			void done.then(close, close);
		},
		cancel: () => left.abort(),
	});
	yield* values;
	// Not by the stream, whose error would come before values that nobody has read yet.
	await done;
}
