import { parseFlatted } from '../../../sandbox/n8n/flatted';

describe('parseFlatted', () => {
	test('puts strings in the place of their indices', () => {
		expect(parseFlatted('[{"a":"1","b":"2"},"x",["1",7,null,true]]')).toStrictEqual({
			a: 'x',
			b: ['x', 7, null, true],
		});
	});

	test('keeps an object that is named twice one object', () => {
		const value = parseFlatted('[["1","1"],{"n":1}]') as unknown[];
		expect(value[0]).toBe(value[1]);
	});

	test('follows references that lead back', () => {
		const value = parseFlatted('[{"self":"0"}]') as { self: unknown };
		expect(value.self).toBe(value);
	});

	test('leaves texts that look like indices alone', () => {
		expect(parseFlatted('[{"a":"1"},"0"]')).toStrictEqual({ a: '0' });
	});
});
