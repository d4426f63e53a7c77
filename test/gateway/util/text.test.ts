import { excerpt, partsThatFit } from '../../../nodes/shared/gateway/util/text';

it.each([
	['', undefined, ''],
	['a'.repeat(300), undefined, 'a'.repeat(300)],
	['a'.repeat(301), undefined, `${'a'.repeat(300)}…`],
	['abc', 3, 'abc'],
	['abcd', 3, 'abc…'],
])('a text is shown up to 300 characters, or others: %s, %j', (text, length, shown) =>
	expect(excerpt(text, length)).toBe(shown),
);

it.each<[template: string, text: string, empty: string[]]>([
	['=Describe {{ $json.name }}', 'Describe ', ['{{ $json.name }}']],
	['=Describe {{ $json.name }}', 'Describe a lamp', []],
	['={{ $json.name }} in {{ $json.city }}', ' in Kazan', ['{{ $json.name }}']],
	['={{ $json.name }} in {{ $json.city }}!', 'A lamp in !', ['{{ $json.city }}']],
	['={{ $json.a }} and {{ $json.b }}', ' and ', ['{{ $json.a }}', '{{ $json.b }}']],
	['=A {{ $json.a }}{{ $json.b }}', 'A x', []],
	['=A {{ $json.a }}{{ $json.b }}', 'A ', []],
	// Alone, it is an empty parameter, which has an error of its own.
	['={{ $json.name }}', '', []],
	['=\n{{ $json.name }}', '\n', []],
	['=No expression', 'No expression', []],
	['=Sum: {{ [1,\n2].length }}.', 'Sum: 2.', []],
	// A text that the node has changed since.
	['=Describe {{ $json.name }}', 'Descr', []],
])('the empty expressions of %j are found where the text is %j', (template, text, empty) => {
	expect(partsThatFit(template, text, /^$/)).toStrictEqual(empty);
});
