import type { IBinaryKeyData } from 'n8n-workflow';

import { asError, type ApiError } from '../../../shared/gateway/errors/errors';
import {
	unlessEmpty,
	unusableResponse,
	valueAt,
	type Choice,
	type Completion,
	type OutputFile,
} from '../../../shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../shared/gateway/text/formats/jsonOutput';
import { isIncomplete } from '../../../shared/gateway/text/incomplete';
import { suffixOf, typeByName } from '../../../shared/gateway/util/fileName';
import { asText, compact, omit, type Json, type JsonObject } from '../../../shared/gateway/util/json';
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
	const results = completion.choices.map((choice) => resultOf(choice, prepared, completion));
	const [first] = results;
	const unusable = results.filter(({ error }) => error).length;
	if (first?.error && unusable === results.length) throw first.error;
	if (unusable > 0)
		item.run.hints.add(
			`${unusable} of ${results.length} responses cannot be used: see reason in the output.`,
		);
	for (const [index, choice] of completion.choices.entries()) {
		const { output, error } = results[index] ?? {};
		const read = { output, reason: error?.message };
		const fields = compact(fieldsOf(completion, index, choice, read, body));
		if (isTool) {
			// The parsed JSON replaces its text.
			const repeated = output === undefined ? [] : ['text'];
			outputs.push({ json: [...NOT_FOR_AGENTS, ...repeated].reduce(omit, fields) });
		} else {
			outputs.push({ json: fields, ...(await binaryOf(item, prepared, completion, choice)) });
		}
	}
	return outputs;
}

/** The JSON of a choice. One of several that cannot be used must not lose the others, which are paid for. */
function resultOf(
	choice: Choice,
	{ request }: PreparedText,
	completion: Completion,
): { output?: Json; error?: Error } {
	try {
		const output = parseJsonOutput(choice, request.output, completion);
		return output === undefined ? {} : { output };
	} catch (error) {
		return { error: asError(error) };
	}
}

const NOT_FOR_AGENTS = ['choice', 'reasoning', 'model', 'provider', 'usage', 'id', 'raw'];

/** Important fields first: the table of the output panel shows four columns. */
function fieldsOf(
	completion: Completion,
	index: number,
	choice: Choice,
	read: { output: Json | undefined; reason: string | undefined },
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
		...read,
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

async function binaryOf(
	item: ItemContext,
	prepared: PreparedText,
	completion: Completion,
	choice: Choice,
): Promise<{ binary?: IBinaryKeyData }> {
	const binary: IBinaryKeyData = {};
	const suffix = suffixOf(completion.id ?? '', completion.choices.indexOf(choice));
	for (const file of choice.files) {
		const earlier = Object.keys(binary).filter((name) => name.startsWith(file.kind)).length;
		const field = earlier === 0 ? file.kind : `${file.kind}_${earlier}`;
		const { extension, mimeType } = typeOf(file, prepared);
		const name = field + suffix;
		const fileName = extension === undefined ? undefined : `${name}.${extension}`;
		const bytes = Buffer.from(file.base64, 'base64');
		try {
			binary[field] = await item.n8n.helpers.prepareBinaryData(bytes, fileName, mimeType);
		} catch (error) {
			throw notStored(completion, error);
		}
		binary[field].fileName ??= `${name}.${binary[field].fileExtension ?? 'bin'}`;
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

function typeOf({ kind, mimeType }: OutputFile, { request, extraBody }: PreparedText) {
	if (kind === 'image') return { extension: /^image\/([\w-]+)/.exec(mimeType ?? '')?.[1], mimeType };
	const extension = asText(valueAt(extraBody, 'audio.format')) ?? asText(request.options.audioFormat);
	if (extension === undefined) return { extension, mimeType };
	const type = typeByName(`.${extension}`) ?? `audio/${extension}`;
	return { extension, mimeType: type };
}
