import { schemaProblem } from '../../../nodes/shared/gateway/text/schema';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';

it.each<[string, JsonObject]>([
	['an object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
	['nothing', {}],
	['several types', { type: ['string', 'null'] }],
	['boolean schemas', { properties: { a: true }, items: false, additionalProperties: false }],
	['references', { $ref: '#/$defs/a', $defs: { a: { type: 'number' } } }],
	['a choice', { anyOf: [{ type: 'string' }, { enum: [1, 'two', null] }] }],
	['a list of item schemas', { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }],
	[
		'a field called like a keyword',
		{ type: 'object', properties: { type: { type: 'string' }, required: {} } },
	],
	[
		'a mistake that the gateway finds',
		{ type: 'object', properties: { a: { type: 'text' } }, required: 'a' },
	],
	['words that it does not know', { type: 'object', 'x-order': 1, minProperties: 1 }],
])('%s is a schema', (_, schema) => {
	expect(schemaProblem(schema)).toBeUndefined();
});

it('an example is none', () => {
	expect(schemaProblem({ title: 'Rivers', pages: 12 })).toBe(
		'it has neither "type" nor "properties", but "title", "pages"',
	);
});
