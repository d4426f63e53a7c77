import type { IBinaryKeyData } from 'n8n-workflow';

import { asError, type ApiError } from '../../../shared/gateway/errors/errors';
import {
	imageUrl,
	unlessEmpty,
	unusableResponse,
	valueAt,
	type Choice,
	type Completion,
	type OutputFile,
} from '../../../shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../shared/gateway/text/formats/jsonOutput';
import { isIncomplete } from '../../../shared/gateway/text/incomplete';
import { asksForMedia, textBody } from '../../../shared/gateway/text/textCall';
import { nameInUrl, typeByName } from '../../../shared/gateway/util/fileName';
import { asText, compact, omit, type Json, type JsonObject } from '../../../shared/gateway/util/json';
import { storeUrl } from '../../../shared/n8n/binary';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import type { PreparedText } from './parameters';

/** The outputs of a completion: one for each choice, or the body of the response without *Simplify*. */
export async function outputsOf(
	item: ItemContext,
	prepared: PreparedText,
	completion: Completion,
	body: JsonObject,
): Promise<OperationOutput[]> {
	const { isTool } = item.run;
	if (!prepared.simplify && !isTool) return [{ json: body }];
	const outputs: OperationOutput[] = [];
	for (const [index, choice] of completion.choices.entries()) {
		const parsed = parseJsonOutput(choice, prepared.request.output, completion);
		const fields = compact(fieldsOf(completion, index, choice, parsed, body));
		if (isTool) {
			// The parsed JSON replaces its text.
			const repeated = parsed === undefined ? [] : ['text'];
			outputs.push({ json: [...NOT_FOR_AGENTS, ...repeated].reduce(omit, fields) });
		} else {
			outputs.push({ json: fields, ...(await binaryOf(item, prepared, completion, choice)) });
		}
	}
	return outputs;
}

const NOT_FOR_AGENTS = ['choice', 'reasoning', 'model', 'provider', 'usage', 'id', 'raw'];

/** Important fields first: the table of the output panel shows four columns. */
function fieldsOf(
	completion: Completion,
	index: number,
	choice: Choice,
	output: Json | undefined,
	body: JsonObject,
) {
	const { choices, costRub, costIsComputed, fallbackFrom = [], usage } = completion;
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
		model: completion.model,
		provider: completion.provider,
		fallbackFrom: unlessEmpty(fallbackFrom),
		usage: isFirst ? usage : Object.fromEntries(none),
		id: completion.id,
		// Nothing was recognised in a completion that is paid for.
		raw: isFirst && isEmpty(choice) ? body : undefined,
	};
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
		try {
			binary[field] = await item.n8n.helpers.prepareBinaryData(bytes, fileName, mimeType);
		} catch (error) {
			throw notStored(completion, error);
		}
		binary[field].fileName ??= `${field}.${binary[field].fileExtension ?? 'bin'}`;
	}
	const { format, request, extraBody } = prepared;
	const links = otherOutput.map(imageUrl).filter((url) => /^https?:/i.test(url));
	const isWanted = links.length > 0 && asksForMedia(textBody(format, request, extraBody));
	for (const url of isWanted ? links : []) {
		const field = nextField('image');
		try {
			binary[field] = await storeUrl(item, url, { names: [nameInUrl(url), field] });
		} catch (error) {
			// The text is paid, and has the link.
			const { message } = asError(error);
			item.run.hints.add(`A picture could not be downloaded: its link is in 'otherOutput'. ${message}.`);
		}
	}
	return Object.keys(binary).length > 0 ? { binary } : {};
}

/** The completion is charged: this error must neither lose it nor have it requested again. */
function notStored({ id, choices, costRub, costIsComputed }: Completion, error: unknown): ApiError {
	return unusableResponse(
		{
			message: 'The response could not be stored in n8n',
			description: `${asError(error).message}.`,
			code: 'result_not_stored',
		},
		{ id, text: choices.map(({ text }) => text).join('\n'), costRub, costIsComputed },
	);
}

/** Types of sound that are not named as the format is. */
const SOUND_TYPES: ReadonlyMap<string, string> = new Map([
	['opus', 'audio/ogg'],
	['pcm16', 'audio/pcm'],
]);

/** The extension and the type of a file, where known. Sound has the requested format. */
function typeOf({ kind, mimeType }: OutputFile, { request, extraBody }: PreparedText) {
	if (kind === 'image') return { extension: /^image\/([\w-]+)/.exec(mimeType ?? '')?.[1], mimeType };
	const extension = asText(valueAt(extraBody, 'audio.format')) ?? asText(request.options.audioFormat);
	if (extension === undefined) return { extension, mimeType };
	const type = SOUND_TYPES.get(extension) ?? typeByName(`.${extension}`) ?? `audio/${extension}`;
	return { extension, mimeType: type };
}
