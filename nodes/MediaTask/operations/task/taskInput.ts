import type { IBinaryData } from 'n8n-workflow';

import { checkSize, contentDigest, type UploadFile } from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, InvalidInputError } from '../../../shared/gateway/errors/errors';
import { inputForm, promptField, takesUrls, type InputForm } from '../../../shared/gateway/media/inputSchema';
import { typedInput, withFile } from '../../../shared/gateway/media/inputValues';
import type { MediaModel, MediaType } from '../../../shared/gateway/media/price';
import { fieldOf, type JsonObject } from '../../../shared/gateway/util/json';
import { fileOf } from '../../../shared/n8n/binary';
import { isUnset } from '../../../shared/params/parameter';
import type { ItemContext } from '../../../shared/run/operation';

/** The resources of the panel, by media type (§2.2). */
export const MEDIA_NAMES = { image: 'Image', video: 'Video', music: 'Music', audio: 'Speech' } as const;

/** The model and its values, as the panel has them. */
export interface EnteredInput {
	model: string;
	isForm: boolean;
	values: JsonObject;
	/** `undefined` where the panel does not show it, or where it is empty. */
	prompt: string | undefined;
}

export interface FileForField {
	field: string;
	binary: IBinaryData;
}

/** A task as the panel has it. */
export interface EnteredTask {
	entered: EnteredInput;
	files: FileForField[];
	/** That of the operation; `undefined` for any. */
	mediaType: MediaType | undefined;
}

/** The input of a task, whose files have no URLs yet. */
export interface TaskInput {
	values: JsonObject;
	files: Array<{ field: string; file: UploadFile; form: InputForm }>;
}

/**
 * Reads the input of a task, by the catalogue: the values of a form get their types, the prompt its field, and the files, of up to
 * 100 MB (§8), are opened.
 *
 * @throws {InvalidInputError} for another media type, for a tool without a prompt, and for files that the model does not take
 * @throws {ApiError} if the catalogue is needed, and cannot be read
 */
export async function readInput(item: ItemContext, task: EnteredTask): Promise<TaskInput> {
	const { run, client } = item;
	const { entered, files: found, mediaType } = task;
	const { model: id, isForm, prompt } = entered;
	// Only the gateway checks JSON: without a prompt, the model's fields are not needed.
	const needsForm = isForm || prompt !== undefined || found.length > 0;
	let model: MediaModel | undefined;
	if (needsForm) model = await run.mediaModel(client, id);
	else if (mediaType) model = await run.mediaModels.required(client, id);
	// Its price may be many times as high.
	if (mediaType && model?.mediaType && model.mediaType !== mediaType) throw otherType(model.mediaType, task);
	if (!needsForm || !model) return { values: entered.values, files: [] };
	const form = inputForm(model.inputSchema);
	if (isForm && form.fields.some(({ name }) => name.startsWith('=')))
		run.hints.add(
			"The form leaves out fields of the model whose names begin with an equals sign. To set them, set 'Input Mode' to 'JSON'.",
		);
	const values = isForm ? typedInput(entered.values, form) : entered.values;
	const field = promptField(form);
	const promptName = field?.name ?? 'prompt';
	const isPromptOpen = isUnset(fieldOf(values, promptName));
	if (run.isTool && prompt === undefined && field?.required && isPromptOpen)
		throw new InvalidInputError(
			'The tool received no prompt, so nothing was generated',
			"Tell the user to open the tool in n8n, and to click the sparkle button beside 'Prompt': the agent then fills it in.",
			'prompt',
		);
	const files: TaskInput['files'] = [];
	for (const { field: target, binary } of found) {
		// After another model was chosen, it may ignore the file, and make another picture.
		if (form.fields.length > 0 && !form.fields.some(({ name }) => name === target))
			throw noSuchField(id, target, form);
		const file = await fileOf(item, binary);
		checkSize(file.size, 'inputFiles');
		files.push({ field: target, file, form });
	}
	return {
		values: prompt !== undefined && isPromptOpen ? { ...values, [promptName]: prompt } : values,
		files,
	};
}

/** The input with a URL for each file. */
export async function withUrls(
	{ values, files }: TaskInput,
	urlOf: (file: UploadFile) => Promise<string>,
): Promise<JsonObject> {
	let input = values;
	for (const { field, file, form } of files) input = withFile(input, field, await urlOf(file), form);
	return input;
}

/** Stands for the URL of a file where its content does not matter, as for a price. */
export const anyUrl = async () => await Promise.resolve('file');

/** A placeholder for the URL of a file: each upload has another one, but the same content is the same creation. */
export async function placeholder(file: UploadFile): Promise<string> {
	return `${file.mimeType};sha256=${await contentDigest(file)}`;
}

function otherType(found: MediaType, { entered, mediaType = found }: EnteredTask): InvalidInputError {
	return new InvalidInputError(
		`The media type of the model "${entered.model}" is ${MEDIA_NAMES[found]}, not ${MEDIA_NAMES[mediaType]}`,
		`Use it with '${MEDIA_NAMES[found]}: Generate', or choose a model from the list.`,
		'model',
	);
}

function noSuchField(model: string, field: string, { fields }: InputForm): InvalidInputError {
	const named = fields.filter(takesUrls).map(({ name }) => name);
	return new InvalidInputError(
		`The model "${model}" has no field "${field}" for the file`,
		named.length > 0
			? `In 'Input Files', set 'Target Field Name or ID' to a field of this model: ${named.join(', ')}.`
			: "It has no field for a file: remove the row of 'Input Files', or choose another model.",
		'inputFiles',
	);
}

/** The gateway's words about a field of the form (§7.4), with the label of the field in front. */
export async function withFieldLabel(
	{ run, client }: ItemContext,
	{ model: id, isForm, values }: EnteredInput,
	error: unknown,
	sent: JsonObject,
): Promise<Error> {
	const isRefused = error instanceof ApiError && error.details.status === 422;
	if (!isRefused || !isForm) return asError(error);
	const form = inputForm((await run.mediaModels.known(client, id))?.inputSchema ?? {});
	const { message, description } = error.details;
	const words = message.split(/[^\p{L}\d_]+/u);
	const named = words.find((word) => form.fields.some(({ name }) => name === word));
	const field = form.fields.find(({ name }) => name === named);
	if (!field) return error;
	const isPrompt = field === promptField(form);
	const isShown = isPrompt || Object.hasOwn({ ...values, ...sent }, field.name);
	return error.with({
		message: `'${isPrompt ? 'Prompt' : field.title}': ${message}`,
		description: isShown ? description : `${description} To enter it, use 'Add field to send'.`,
	});
}
