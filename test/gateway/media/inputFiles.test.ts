import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { inputForm } from '../../../nodes/shared/gateway/media/inputSchema';
import { withFile } from '../../../nodes/shared/gateway/media/inputFiles';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const LIST = { type: 'array' };

describe('a file in an input', () => {
	it.each<[string, JsonObject, Json, JsonObject]>([
		['is the value of a field without a schema', {}, {}, { x: 'a' }],
		['is the value where the schema has one value', {}, { type: 'string', items: {} }, { x: 'a' }],
		['is the value of a union without a list', {}, { anyOf: [{ type: 'integer' }, {}] }, { x: 'a' }],
		['is an element where the schema has a list', {}, LIST, { x: ['a'] }],
		['is an element of a union with a list', {}, { anyOf: [{ type: 'string' }, LIST] }, { x: ['a'] }],
		['is appended to a list', { x: ['0', '1'] }, LIST, { x: ['0', '1', 'a'] }],
		['is appended to a list that the schema does not have', { x: [] }, {}, { x: ['a'] }],
		['replaces null', { x: null, y: null }, {}, { x: 'a', y: null }],
		['replaces an empty text', { x: '' }, LIST, { x: ['a'] }],
		// The gateway says whether the field takes a list: nothing is replaced.
		['follows a text', { x: 'b' }, { type: 'string' }, { x: ['b', 'a'] }],
		['follows zero', { x: 0 }, {}, { x: [0, 'a'] }],
		['follows false', { x: false }, {}, { x: [false, 'a'] }],
		['follows an object', { x: {} }, {}, { x: [{}, 'a'] }],
	])('%s', (_, input, schema, filled) => {
		const before = JSON.stringify(input);
		expect(withFile(input, 'x', 'a', inputForm({ properties: { x: schema } }))).toStrictEqual(filled);
		expect(JSON.stringify(input)).toBe(before);
	});

	it('of a model is where its schema expects it', () => {
		const form = inputForm(sandbox.retouch as JsonObject);
		const filled = withFile(withFile({}, 'image_urls', 'a', form), 'mask_url', 'b', form);
		expect(filled).toStrictEqual({ image_urls: ['a'], mask_url: 'b' });
	});

	it.each(['__proto__', 'toString', 'constructor'])('may be in a field of any name: %s', (name) => {
		expect(JSON.stringify(withFile({}, name, 'a', inputForm({})))).toBe(`{"${name}":"a"}`);
	});
});
