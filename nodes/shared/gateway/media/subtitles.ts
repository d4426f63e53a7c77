import { asNumber, asObjects, textOf, type Json } from '../util/json';

interface Line {
	text: string;
	/** In seconds; `NaN` until a word with a time is in it. */
	start: number;
	end: number;
}

/** Timed lyrics (§2.10), one cue for each line. Words that the gateway could not align have the times of their line. */
export function subtitles(alignedWords: Json | undefined, format: 'srt' | 'vtt' | 'lrc'): string {
	const lines = linesOf(alignedWords);
	if (format === 'lrc') return lines.map(({ text, start }) => `[${minutes(start)}]${text}\n`).join('');
	const cues = lines.map(({ text, start, end }, index) => {
		const [from, to] = [clock(start), clock(end)];
		return format === 'vtt'
			? `${from} --> ${to}\n${escaped(text)}\n`
			: `${index + 1}\n${from.replace('.', ',')} --> ${to.replace('.', ',')}\n${text}\n`;
	});
	return [...(format === 'vtt' ? ['WEBVTT\n'] : []), ...cues].join('\n');
}

/** The lines of the lyrics. A word may contain line breaks, and the white space around it. */
function linesOf(alignedWords: Json | undefined): Line[] {
	const words = asObjects(alignedWords);
	const space = words.some(({ word }) => /\s/.test(textOf(word))) ? '' : ' ';
	const lines: Line[] = [{ text: '', start: NaN, end: NaN }];
	for (const { word, success, startS, endS } of words) {
		for (const [index, part] of textOf(word).split(/\r?\n/).entries()) {
			if (index > 0) lines.push({ text: '', start: NaN, end: NaN });
			const line = lines.at(-1);
			if (!line || part.trim() === '') continue;
			line.text += line.text === '' ? part : space + part;
			if (success === false) continue;
			if (Number.isNaN(line.start)) line.start = timeOf(startS) ?? NaN;
			line.end = timeOf(endS) ?? line.end;
		}
	}
	let last = 0;
	return lines
		.filter(({ text }) => text.trim() !== '')
		.map(({ text, start, end }) => {
			const from = Number.isNaN(start) ? last : start;
			last = Math.max(from, Number.isNaN(end) ? from : end);
			return { text: text.trim(), start: from, end: last };
		});
}

/** The longest song, in seconds. */
const MAX_TIME = 24 * 3_600;

/** A time in seconds, at least 0; `undefined` for one that no song has. */
function timeOf(value: Json | undefined): number | undefined {
	const time = asNumber(value) ?? NaN;
	return time < MAX_TIME ? Math.max(time, 0) : undefined;
}

/** `00:01:02.345`. */
function clock(seconds: number): string {
	return new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23);
}

/** `01:02.34`. */
function minutes(seconds: number): string {
	const hundredths = Math.round(seconds * 100);
	const [whole, rest] = [Math.floor(hundredths / 6_000), (hundredths % 6_000) / 100];
	return `${String(whole).padStart(2, '0')}:${rest.toFixed(2).padStart(5, '0')}`;
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
