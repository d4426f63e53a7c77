/** Samples of a schema fit it. */
import { Ajv } from 'ajv';
import { mediaModels } from '../../sandbox/gateway/catalogue/mediaModels';
import type { JsonSchema } from '../../sandbox/gateway/jsonSchema';
import { sampleFor } from '../../sandbox/gateway/text/schemaSample';

const ajv = new Ajv({ strict: false, validateFormats: false });

const schemas: Array<[string, JsonSchema]> = [
	...mediaModels.map((model): [string, JsonSchema] => [model.id, model.inputSchema]),
	['bounds', { type: 'number', minimum: 5, maximum: 5.5 }],
	['exclusive bounds', { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 }],
	['multiples', { type: 'integer', multipleOf: 7, minimum: 10 }],
	['lengths', { type: 'string', minLength: 30, maxLength: 32 }],
	['nullable', { type: ['null', 'string'] }],
	['branches', { anyOf: [{ type: 'null' }, { type: 'object' }] }],
	['unique items', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true }],
	['allOf', { allOf: [{ type: 'object', properties: { a: { const: 3 } }, required: ['a'] }] }],
	[
		'a tree',
		{
			$ref: '#/$defs/node',
			$defs: {
				node: {
					type: 'object',
					properties: {
						name: { type: 'string' },
						children: { type: 'array', items: { $ref: '#/$defs/node' } },
					},
					required: ['name', 'children'],
					additionalProperties: false,
				},
			},
		},
	],
];

it.each(schemas)('%s', (_name, schema) => {
	const validate = ajv.compile(schema);
	validate(sampleFor(schema, 'the user’s prompt'));
	expect(validate.errors ?? []).toStrictEqual([]);
});
