import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import { compact } from '../../../shared/n8n/compact';
import type { OutputFile, Choice, Completion, Usage } from '../../../shared/gateway/text/formats/completion';
import { isIncomplete } from '../../../shared/gateway/text/incomplete';
import { parseJsonOutput } from '../../../shared/gateway/text/formats/jsonOutput';
import type { TextRequest } from '../../../shared/gateway/text/formats/request';
import type { JsonObject } from '../../../shared/gateway/util/json';

/**
 * The outputs of a completion: one for each choice. With several choices, usage and cost are in the first one, so
 * that the sum over the items is what was paid.
 *
 * @throws {ApiError} with text and cost, when JSON was requested and the completion is not JSON
 */
export async function simplifiedOutputs(
	item: ItemContext,
	request: TextRequest,
	completion: Completion,
	body: JsonObject,
): Promise<OperationOutput[]> {
	const outputs: OperationOutput[] = [];
	const fallback = completion.fallbackFrom?.length ? [...completion.fallbackFrom] : undefined;
	for (const [index, choice] of completion.choices.entries()) {
		const json = parseJsonOutput(choice, request.output, completion);
		const facts = choiceFacts(choice, json === undefined ? {} : { json });
		const place = completion.choices.length > 1 ? { choice: index } : {};
		const cost =
			index === 0
				? completion
				: {
						usage: noUsage(completion.usage),
						costRub: completion.costRub === null ? null : 0,
						costIsComputed: completion.costIsComputed,
					};
		const rest = isEmpty(choice) && index === 0 ? { raw: body } : {};
		outputs.push(
			item.run.isTool
				? {
						json: toolJson({
							...facts,
							costRub: cost.costRub,
							costIsComputed: cost.costIsComputed,
							fallbackFrom: fallback,
						}),
					}
				: {
						// Important fields first: the table of the output panel shows four columns.
						json: compact({
							...place,
							...facts,
							costRub: cost.costRub,
							costIsComputed: cost.costIsComputed,
							...(index === 0 ? pluginFacts(completion) : {}),
							model: completion.model,
							provider: completion.provider,
							fallbackFrom: fallback,
							usage: cost.usage,
							id: completion.id,
							...rest,
						}),
						...(await binaryOf(item, request, choice.files)),
					},
		);
	}
	return outputs;
}

/** What an agent needs of a completion, without the reasoning. */
function toolJson(facts: IDataObject): IDataObject {
	// The parsed JSON replaces its text.
	const text = facts.json === undefined ? facts.text : undefined;
	return compact({ ...facts, text, reasoning: undefined });
}

function choiceFacts(choice: Choice, json: { json?: unknown }): IDataObject {
	const { text, toolCalls, reasoning, refusal, sources, otherOutput, finishReason } = choice;
	return compact({
		isComplete: isIncomplete(choice) ? false : undefined,
		text,
		...json,
		toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
		reasoning: reasoning || undefined,
		refusal: refusal || undefined,
		sources: sources.length > 0 ? sources : undefined,
		otherOutput,
		finishReason,
	});
}

function pluginFacts({ pluginsCostRub, pluginPostProcessError }: Completion): IDataObject {
	return compact({ pluginsCostRub, pluginPostProcessError });
}

/** Whether nothing was recognised in a completion: it is paid for, so the output then has the whole body. */
function isEmpty({ text, toolCalls, refusal, files, otherOutput = [] }: Choice): boolean {
	return text === '' && toolCalls.length === 0 && refusal === '' && [...files, ...otherOutput].length === 0;
}

function noUsage(usage: Usage): Usage {
	const none = (tokens: number | null) => (tokens === null ? null : 0);
	return {
		inputTokens: none(usage.inputTokens),
		outputTokens: none(usage.outputTokens),
		totalTokens: none(usage.totalTokens),
		cachedInputTokens: none(usage.cachedInputTokens),
		reasoningTokens: none(usage.reasoningTokens),
		...(usage.webSearchRequests === undefined ? {} : { webSearchRequests: 0 }),
	};
}

/** The files of a completion as binary fields: `audio`, `image`, `image_1`, … */
async function binaryOf(
	item: ItemContext,
	request: TextRequest,
	files: OutputFile[],
): Promise<{ binary?: IBinaryKeyData }> {
	const binary: IBinaryKeyData = {};
	for (const file of files) {
		const earlier = Object.keys(binary).filter((name) => name.startsWith(file.kind)).length;
		const field = earlier === 0 ? file.kind : `${file.kind}_${earlier}`;
		const extension = extensionOf(file, request);
		binary[field] = await item.n8n.helpers.prepareBinaryData(
			Buffer.from(file.base64, 'base64'),
			extension === undefined ? undefined : `${field}.${extension}`,
			file.mimeType,
		);
		binary[field].fileName ??= `${field}.${binary[field].fileExtension ?? 'bin'}`;
	}
	return files.length > 0 ? { binary } : {};
}

/** The extension of a file, where known. Sound has the requested format. */
function extensionOf(file: OutputFile, { options }: TextRequest): string | undefined {
	if (file.kind === 'audio') return typeof options.audioFormat === 'string' ? options.audioFormat : undefined;
	return /^image\/([\w-]+)/.exec(file.mimeType ?? '')?.[1];
}
