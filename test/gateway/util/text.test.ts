import {
	counted,
	duration,
	excerpt,
	isWebAddress,
	partsThatFit,
} from '../../../nodes/shared/gateway/util/text';

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
	['=A, {{ $json.a }}, {{ $json.b }}!', 'A, x, !', ['{{ $json.b }}']],
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

test.each([
	[counted(0, 'item'), '0 items'],
	[counted(1, 'item was', 'items were'), '1 item was'],
	[counted(2, 'item was', 'items were'), '2 items were'],
	[duration(1_000), '1 second'],
	[duration(1_500), '1.5 seconds'],
	[duration(44_600), '45 seconds'],
	[duration(150_000), '2.5 minutes'],
])('a number with its noun: %s', (words, expected) => expect(words).toBe(expected));

test.each([
	['https://a.test', true],
	['HTTP://a.test/b c?d', true],
	['https://', false],
	['https:///a.png', false],
	['https:a.test', false],
	['http://a b/', false],
	['ftp://a.test', false],
	['see https://a.test', false],
	['', false],
])('%j is a web address: %j', (text, is) => expect(isWebAddress(text)).toBe(is));
