import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { inputForm } from '../../../nodes/shared/gateway/media/inputSchema';
import { withFiles } from '../../../nodes/shared/gateway/media/inputFiles';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { rejectedInput } from '../../helpers/invalidInput';

const retouch = inputForm(sandbox.retouch as JsonObject);
const open = inputForm({});
const file = (field: string, value: string) => ({ field, value });

describe('files in an input', () => {
	it('are appended where the schema has a list', () => {
		expect(withFiles({}, [file('image_urls', 'a')], retouch)).toStrictEqual({ image_urls: ['a'] });
		expect(
			withFiles({ image_urls: ['a'] }, [file('image_urls', 'b'), file('image_urls', 'c')], retouch),
		).toStrictEqual({
			image_urls: ['a', 'b', 'c'],
		});
	});

	it('are the value where the schema has one value', () => {
		expect(withFiles({ mask_url: null }, [file('mask_url', 'a')], retouch)).toStrictEqual({ mask_url: 'a' });
	});

	it.each(['__proto__', 'toString', 'constructor'])('may be in a field of any name: %s', (name) => {
		const filled = withFiles({}, [file(name, 'a')], open);
		expect(JSON.stringify(filled)).toBe(`{"${name}":"a"}`);
	});

	it('are rejected where the field is full', () => {
		expect(() => withFiles({}, [file('mask_url', 'a'), file('mask_url', 'b')], retouch)).toThrow(
			'takes one file',
		);
		expect(() => withFiles({ mask_url: 'x' }, [file('mask_url', 'a')], retouch)).toThrow(
			'has a value already',
		);
	});

	it('without a schema are a value, or a list where there are several or a list exists', () => {
		expect(withFiles({}, [file('x', 'a')], open)).toStrictEqual({ x: 'a' });
		expect(withFiles({}, [file('x', 'a'), file('x', 'b')], open)).toStrictEqual({ x: ['a', 'b'] });
		expect(withFiles({ x: [] }, [file('x', 'a')], open)).toStrictEqual({ x: ['a'] });
	});

	it.each<[string, Json]>([
		['a union with a list', { anyOf: [{ type: 'string' }, { type: 'array' }] }],
		['a list', { type: 'array' }],
	])('become a list of one where the schema accepts %s', (_, schema) => {
		expect(withFiles({}, [file('x', 'a')], inputForm({ properties: { x: schema } }))).toStrictEqual({
			x: ['a'],
		});
	});

	it.each<[string, Json]>([
		['text that is called a URL', { type: 'string', title: 'URL', items: {} }],
		['a union without a list', { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
		['anything', {}],
	])('become a value where the schema accepts %s', (_, schema) => {
		const form = inputForm({ properties: { x: schema } });
		expect(withFiles({ x: null, y: null }, [file('x', 'a')], form)).toStrictEqual({ x: 'a', y: null });
		expect(() => withFiles({}, [file('x', 'a'), file('x', 'b')], form)).toThrow('one file');
	});

	it.each<[Json | undefined]>([[undefined], [null], ['']])('replace %j', (present) => {
		const input: JsonObject = present === undefined ? {} : { x: present };
		expect(withFiles(input, [file('x', 'a')], open)).toStrictEqual({ x: 'a' });
	});

	it.each<[Json]>([['b'], [0], [false], [{}]])('do not replace %j', async (present) => {
		const error = await rejectedInput(() => withFiles({ x: present }, [file('x', 'a')], open));
		expect(error.param).toBe('inputFiles');
		expect(error.message).toContain("'x'");
	});

	it('are optional', () => {
		expect(withFiles({ a: { b: null } }, [], retouch)).toStrictEqual({ a: { b: null } });
	});

	it('leave the original input unchanged', () => {
		const input = { image_urls: ['a'] };
		withFiles(input, [file('image_urls', 'b')], retouch);
		expect(input).toStrictEqual({ image_urls: ['a'] });
	});
});
