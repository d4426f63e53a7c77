import fc from 'fast-check';

import { jsonProblem } from '../../../nodes/shared/gateway/util/jsonProblem';

describe('where text stops being JSON', () => {
	it.each<[string, number, number, string, string | undefined]>([
		['{ orderId: 1 }', 1, 3, 'a name in double quotes', 'orderId:'],
		['{"a": 1,}', 1, 9, 'a name in double quotes', '}'],
		['{"a" 1}', 1, 6, 'a colon', '1}'],
		['{"a": x}', 1, 7, 'a value, with text in double quotes', 'x}'],
		["{\n  'a': 1\n}", 2, 3, 'a name in double quotes', "'a':"],
		['{"a": 1 "b": 2}', 1, 9, 'a comma or }', '"b":'],
		['{"a": [1, 2}', 1, 12, 'a comma or ]', '}'],
		['{"a": "b', 1, 7, 'a value, with text in double quotes', '"b'],
		['{"a": "one\ntwo"}', 1, 7, 'a value, with text in double quotes', '"one'],
		['[1', 1, 3, 'a comma or ]', undefined],
		['', 1, 1, 'a value, with text in double quotes', undefined],
		['{} {}', 1, 4, 'the end', '{}'],
		['01', 1, 2, 'the end', '1'],
		['[object Object]', 1, 2, 'a value, with text in double quotes', 'object'],
	])('%s: line %i, character %i', (text, line, character, expected, found) => {
		expect(jsonProblem(text)).toStrictEqual({ line, character, expected, found });
	});

	it('is nowhere in JSON', () => {
		fc.assert(fc.property(fc.json(), (text) => expect(jsonProblem(text)).toBeUndefined()));
	});

	it('is found wherever JSON.parse finds something', () => {
		const text = fc
			.json()
			.chain((json) =>
				fc
					.record({ at: fc.nat(json.length), put: fc.constantFrom('', ',', '"', '}', ']', 'x', '\n', '1') })
					.map(({ at, put }) => json.slice(0, at) + put + json.slice(at + 1)),
			);
		fc.assert(
			fc.property(text, (given) => {
				const isJson = (() => {
					try {
						JSON.parse(given);
						return true;
					} catch {
						return false;
					}
				})();
				expect(jsonProblem(given) === undefined).toBe(isJson);
			}),
		);
	});

	it('is found behind a long text', () => {
		const text = `{"file": "${'A'.repeat(20_000_000)}" "name": 1}`;
		expect(jsonProblem(text)).toMatchObject({ expected: 'a comma or }', found: '"name":' });
	});

	it('is not searched in what is nested too deeply', () => {
		expect(jsonProblem('['.repeat(100_000))).toBeUndefined();
	});
});
