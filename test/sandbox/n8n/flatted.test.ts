import { parseFlatted } from '../../../sandbox/n8n/flatted';

describe('parseFlatted', () => {
	test('replaces indices by their strings', () => {
		expect(parseFlatted('[{"a":"1","b":"2"},"x",["1",7,null,true]]')).toStrictEqual({
			a: 'x',
			b: ['x', 7, null, true],
		});
	});

	test('keeps an object with two references one object', () => {
		const value = parseFlatted('[["1","1"],{"n":1}]') as unknown[];
		expect(value[0]).toBe(value[1]);
	});

	test('resolves circular references', () => {
		const value = parseFlatted('[{"self":"0"}]') as { self: unknown };
		expect(value.self).toBe(value);
	});

	test('keeps texts that look like indices', () => {
		expect(parseFlatted('[{"a":"1"},"0"]')).toStrictEqual({ a: '0' });
	});
});
