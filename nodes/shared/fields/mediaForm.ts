import type { ILoadOptionsFunctions, INodePropertyOptions, ResourceMapperFields } from 'n8n-workflow';

import { listMediaModels } from '../gateway/endpoints/models';
import type { MediaModel } from '../gateway/media/mediaModel';
import { inputForm, takesUrls } from '../gateway/media/inputSchema';
import { inEditor } from './models';
import { formFields } from './schemaForm';

/** Resource mapping: the form of the chosen model's input, without the prompt. */
export async function mapMediaFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const model = await chosenModel(this);
	if (model === undefined) return { fields: [], emptyFieldsNotice: 'Choose a model to see its fields' };
	if (typeof model === 'string') {
		return {
			fields: [],
			emptyFieldsNotice: `The gateway has no media model "${model}". Choose one from the list, or set 'Input Mode' to 'JSON' if an expression chooses the model.`,
		};
	}
	const fields = formFields(model.inputSchema);
	if (fields.length > 0) return { fields };
	return {
		fields,
		emptyFieldsNotice: "The catalogue names no fields for this model. Set 'Input Mode' to 'JSON'.",
	};
}

/** Load options: the input fields of the chosen model for the URL of a file. An expression can name another one. */
export async function loadFileFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const model = await chosenModel(this);
	if (model === undefined || typeof model === 'string') return [];
	const offered = inputForm(model.inputSchema).fields.filter(takesUrls);
	return offered.map(({ name, title, description }) => ({
		name: title === name ? name : `${title} (${name})`,
		value: name,
		...(description ? { description } : {}),
	}));
}

/** The model that the parameters name: its ID when the catalogue does not have it, `undefined` when none is chosen. */
async function chosenModel(context: ILoadOptionsFunctions): Promise<MediaModel | string | undefined> {
	const chosen: unknown = context.getCurrentNodeParameter('model', { extractValue: true });
	const id = typeof chosen === 'string' ? chosen.trim() : '';
	if (id === '') return undefined;
	const models = await inEditor(context, listMediaModels);
	return models.find((model) => model.id === id) ?? id;
}
