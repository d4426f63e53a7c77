import {
	counted,
	duration,
	excerpt,
	isWebAddress,
	templateParts,
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

it.each<[template: string, expressions: string[], around: string]>([
	['=Describe {{ $json.name }}', ['{{ $json.name }}'], 'Describe '],
	['=A, {{ $json.a }}, {{ $json.b }}!', ['{{ $json.a }}', '{{ $json.b }}'], 'A, , !'],
	['=A {{ $json.a }}{{ $json.b }}', ['{{ $json.a }}', '{{ $json.b }}'], 'A '],
	['=\n{{ $json.name }}', ['{{ $json.name }}'], '\n'],
	['={{ [1,\n2].length }}', ['{{ [1,\n2].length }}'], ''],
	['=No expression', [], 'No expression'],
	['Fixed {{ $json.name }}', ['{{ $json.name }}'], 'Fixed '],
	['=A \\{{ name }} of {{ "\\}}" }}', ['{{ "\\}}" }}'], 'A \\{{ name }} of '],
	['={{ open', [], '{{ open'],
	['=closed }} {{a}}', ['{{a}}'], 'closed }} '],
])('the expressions of %j, and the text around them', (template, expressions, around) => {
	expect(templateParts(template)).toStrictEqual({ expressions, around });
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
