import { excerpt } from '../../../nodes/shared/gateway/util/text';

it.each([
	['', ''],
	['a'.repeat(300), 'a'.repeat(300)],
	['a'.repeat(301), `${'a'.repeat(300)}…`],
])('%s', (text, shown) => expect(excerpt(text)).toBe(shown));

it.each([
	['abc', 3, 'abc'],
	['abcd', 3, 'abc…'],
])('%s in %i characters', (text, length, shown) => expect(excerpt(text, length)).toBe(shown));
