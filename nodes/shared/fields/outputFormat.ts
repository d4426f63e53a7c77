import type { OutputRequest } from '../gateway/text/formats/request';
import { choice, flag, id, jsonObject, NAME, optional, shownFor } from '../params/kinds';
import type { Values } from '../params/parameter';
import { shownForFormats } from './textOptions';

const outputFormat = choice({
	displayName: 'Output Format',
	options: [
		{ name: 'JSON by Schema', value: 'jsonSchema', description: 'JSON with exactly the fields of a schema' },
		{
			name: 'JSON Object',
			value: 'jsonObject',
			description: 'A JSON object without a schema. Describe its fields in the prompt.',
		},
		{ name: 'Text', value: 'text' },
	],
	default: 'text',
	description: "What the model responds with. JSON is also in the field 'output', parsed.",
});

const schemaParameters = shownFor(
	{ outputFormat: ['jsonSchema'] },
	{
		schemaName: id({
			displayName: 'Schema Name',
			default: 'answer',
			placeholder: 'e.g. invoice',
			description: 'The name of the response, which the model sees. Letters, digits, underscores and dashes.',
			...NAME,
		}),
		jsonSchema: jsonObject({
			displayName: 'JSON Schema',
			rows: 8,
			default:
				'{\n  "type": "object",\n  "properties": {\n    "title": { "type": "string" }\n  },\n  "required": ["title"],\n  "additionalProperties": false\n}',
			example: '{ "type": "object", "properties": { "title": { "type": "string" } } }',
			required: true,
			description: 'The fields of the response, as a JSON Schema. An example of the response is no schema.',
		}),
	},
);

export const outputParameters = { outputFormat, ...schemaParameters };

export const schemaOnly = { '/outputFormat': ['jsonSchema'] };

export const schemaOptions = {
	schemaStrict: optional(
		flag({
			displayName: 'Schema Strict',
			default: true,
			description:
				'Whether the response must match the schema exactly, if the model supports it. The schema must then require all fields and set additionalProperties to false.',
			displayOptions: {
				show: {
					...schemaOnly,
					...shownForFormats(({ hasStrictSchema }) => hasStrictSchema).displayOptions?.show,
				},
			},
		}),
	),
};

/** The default name of a JSON response; a format may require one. */
const JSON_OBJECT_NAME = 'answer';

type OutputValues = Values<typeof outputParameters> & { readonly options: Values<typeof schemaOptions> };

export function readOutput(params: OutputValues): OutputRequest {
	const kind = params.outputFormat;
	if (kind === 'text') return { kind };
	if (kind === 'jsonObject') return { kind, name: JSON_OBJECT_NAME };
	return { kind, name: params.schemaName, schema: params.jsonSchema, strict: params.options.schemaStrict };
}
