import { json, jsonList, jsonObject, mapper, optional } from '../../nodes/shared/params/kinds';
import type { Parameter } from '../../nodes/shared/params/parameter';
import { invalidInput } from '../helpers/invalidInput';
import { places, readParameter } from './support';

const displayName = 'Field';
const example = '{ "some": "example" }';

describe.each(places)('%s that is a JSON object', (_, read) => {
	const parameter = jsonObject({ displayName, default: '{}', example });

	it.each([
		[{ a: 1 }, { a: 1 }],
		['{"a": 1}', { a: 1 }],
		['{}', {}],
	])('reads %j as %j', (value, object) => {
		expect(read(parameter, value)).toStrictEqual(object);
		expect(read(optional(parameter), value)).toStrictEqual(object);
	});

	it('takes its default when it is not there', () => {
		const withDefault = jsonObject({ displayName, default: '{"a": 1}', example });
		expect(read(withDefault, undefined)).toStrictEqual({ a: 1 });
	});

	it.each(['', null, undefined])('is not set with %j where it is optional', (value) => {
		expect(read(optional(parameter), value)).toBeUndefined();
	});

	it.each(['{a: 1}', '[1]', '1', 'null', 7, [1], '{'])('rejects %j, with an example', (value) => {
		for (const one of [parameter, optional(parameter)]) {
			const error = invalidInput(() => read(one, value));
			expect(error.message).toContain(`'Field' is not a JSON object: ${JSON.stringify(value)}`);
			expect(error.description).toContain(`It looks like ${example}.`);
			expect(error.description).toMatch(/JSON\.stringify.*$/);
			expect(error.param).toBe('field');
		}
	});

	it('says where the text stops being JSON', () => {
		expect(invalidInput(() => read(parameter, '{\n  "a": 1,\n}')).message).toMatch(
			/ \(Expected double-quoted property name in JSON at position 12.*\)$/,
		);
	});

	it('shows up to 100 characters of the rejected value', () => {
		const shown = (length: number) =>
			invalidInput(() => read(parameter, 'x'.repeat(length)))
				.message.replace(/^.*?: /, '')
				.replace(/ \(Unexpected.*$/, '');
		expect(shown(98)).toBe(`"${'x'.repeat(98)}"`);
		expect(shown(99)).toBe(`"${'x'.repeat(99)}…`);
	});
});

describe.each(places)('%s that is a JSON list', (_, read) => {
	const parameter = jsonList({ displayName, default: '[]', example: '[{ "type": "…" }]' });

	it.each([
		['[1, "a"]', [1, 'a']],
		[[1], [1]],
		['[]', []],
		[undefined, []],
	])('reads %j as %j', (value, list) => {
		expect(read(parameter, value)).toStrictEqual(list);
	});

	it.each(['', null, undefined])('is not set with %j where it is optional', (value) => {
		expect(read(optional(parameter), value)).toBeUndefined();
	});

	it.each(['[', 'a', '{}', { a: 1 }, 7])('rejects %j, with an example', (value) => {
		const error = invalidInput(() => read(optional(parameter), value));
		expect(error.message).toContain(`'Field' is not a JSON list: ${JSON.stringify(value)}`);
		expect(error.description).toContain('It looks like [{ "type": "…" }].');
	});
});

describe.each(places)('%s that is any JSON', (_, read) => {
	const parameter = json({ displayName, default: '[7]', example: '[some example]' });

	it.each([
		['{"a": 1}', { a: 1 }],
		['[1]', [1]],
		['0', 0],
		['false', false],
		['""', ''],
		[[1], [1]],
		[0, 0],
		[false, false],
		[undefined, [7]],
	])('reads %j as %j', (value, expected) => {
		expect(read(parameter, value)).toStrictEqual(expected);
	});

	it.each(['null', '{', 'text'])('rejects %j, with an example', (value) => {
		const error = invalidInput(() => read(parameter, value));
		expect(error.message).toContain(`'Field' is not valid JSON: ${JSON.stringify(value)}`);
		expect(error.description).toContain('[some example]');
		expect(error.param).toBe('field');
	});
});

it('a JSON field of the panel has as many rows as it is declared with', () => {
	expect(jsonObject({ displayName, default: '{}', example, rows: 4 }).property('field')).toStrictEqual({
		displayName,
		name: 'field',
		type: 'json',
		default: '{}',
		typeOptions: { rows: 4 },
	});
	expect(jsonObject({ displayName, default: '{}', example }).property('field').typeOptions).toBeUndefined();
});

describe('a form', () => {
	it.each([
		[{ value: { a: 1 } }, { value: { a: 1 } }],
		['', undefined],
		[null, undefined],
		[[1], undefined],
	])('reads %j as %j', (value, form) => {
		expect(readParameter(mapper({ displayName }), value)).toStrictEqual(form);
	});
});

it.each(['', null])('a parameter that is JSON rejects %j', (value) => {
	const spec = { displayName, default: '[7]', example: '[8]' };
	const parameters: Array<Parameter<unknown>> = [json(spec), jsonList(spec), jsonObject(spec)];
	for (const parameter of parameters) {
		const { message } = invalidInput(() => readParameter(parameter, value));
		expect(message).toMatch(/^'Field' is not (valid|a) JSON/);
	}
});
