import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import {
	imageUrl,
	valueAt,
	type OutputFile,
	type Choice,
	type Completion,
} from '../../../shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../shared/gateway/text/formats/jsonOutput';
import { asksForMedia, textBody } from '../../../shared/gateway/text/textCall';
import { nameInUrl } from '../../../shared/gateway/util/fileName';
import { storeUrl } from '../../../shared/n8n/binary';
import { isIncomplete } from '../../../shared/gateway/text/incomplete';
import { asText, compact, type Json, type JsonObject } from '../../../shared/gateway/util/json';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import type { PreparedText } from './parameters';

/** The outputs of a completion: one for each choice, or the body of the response without *Simplify*. */
export async function outputsOf(
	item: ItemContext,
	prepared: PreparedText,
	completion: Completion,
	body: JsonObject,
): Promise<OperationOutput[]> {
	const { request, simplify } = prepared;
	const { isTool } = item.run;
	if (!simplify && !isTool) return [{ json: body }];
	const outputs: OperationOutput[] = [];
	for (const [index, choice] of completion.choices.entries()) {
		const parsed = parseJsonOutput(choice, request.output, completion);
		const fields = fieldsOf(completion, index, choice, parsed, body);
		if (isTool) {
			// The parsed JSON replaces its text.
			const text = parsed === undefined ? choice.text : undefined;
			outputs.push({ json: compact({ ...fields, ...NOT_FOR_AGENTS, text }) });
		} else {
			outputs.push({ json: compact(fields), ...(await binaryOf(item, prepared, completion, choice)) });
		}
	}
	return outputs;
}

const NOT_FOR_AGENTS: IDataObject = Object.fromEntries(
	'choice reasoning plugins pluginPostProcessError model provider usage id raw'
		.split(' ')
		.map((name) => [name, undefined]),
);

/** Important fields first: the table of the output panel shows four columns. */
function fieldsOf(
	completion: Completion,
	index: number,
	choice: Choice,
	output: Json | undefined,
	body: JsonObject,
) {
	const { choices, costRub, costIsComputed, fallbackFrom, usage } = completion;
	// Only the first output has tokens and cost, so that the sum over the items is what was paid.
	const isFirst = index === 0;
	const none = Object.entries(usage).map(([name, tokens]) => [name, tokens === null ? null : 0]);
	return {
		choice: choices.length > 1 ? index : undefined,
		isComplete: isIncomplete(choice) ? false : undefined,
		text: choice.text,
		output,
		toolCalls: unlessEmpty(choice.toolCalls),
		reasoning: choice.reasoning || undefined,
		refusal: choice.refusal || undefined,
		sources: unlessEmpty(choice.sources),
		otherOutput: unlessEmpty(choice.otherOutput),
		finishReason: choice.finishReason,
		costRub: isFirst || costRub === null ? costRub : 0,
		costIsComputed,
		plugins: isFirst ? completion.plugins : undefined,
		pluginPostProcessError: isFirst ? completion.pluginPostProcessError : undefined,
		model: completion.model,
		provider: completion.provider,
		fallbackFrom: unlessEmpty(fallbackFrom ?? []),
		usage: isFirst ? usage : Object.fromEntries(none),
		id: completion.id,
		// Nothing was recognised in a completion that is paid for.
		raw: isFirst && isEmpty(choice) ? body : undefined,
	};
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
	return list.length > 0 ? list : undefined;
}

function isEmpty({ text, toolCalls, refusal, files, otherOutput }: Choice): boolean {
	return text === '' && refusal === '' && [...toolCalls, ...files, ...otherOutput].length === 0;
}

/** The files of a completion as binary fields: `audio`, `image`, `image_1`, … */
async function binaryOf(
	item: ItemContext,
	prepared: PreparedText,
	completion: Completion,
	{ files, otherOutput }: Choice,
): Promise<{ binary?: IBinaryKeyData }> {
	const binary: IBinaryKeyData = {};
	const nextField = (kind: OutputFile['kind']) => {
		const earlier = Object.keys(binary).filter((name) => name.startsWith(kind)).length;
		return earlier === 0 ? kind : `${kind}_${earlier}`;
	};
	for (const file of files) {
		const field = nextField(file.kind);
		const { extension, mimeType } = typeOf(file, prepared);
		const fileName = extension === undefined ? undefined : `${field}.${extension}`;
		const bytes = Buffer.from(file.base64, 'base64');
		binary[field] = await item.n8n.helpers
			.prepareBinaryData(bytes, fileName, mimeType)
			.catch((error: unknown) => {
				throw notStored(completion, error);
			});
		binary[field].fileName ??= `${field}.${binary[field].fileExtension ?? 'bin'}`;
	}
	const links = otherOutput.map(imageUrl).filter((url) => /^https?:/i.test(url));
	const { format, request, extraBody } = prepared;
	if (links.length > 0 && asksForMedia(textBody(format, request, extraBody))) {
		for (const url of links) {
			const field = nextField('image');
			const picture = await storeUrl(item, url, { names: [nameInUrl(url), field] }).catch(
				(error: unknown) => {
					// The text is paid, and has the link.
					const { message } = asError(error);
					item.run.hints.add(`A picture could not be downloaded: its link is in 'otherOutput'. ${message}.`);
				},
			);
			if (picture) binary[field] = picture;
		}
	}
	return Object.keys(binary).length > 0 ? { binary } : {};
}

/** The completion is charged: this error must neither lose it nor have it requested again. */
function notStored({ id, choices, costRub, costIsComputed }: Completion, error: unknown): ApiError {
	return new ApiError({
		message: 'The response could not be stored in n8n',
		description: `${asError(error).message}.`,
		outcome: 'charged',
		code: 'result_not_stored',
		retryable: false,
		extra: { id, text: choices.map(({ text }) => text).join('\n'), costRub, costIsComputed },
	});
}

/** MIME subtypes of sound that are not named as the format is. */
const SOUND_TYPES: ReadonlyMap<string, string> = new Map([
	['mp3', 'mpeg'],
	['opus', 'ogg'],
	['pcm16', 'pcm'],
]);

/** The extension and the type of a file, where known. Sound has the requested format; n8n takes some for text. */
function typeOf(file: OutputFile, { request, extraBody }: PreparedText) {
	const { kind, mimeType } = file;
	if (kind === 'image') return { extension: /^image\/([\w-]+)/.exec(mimeType ?? '')?.[1], mimeType };
	const format = asText(valueAt(extraBody, 'audio.format')) ?? asText(request.options.audioFormat);
	if (format === undefined) return { extension: undefined, mimeType };
	return { extension: format, mimeType: `audio/${SOUND_TYPES.get(format) ?? format}` };
}
