import { code, either, fromHtml, plain, table } from './markdown';

describe('HTML of descriptions becomes Markdown', () => {
	test.each([
		['Give the <b>test URL</b>', 'Give the **test URL**'],
		['See the <a href="https://x.test/a">docs</a>.', 'See the [docs](https://x.test/a).'],
		['<i>one</i><br>two', '*one*\ntwo'],
		['<code>a</code> &amp; &quot;b&quot;', '`a` & "b"'],
		['if a &lt; b', 'if a &lt; b'],
	])('%s', (html, markdown) => expect(fromHtml(html)).toBe(markdown));

	it('a tag that nothing stands for is an error', () => {
		expect(() => fromHtml('<blink>x</blink>')).toThrow('<blink>');
	});
});

describe('text shows as it is', () => {
	test.each([
		['a * b', 'a \\* b'],
		['get _1, _2 appended', 'get \\_1, \\_2 appended'],
		['web_search', 'web_search'],
		['order-{{ $json.orderId }}', 'order-`{{ $json.orderId }}`'],
	])('%s', (text, markdown) => expect(plain(text)).toBe(markdown));
});

it('code stands on one line, backticks and all', () => {
	expect(code('{\n  "a": 1\n}')).toBe('`{ "a": 1 }`');
	expect(code('a `b`')).toBe('`` a `b` ``');
});

it('a table keeps cells with bars and lines', () => {
	expect(table(['x', 'y'], [['a|b', 'c\nd']])).toBe('| x | y |\n|---|---|\n| a\\|b | c<br>d |');
});

it('words are listed', () => {
	expect([either(['a']), either(['a', 'b']), either(['a', 'b', 'c'])]).toStrictEqual([
		'a',
		'a or b',
		'a, b or c',
	]);
});
