import { schemaProblem } from '../../../nodes/shared/gateway/text/schema';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';

it.each<[string, JsonObject]>([
	['an object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
	['nothing', {}],
	['a title only', { title: 'Anything' }],
	['several types', { type: ['string', 'null'] }],
	['boolean schemas', { properties: { a: true }, items: false, additionalProperties: false }],
	['references', { $ref: '#/$defs/a', $defs: { a: { type: 'number' } } }],
	['a choice', { anyOf: [{ type: 'string' }, { enum: [1, 'two', null] }] }],
	['a list of item schemas', { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }],
	[
		'a field called like a keyword',
		{ type: 'object', properties: { type: { type: 'string' }, required: {} } },
	],
	['words that it does not know', { type: 'object', 'x-order': 1, minProperties: 1 }],
])('%s is a schema', (_, schema) => {
	expect(schemaProblem(schema)).toBeUndefined();
});

it.each<[string, JsonObject, string]>([
	[
		'an example',
		{ title: 'Rivers', pages: 12 },
		'it has neither "type" nor "properties", but "title", "pages"',
	],
	['an example with a type', { type: 'invoice', total: 3 }, '"type" is "invoice", which is not a type'],
	[
		'a wrong type inside',
		{ properties: { a: { type: 'text' } } },
		'"properties.a.type" is "text", which is not a type',
	],
	['a field without a schema', { properties: { a: 'string' } }, '"properties.a" is not an object'],
	['fields in a list', { type: 'object', properties: ['a'] }, '"properties" is not an object'],
	['one required name', { type: 'object', required: 'a' }, '"required" is not a list of names'],
	[
		'required: true',
		{ properties: { a: { required: true } } },
		'"properties.a.required" is not a list of names',
	],
	['one value', { enum: 'a' }, '"enum" is not a list'],
	['a wrong item', { type: 'array', items: 'string' }, '"items" is not an object'],
	['a wrong choice', { anyOf: [{ type: 'strnig' }] }, '"anyOf.type" is "strnig", which is not a type'],
])('%s is none', (_, schema, problem) => {
	expect(schemaProblem(schema)).toBe(problem);
});
