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

test('SRT has a cue for each line', () => {
	expect(subtitles(LYRICS, 'srt')).toBe(`1
00:00:00,500 --> 00:00:01,000
[Verse]

2
00:00:00,500 --> 00:00:02,000
Hello darkness

3
00:01:02,500 --> 00:01:03,000
my <old> & friend

4
01:01:01,005 --> 01:01:02,000
Город
`);
});

test('WebVTT has its head, points, and no markup', () => {
	const text = subtitles(LYRICS, 'vtt');
	expect(text.startsWith('WEBVTT\n\n00:00:00.500 --> 00:00:01.000\n[Verse]\n\n')).toBe(true);
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
	['no words', [], ''],
])('%s', (_, words, expected) => {
	expect(subtitles(words as never, 'lrc')).toBe(expected);
});

test('a line that is aligned before the beginning begins there', () => {
	const words = [word('a', -0.5, 1)];
	expect(subtitles(words, 'lrc')).toBe('[00:00.00]a\n');
	expect(subtitles(words, 'srt')).toBe('1\n00:00:00,000 --> 00:00:01,000\na\n');
});

test('what is not a list of words has no cues', () => {
	expect(subtitles(undefined, 'srt')).toBe('');
	expect(subtitles([1, null, { word: 5 }, { word: 'a' }] as never, 'srt')).toBe(
		'1\n00:00:00,000 --> 00:00:00,000\na\n',
	);
});
