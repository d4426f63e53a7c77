import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import { compact } from '../../../shared/n8n/compact';
import type { OutputFile, Choice, Completion, Usage } from '../../../shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../shared/gateway/text/formats/jsonOutput';
import type { TextRequest } from '../../../shared/gateway/text/formats/request';
import type { JsonObject } from '../../../shared/gateway/util/json';

/**
 * The items that an answer becomes: one a choice. Usage and cost are those of the whole call, so with several choices
 * they stand with the first; a sum over the items is then what was paid.
 *
 * @throws {ApiError} when JSON was asked for and the answer is none; it carries text and cost
 */
export async function simplifiedOutputs(
	item: ItemContext,
	request: TextRequest,
	completion: Completion,
	body: JsonObject,
): Promise<OperationOutput[]> {
	const outputs: OperationOutput[] = [];
	for (const [index, choice] of completion.choices.entries()) {
		const json = parseJsonOutput(choice, request.output, completion);
		const facts = choiceFacts(choice, json === undefined ? {} : { json });
		const place = completion.choices.length > 1 ? { choice: index } : {};
		const cost =
			index === 0
				? completion
				: { usage: noUsage(completion.usage), costRub: completion.costRub === null ? null : 0 };
		const rest = isEmpty(choice) && index === 0 ? { raw: body } : {};
		outputs.push(
			item.run.isTool
				? { json: toolJson({ ...facts, costRub: cost.costRub }) }
				: {
						// What people look for comes first: the table of the output panel has room for four columns.
						json: compact({
							...place,
							...facts,
							costRub: cost.costRub,
							model: completion.model,
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

/** What an agent needs of an answer: not how the model came to it. */
function toolJson(facts: IDataObject): IDataObject {
	// Parsed JSON says what its text says.
	const text = facts.json === undefined ? facts.text : undefined;
	return compact({ ...facts, text, reasoning: undefined });
}

function choiceFacts(choice: Choice, json: { json?: unknown }): IDataObject {
	const { text, toolCalls, reasoning, refusal, sources, finishReason } = choice;
	return compact({
		text,
		...json,
		toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
		reasoning: reasoning || undefined,
		refusal: refusal || undefined,
		sources: sources.length > 0 ? sources : undefined,
		finishReason,
	});
}

/** Whether nothing of the answer could be recognised: it is paid for, so the whole of it is put out then. */
function isEmpty({ text, toolCalls, refusal, files }: Choice): boolean {
	return text === '' && toolCalls.length === 0 && refusal === '' && files.length === 0;
}

function noUsage(usage: Usage): Usage {
	const none = (tokens: number | null) => (tokens === null ? null : 0);
	return {
		inputTokens: none(usage.inputTokens),
		outputTokens: none(usage.outputTokens),
		totalTokens: none(usage.totalTokens),
		cachedInputTokens: none(usage.cachedInputTokens),
		reasoningTokens: none(usage.reasoningTokens),
	};
}

/** The files of an answer as binary fields: `audio`, `image`, `image_1`, … */
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

/** The extension of a file, where it is known: that of sound is what was asked for. */
function extensionOf(file: OutputFile, { options }: TextRequest): string | undefined {
	if (file.kind === 'audio') return typeof options.audioFormat === 'string' ? options.audioFormat : undefined;
	return /^image\/([\w-]+)/.exec(file.mimeType ?? '')?.[1];
}
