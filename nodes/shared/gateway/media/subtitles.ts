import { ApiError } from '../errors/errors';
import { asNumber, asObjects, textOf, type Json } from '../util/json';

interface Line {
	text: string;
	/** In milliseconds; `NaN` until a word with a time is in it. */
	start: number;
	/** 0 if it is not known. */
	end: number;
}

/**
 * Timed lyrics (§2.10): LRC has each line, the others a cue for each line or for lines that begin together. Lines that the
 * gateway could not align share the time between those before and after them.
 *
 * @throws {ApiError} if no word has a time
 */
export function subtitles(alignedWords: Json | undefined, format: 'srt' | 'vtt' | 'lrc'): string {
	const lines = linesOf(alignedWords);
	if (lines.every(({ start }) => Number.isNaN(start))) throw noTimes();
	setStarts(lines);
	// One wrong time moves only its line.
	lines.sort((a, b) => a.start - b.start);
	if (format === 'lrc') return lines.map(({ text, start }) => `[${minutes(start)}]${text}\n`).join('');
	const cues = cuesOf(lines).map(({ text, start, end }, index) => {
		const [from, to] = [clock(start), clock(end)];
		if (format === 'vtt') return `${from} --> ${to}\n${inVtt(text)}\n`;
		// SRT has no escapes, and an arrow is between its times.
		const words = text.replaceAll('-->', '→');
		return `${index + 1}\n${from.replace('.', ',')} --> ${to.replace('.', ',')}\n${words}\n`;
	});
	return [...(format === 'vtt' ? ['WEBVTT\n'] : []), ...cues].join('\n');
}

function noTimes(): ApiError {
	return new ApiError({
		message: 'There are no times for subtitles',
		description:
			"The gateway has no words for this track, or could align none with the music. Without 'Subtitle Format', you get its response as it is.",
		outcome: 'rejected',
		kind: 'read',
		code: 'no_aligned_words',
		retryable: false,
	});
}

/** The lines of the lyrics. A word may contain line breaks, and the white space around it. */
function linesOf(alignedWords: Json | undefined): Line[] {
	const words = asObjects(alignedWords);
	const space = words.some(({ word }) => /\s/.test(textOf(word))) ? '' : ' ';
	const lines: Line[] = [{ text: '', start: NaN, end: 0 }];
	for (const { word, success, startS, endS } of words) {
		for (const [index, part] of textOf(word)
			.split(/\r\n?|\n/)
			.entries()) {
			if (index > 0) lines.push({ text: '', start: NaN, end: 0 });
			const line = lines.at(-1);
			if (!line || part.trim() === '') continue;
			line.text += line.text === '' ? part : space + part;
			if (success === false) continue;
			if (Number.isNaN(line.start)) line.start = timeOf(startS) ?? NaN;
			line.end = timeOf(endS) ?? line.end;
		}
	}
	return lines.filter(({ text }) => text.trim() !== '').map((line) => ({ ...line, text: line.text.trim() }));
}

/** How long a line without an end lasts if no other one follows, in milliseconds. */
const LAST_MS = 5_000;

/** Sets the starts of lines that are not aligned. */
function setStarts(lines: readonly Line[]): void {
	let end = 0;
	let open: Line[] = [];
	const share = (next: number) => {
		const from = Math.min(end, next);
		for (const [index, line] of open.entries())
			line.start = Math.round(from + ((next - from) * index) / open.length);
		open = [];
	};
	for (const line of lines) {
		if (Number.isNaN(line.start)) {
			open.push(line);
			continue;
		}
		share(line.start);
		end = Math.max(line.end, line.start);
	}
	share(end + open.length * LAST_MS);
}

/** The lines as cues that have a length and do not overlap. */
function cuesOf(lines: readonly Line[]): Line[] {
	const cues: Line[] = [];
	for (const { text, start, end } of lines) {
		const last = cues.at(-1);
		if (last?.start === start) {
			last.text += `\n${text}`;
			last.end = Math.max(last.end, end);
		} else cues.push({ text, start, end });
	}
	return cues.map(({ text, start, end }, index) => {
		const next = cues[index + 1]?.start;
		const known = end > start ? end : (next ?? start + LAST_MS);
		return { text, start, end: Math.min(known, next ?? known) };
	});
}

/** The longest song, in seconds. */
const MAX_TIME = 24 * 3_600;

/** A time of at least 0, in milliseconds; `undefined` for one that no song has. */
function timeOf(value: Json | undefined): number | undefined {
	const time = asNumber(value) ?? NaN;
	return time < MAX_TIME ? Math.round(Math.max(time, 0) * 1_000) : undefined;
}

/** `00:01:02.345`. */
function clock(time: number): string {
	const hours = String(Math.floor(time / 3_600_000)).padStart(2, '0');
	return hours + new Date(time).toISOString().slice(13, 23);
}

/** `01:02.34`. */
function minutes(time: number): string {
	const hundredths = Math.round(time / 10);
	const [whole, rest] = [Math.floor(hundredths / 6_000), (hundredths % 6_000) / 100];
	return `${String(whole).padStart(2, '0')}:${rest.toFixed(2).padStart(5, '0')}`;
}

function inVtt(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
