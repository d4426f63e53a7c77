import fc from 'fast-check';

import { subtitles } from '../../../nodes/shared/gateway/media/subtitles';

const word = (text: string, startS: number, endS: number, success = true) => ({
	word: text,
	success,
	startS,
	endS,
	palign: 0,
});
const LYRICS = [
	word('[Verse]\nHello ', 0.5, 1),
	word('darkness\n', 1.25, 2),
	word('my ', 60, 61, false),
	word('<old> & ', 62.5, 63),
	word('friend', 99, 99, false),
	word('\n\nГород\n', 3_661.005, 3_662),
];

test('SRT has a cue for each line, and one for lines that begin together', () => {
	expect(subtitles(LYRICS, 'srt')).toBe(`1
00:00:00,500 --> 00:00:02,000
[Verse]
Hello darkness

2
00:01:02,500 --> 00:01:03,000
my <old> & friend

3
01:01:01,005 --> 01:01:02,000
Город
`);
});

test('WebVTT has its head, points, and no markup', () => {
	const text = subtitles(LYRICS, 'vtt');
	expect(text.startsWith('WEBVTT\n\n00:00:00.500 --> 00:00:02.000\n[Verse]\nHello darkness\n\n')).toBe(true);
	expect(text).toContain('00:01:02.500 --> 00:01:03.000\nmy &lt;old&gt; &amp; friend\n');
});

test('LRC has the start of each line in minutes', () => {
	expect(subtitles(LYRICS, 'lrc').split('\n')).toStrictEqual([
		'[00:00.50][Verse]',
		'[00:00.50]Hello darkness',
		'[01:02.50]my <old> & friend',
		'[61:01.01]Город',
		'',
	]);
});

test.each<[string, object[], string]>([
	['words without spaces', [word('a', 0, 1), word('b', 1, 2)], '[00:00.00]a b\n'],
	[
		'a line that is not aligned begins where the one before ends',
		[word('a\n', 1, 2), word('b', 9, 9, false)],
		'[00:01.00]a\n[00:02.00]b\n',
	],
	[
		'a line whose end is before its start ends at its start',
		[word('a\n', 5, 1), word('b', 9, 9, false)],
		'[00:05.00]a\n[00:05.00]b\n',
	],
	[
		'words at times that no song has',
		[word('a\n', 1, 1e14), word('b\n', 1e14, 1e15), word('c', 86_399, 86_400)],
		'[00:01.00]a\n[00:01.00]b\n[1439:59.00]c\n',
	],
	[
		'lines that are not aligned share the time between others',
		[word('a\n', 1, 2), word('b\nc\n', 9, 9, false), word('d', 8, 9)],
		'[00:01.00]a\n[00:02.00]b\n[00:05.00]c\n[00:08.00]d\n',
	],
	[
		'a line that begins before the one before it',
		[word('a\n', 5, 6), word('b', 4, 7)],
		'[00:04.00]b\n[00:05.00]a\n',
	],
	[
		'a wrong time moves only its line',
		[word('a\n', 1, 2), word('b\n', 61, 62), word('c\n', 7, 8), word('d', 64, 65)],
		'[00:01.00]a\n[00:07.00]c\n[01:01.00]b\n[01:04.00]d\n',
	],
])('%s', (_, words, expected) => {
	expect(subtitles(words as never, 'lrc')).toBe(expected);
});

test('a line that is aligned before the beginning begins there', () => {
	const words = [word('a', -0.5, 1)];
	expect(subtitles(words, 'lrc')).toBe('[00:00.00]a\n');
	expect(subtitles(words, 'srt')).toBe('1\n00:00:00,000 --> 00:00:01,000\na\n');
});

/** The cues of SRT, with their times in seconds. */
const cuesOf = (words: object[]) =>
	subtitles(words as never, 'srt')
		.split('\n\n')
		.map((cue) => {
			const [, times = '', ...lines] = cue.trimEnd().split('\n');
			const [from, to] = times
				.split(' --> ')
				.map((time) => Date.parse(`1970-01-01T${time.replace(',', '.')}Z`) / 1_000);
			return [from, to, ...lines];
		});

test.each<[string, object[], unknown[][]]>([
	[
		'a line that is not aligned lasts until the next one begins',
		[word('a\n', 1, 2), word('b\n', 9, 9, false), word('c', 5, 6)],
		[
			[1, 2, 'a'],
			[2, 5, 'b'],
			[5, 6, 'c'],
		],
	],
	[
		'the first line, too',
		[word('a\n', 9, 9, false), word('b', 5, 6)],
		[
			[0, 5, 'a'],
			[5, 6, 'b'],
		],
	],
	[
		'the last line, too, for 5 seconds',
		[word('a\n', 1, 2), word('b\nc', 9, 9, false)],
		[
			[1, 2, 'a'],
			[2, 7, 'b'],
			[7, 12, 'c'],
		],
	],
	[
		'where there is no time for it, it is shown with the next one',
		[word('a\n', 1, 2), word('b\n', 9, 9, false), word('c', 2, 3)],
		[
			[1, 2, 'a'],
			[2, 3, 'b', 'c'],
		],
	],
	[
		'a line whose end is not known lasts until the next one begins',
		[word('a\n', 1, 1), word('b\n', 3, 2), word('c', 4, 1e15)],
		[
			[1, 3, 'a'],
			[3, 4, 'b'],
			[4, 9, 'c'],
		],
	],
	[
		'a line ends when the next one begins',
		[word('a\n', 1, 4), word('b\n', 3, 9), word('c', 4, 5)],
		[
			[1, 3, 'a'],
			[3, 4, 'b'],
			[4, 5, 'c'],
		],
	],
	[
		'a line that begins before the one before it is shown before it',
		[word('a\n', 5, 6), word('b\n', 4, 7), word('c', 6.5, 8)],
		[
			[4, 5, 'b'],
			[5, 6, 'a'],
			[6.5, 8, 'c'],
		],
	],
	[
		'an arrow is another one',
		[word('a --> b\n', 1, 2), word('--', 3, 4), word('-->', 4, 5)],
		[
			[1, 2, 'a → b'],
			[3, 5, '--→'],
		],
	],
	['a carriage return is a line break', [word('a\r\r\nb', 1, 2)], [[1, 2, 'a', 'b']]],
])('%s', (_, words, cues) => expect(cuesOf(words)).toStrictEqual(cues));

test('cues have a length and do not overlap, whatever the times are', () => {
	const time = fc.oneof(fc.double({ min: -5, max: 90_000 }), fc.constantFrom(NaN, 1, 1.0004, 2));
	const text = fc.constantFrom('a ', 'b\n', 'c\nd\n', '-->', '\n');
	const one = fc.record({ word: text, success: fc.boolean(), startS: time, endS: time });
	fc.assert(
		fc.property(fc.array(one), (words) => {
			let last = 0;
			const aligned = [...words, word('z', 1, 2)];
			for (const cue of cuesOf(aligned)) {
				const [from, to] = cue.map(Number);
				expect(from).toBeGreaterThanOrEqual(last);
				expect(to).toBeGreaterThan(Number(from));
				last = Number(to);
			}
			expect(subtitles(aligned as never, 'vtt').match(/-->/g)).toHaveLength(cuesOf(aligned).length);
		}),
	);
});

test.each([
	['no list', undefined],
	['no words', []],
	['no texts', [1, null, { word: 5 }, word(' \n', 1, 2)]],
	['no word that is aligned', [word('a\nb', 1, 2, false), word('c', 3, 4, false)]],
	['no times', [{ word: 'a' }, word('b', NaN, 2), word('c', 1e14, 1e15)]],
])('%s is an error', (_, words) => {
	for (const format of ['srt', 'vtt', 'lrc'] as const)
		expect(() => subtitles(words as never, format)).toThrow('There are no times for subtitles');
});
