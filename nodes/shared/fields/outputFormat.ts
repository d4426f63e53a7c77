import { InvalidInputError } from '../gateway/errors/errors';
import type { OutputRequest } from '../gateway/text/formats/request';
import { isSchema, schemaOf, strictSchema, TYPE_NAMES, unknownType } from '../gateway/text/outputSchema';
import { asObject, compact, type Json, type JsonObject } from '../gateway/util/json';
import { rows } from '../params/groups';
import { choice, flag, id, json, jsonObject, shownFor, text, wireName } from '../params/kinds';
import type { Location, ValueOf, Values } from '../params/parameter';
import { formatsWhere } from './textOptions';

const outputFormat = choice({
	displayName: 'Output Format',
	options: [
		{ name: 'JSON by Example', value: 'jsonExample', description: 'JSON with the fields of sample data' },
		{ name: 'JSON by Fields', value: 'jsonFields', description: 'JSON with the fields that you list' },
		{ name: 'JSON by Schema', value: 'jsonSchema', description: 'JSON with the fields of a JSON Schema' },
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

const SAMPLES = { text: '', number: 0, boolean: false, texts: [''], numbers: [0] };

const example = json({
	displayName: 'Example (JSON)',
	rows: 4,
	default: '{\n  "city": "Oslo",\n  "street": "Main Street"\n}',
	example: '{ "city": "Oslo" }',
	description:
		'Sample data, as for the choice \'JSON by Example\'. For a list of objects: [{ "name": "Lamp" }].',
});

const fields = rows({
	displayName: 'Fields',
	typeOptions: { sortable: true, multipleValueButtonText: 'Add Field' },
	placeholder: 'Add Field',
	default: { field: [{ name: '', type: 'text' }] },
	required: true,
	description: 'The fields of the response',
	forExpressions: "The 'Output Format' 'JSON by Schema' takes an expression.",
	unique: 'name',
	group: 'field',
	groupLabel: 'Field',
	fields: {
		// Not `required`: n8n would ask for it wherever the output format is an expression.
		name: id({
			displayName: 'Name',
			placeholder: 'e.g. title',
			whenEmpty: 'Enter the name of the field, such as title.',
		}),
		type: choice({
			displayName: 'Type',
			options: [
				{ name: 'Number', value: 'number' },
				{ name: 'Number List', value: 'numbers' },
				{ name: 'Object by Example', value: 'object', description: 'Or a list of objects' },
				{ name: 'Text', value: 'text', description: 'Also a date or a time' },
				{ name: 'Text List', value: 'texts' },
				{ name: 'Yes/No', value: 'boolean' },
			],
			default: 'text',
		}),
		...shownFor({ type: ['object'] }, { example }),
		description: text({
			displayName: 'Description',
			placeholder: 'e.g. The title of the book, without the subtitle',
			description: 'What the model puts there, e.g. which of several values, or how a date is written',
		}),
		required: flag({
			displayName: 'Required',
			default: true,
			description:
				'Whether a response without the field is refused. Without this, it may be missing or null.',
		}),
	},
});

const jsonExample = jsonObject({
	displayName: 'JSON Example',
	rows: 8,
	default: '{\n  "title": "The Old Lighthouse",\n  "pages": 320,\n  "tags": ["novel"]\n}',
	example: '{ "title": "The Old Lighthouse", "pages": 320 }',
	required: true,
	description:
		'A response as you want it. Each field is required; null makes it optional, and any value fits. An empty list or object takes any elements or fields.',
}).map((sample, at) => {
	if (sample.type !== 'object' || !asObject(sample.properties) || !isSchema(sample)) return sample;
	throw at.error('is a schema, not sample data', "Choose 'JSON by Schema' as the 'Output Format'.");
});

const schemaExample = '{ "type": "object", "properties": { "title": { "type": "string" } } }';

/** @returns the schema. @throws {InvalidInputError} for a type that JSON Schema does not have */
export function checkTypes(schema: JsonObject, at: Location): JsonObject {
	const type = unknownType(schema);
	if (type === undefined) return schema;
	throw at.error(
		`has a type that JSON Schema does not know: ${JSON.stringify(type)}`,
		`Its types are ${TYPE_NAMES.join(', ')}. A date or a time is a string.`,
	);
}

const jsonSchema = jsonObject({
	displayName: 'JSON Schema',
	rows: 8,
	default:
		'{\n  "type": "object",\n  "properties": {\n    "title": { "type": "string" }\n  },\n  "required": ["title"],\n  "additionalProperties": false\n}',
	example: schemaExample,
	required: true,
	description:
		'The fields of the response, as a JSON Schema. Types, required fields and choices are checked; ranges, lengths, patterns (also of names), not and additionalProperties are not.',
}).map((schema, at) => {
	const hasFields = asObject(schema.properties) !== undefined;
	if (isSchema(hasFields ? { ...schema, type: 'object' } : schema))
		return checkTypes(hasFields ? { type: 'object', ...schema } : schema, at);
	throw at.error(
		'is sample data, not a schema',
		`Choose 'JSON by Example' as the 'Output Format', or enter a schema, which looks like ${schemaExample}.`,
	);
});

const schemaName = wireName({
	displayName: 'Schema Name',
	default: 'answer',
	placeholder: 'e.g. invoice',
	description: 'The name of the response, which the model sees. Letters, digits, underscores and dashes.',
});

export const outputParameters = {
	outputFormat,
	...shownFor({ outputFormat: ['jsonFields'] }, { fields }),
	...shownFor({ outputFormat: ['jsonExample'] }, { jsonExample }),
	...shownFor({ outputFormat: ['jsonSchema'] }, { schemaName, jsonSchema }),
};

export const schemaStrict = flag({
	displayName: 'Schema Strict',
	default: true,
	description:
		"Whether the response must match the schema exactly, if the model supports it. With 'JSON by Schema', it must require all fields and set additionalProperties to false.",
})
	.shownIf({ '/outputFormat': ['jsonExample', 'jsonFields', 'jsonSchema'] })
	.optional();

export const schemaOptions = {
	schemaStrict: schemaStrict.shownIf(formatsWhere(({ hasStrictSchema }) => hasStrictSchema)),
};

/** The name of a JSON response where the user gives none; a format may require one. */
const SCHEMA_NAME = 'answer';

type OutputValues = Values<typeof outputParameters> & { readonly options: Values<typeof schemaOptions> };

export function readOutput(params: OutputValues): OutputRequest {
	const kind = params.outputFormat;
	if (kind === 'text') return { kind };
	if (kind === 'jsonObject') return { kind, name: SCHEMA_NAME };
	const strict = params.options.schemaStrict;
	const {
		fields: list,
		jsonExample: sample = {},
		jsonSchema: given,
		schemaName: name = SCHEMA_NAME,
	} = params;
	if (given) return { kind: 'jsonSchema', name, schema: given, strict };
	const written = list ? schemaOfFields(list) : schemaOf([sample]);
	const schema = strict ? strictSchema(written) : written;
	if (schema) return { kind: 'jsonSchema', name: SCHEMA_NAME, schema, strict };
	throw new InvalidInputError(
		"'Schema Strict' does not take an object without fields",
		'The model could put nothing into it. In the example, give each object the fields that it may have, or remove the option.',
		'schemaStrict',
	);
}

function schemaOfFields(list: ValueOf<typeof fields>): JsonObject {
	if (list.length === 0)
		throw new InvalidInputError("'Fields' is empty", 'Add the fields of the response.', 'fields');
	const properties = list.map(({ values }): [string, Json] => {
		const { name, type, description } = values;
		const schema = schemaOf([type === 'object' ? (values.example ?? null) : SAMPLES[type]]);
		return [name, compact({ ...schema, description: description || undefined })];
	});
	return {
		type: 'object',
		properties: Object.fromEntries(properties),
		required: list.filter(({ values }) => values.required).map(({ values }) => values.name),
		additionalProperties: false,
	};
}
