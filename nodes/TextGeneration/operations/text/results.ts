import type { IBinaryData, IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { asError, type ApiError } from '../../../shared/gateway/errors/errors';
import {
	completionFields,
	isEmpty,
	unusableResponse,
	valueAt,
	type Completion,
	type OutputFile,
} from '../../../shared/gateway/text/formats/completion';
import { MISFIT, parseJsonOutput } from '../../../shared/gateway/text/formats/jsonOutput';
import { isIncomplete } from '../../../shared/gateway/text/incomplete';
import { suffixOf } from '../../../shared/gateway/util/fileName';
import { audioType, extensionOf, typeByContent } from '../../../shared/gateway/util/fileType';
import {
	asObject,
	asText,
	compact,
	deepMerge,
	omit,
	type JsonObject,
} from '../../../shared/gateway/util/json';
import { counted } from '../../../shared/gateway/util/text';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import type { PreparedText } from './parameters';

/** The output of a completion, or the body of the response without *Simplify*. */
export async function textOutput(
	item: ItemContext,
	prepared: PreparedText,
	completion: Completion,
	body: JsonObject,
): Promise<OperationOutput> {
	const { isTool } = item.run;
	if (!prepared.simplify && !isTool) return { json: body };
	const output = parseJsonOutput(completion, prepared.request.output);
	const isComplete = isIncomplete(completion) ? false : undefined;
	const fields = compact({ isComplete, ...completionFields(completion, output) });
	if (!isTool) return { json: fields, ...(await storeFiles(item, prepared, completion)) };
	// The parsed JSON replaces its text, and reasoning is for a text that is missing.
	const repeated = [output === undefined ? [] : ['text'], isEmpty(completion) ? [] : ['reasoning']].flat();
	const forAgents = omit(fields, 'model', 'provider', 'usage', 'id', 'raw', ...repeated);
	return { json: compact({ ...forAgents, note: completion.hint }) };
}

/** A hint about the responses of a run that do not fit their schema. */
export function misfitHints(outputs: readonly INodeExecutionData[]): string[] {
	const count = outputs.filter(({ json }) => asObject(json.error)?.code === MISFIT).length;
	if (count === 0) return [];
	const which = counted(count, 'response does', 'responses do');
	return [`${which} not fit the schema. What is wrong, and the JSON, is in the items.`];
}

async function storeFiles(
	item: ItemContext,
	prepared: PreparedText,
	completion: Completion,
): Promise<{ binary?: IBinaryKeyData }> {
	const binary = new Map<string, IBinaryData>();
	const counts = { audio: 0, image: 0 };
	const suffix = suffixOf(completion.id ?? '');
	for (const file of completion.files) {
		const earlier = counts[file.kind]++;
		const field = earlier === 0 ? file.kind : `${file.kind}_${earlier}`;
		const bytes = Buffer.from(file.base64, 'base64');
		const { extension, mimeType } = outputFileType(file, bytes, prepared);
		const name = field + suffix;
		const fileName = extension === undefined ? undefined : `${name}.${extension}`;
		try {
			const stored = await item.n8n.helpers.prepareBinaryData(bytes, fileName, mimeType);
			stored.fileName ??= `${name}.${stored.fileExtension ?? 'bin'}`;
			binary.set(field, stored);
		} catch (error) {
			throw notStored(completion, error);
		}
	}
	return binary.size > 0 ? { binary: Object.fromEntries(binary) } : {};
}

/** The completion is charged: this error must neither lose it nor have it requested again. */
function notStored({ id, text, costRub, costIsComputed, raw }: Completion, error: unknown): ApiError {
	return unusableResponse(
		{
			message: 'The response could not be stored in n8n',
			description: `${asError(error).message}.`,
			code: 'result_not_stored',
		},
		compact({ id, text, costRub, costIsComputed, raw }),
	);
}

function outputFileType(
	{ kind, mimeType }: OutputFile,
	bytes: Uint8Array,
	{ request, extraBody }: PreparedText,
) {
	const found = typeByContent(bytes, mimeType);
	if (found !== undefined) return { extension: extensionOf(found), mimeType: found };
	if (kind === 'image') return { extension: /^image\/([\w-]+)/.exec(mimeType ?? '')?.[1], mimeType };
	const extension = asText(valueAt(deepMerge(request.fields, extraBody), 'audio.format'));
	return { extension, mimeType: extension === undefined ? mimeType : audioType(extension) };
}
