import { outputParameters, readOutput, schemaOnly } from '../../../shared/fields/outputFormat';
import { simplify } from '../../../shared/fields/simplify';
import { readTextOptions, textOptionsWhere } from '../../../shared/fields/textOptions';
import { askedModel, checkExtraBody, textModel } from '../../../shared/fields/textRequest';
import { textFormats } from '../../../shared/gateway/text/formats';
import type { AttachmentKind } from '../../../shared/gateway/text/formats/request';
import { text } from '../../../shared/params/kinds';
import { Location, type Values } from '../../../shared/params/parameter';
import { defineOperation, type ItemContext, type Operation } from '../../../shared/run/operation';
import { sourceFields } from './conversationFields';
import { sharedOptions } from './fields';
import { generateText } from './generateText';
import { STREAM_HINT, type PreparedText } from './parameters';

// Operations that ask a model about one file. They are text: generate with fewer parameters.

/** An operation about one file. */
interface Preset extends Pick<Operation, 'displayName' | 'action' | 'description' | 'toolDescription'> {
	kind: AttachmentKind;
	/** A URL for the placeholder. */
	exampleUrl: string;
	prompt: string;
	promptHint: string;
}

/** The format that has a part for each kind of file (§4.2). */
const [format] = textFormats;

/** A few: text: generate has more. */
const options = {
	...textOptionsWhere((name) => name === 'maxTokens'),
	...sharedOptions,
	schemaStrict: sharedOptions.schemaStrict.with({ displayOptions: schemaOnly }),
};

/** Declares an operation about one file (§4.2). */
export function definePreset(preset: Preset): Operation {
	const { displayName, action, description, toolDescription = description } = preset;
	const parameters = parametersOf(preset);
	return defineOperation({
		displayName,
		action,
		description,
		toolDescription,
		parameters,
		options,
		execute: async (item) => await generateText(item, read(item, preset)),
	});
}

function parametersOf({ exampleUrl, prompt, promptHint }: Preset) {
	const { source, binaryPropertyName, url } = sourceFields;
	return {
		model: textModel,
		source: source.with({
			description: 'Where the file is. A tool of an AI Agent gets no files: use a URL there.',
		}),
		binaryPropertyName,
		url: url.with({ placeholder: `e.g. ${exampleUrl}` }),
		prompt: text({
			displayName: 'Prompt',
			rows: 3,
			default: prompt,
			required: true,
			description: promptHint,
			whenEmpty: `Enter what the model does with the file, such as: ${prompt}`,
		}),
		...outputParameters,
		simplify,
	};
}

type Params = Values<ReturnType<typeof parametersOf>> & { readonly options: Values<typeof options> };

/** @throws {InvalidInputError} for what cannot be sent */
function read(item: ItemContext<Params>, { kind }: Preset): PreparedText {
	const { params, run } = item;
	const { options } = params;
	const [name, label] =
		params.source === 'url'
			? ['url', sourceFields.url.label]
			: ['binaryPropertyName', sourceFields.binaryPropertyName.label];
	const extraBody = checkExtraBody(options.extraBody, STREAM_HINT);
	return {
		format,
		request: {
			model: askedModel(params.model, extraBody),
			conversation: { kind: 'messages', messages: [{ role: 'user', text: params.prompt }] },
			tools: [],
			output: readOutput(params),
			options: readTextOptions(options, format),
			stream: options.stream ?? run.chunkWriter !== undefined,
		},
		attachments: [
			{
				kind,
				message: 0,
				values: params,
				at: new Location(name, `'${label}':`),
				isPreset: true,
			},
		],
		extraBody,
		simplify: params.simplify,
		maxCostRub: options.maxCostRub,
		isDryRun: options.dryRun === true,
		fallbackModels: options.fallbackModels,
	};
}
