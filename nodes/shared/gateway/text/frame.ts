import { asObject, parseJson, type JsonObject } from '../util/json';
import { DONE } from './sse';

/** The characters of a first line that tell what a response is. */
const FIRST_CHARACTERS = 16;

const EVENT_FIELD = /^(?:data|event|id|retry)(?:[:\r\n]|$)/;

/** Whether a line is a field that events do not have: readers ignore it. */
function isOtherField(line: string): boolean {
	return /^[\w-]+:/.test(line) && !EVENT_FIELD.test(line);
}

/**
 * Finds out by its first line whether a response is events or JSON: some gateways send the one although the other was
 * asked for, or label it as another. Blank lines, comments and end marks around either do not count.
 */
export class Frame {
	/** `undefined` until enough has come. */
	kind: 'events' | 'json' | 'other' | undefined;
	private text = '';
	private hasMarks = false;

	/** @param clean removes what is not to be read */
	constructor(private readonly clean: (text: string) => string = (text) => text) {}

	/** Keeps the text of a response that is not events. */
	add(text: string): void {
		if (this.kind === 'events') return;
		// A long comment is looked at once, at its end.
		const isOpen = this.kind === undefined && (this.text.length < FIRST_CHARACTERS || /[\r\n]/.test(text));
		this.text += text;
		if (isOpen) this.decide(false);
	}

	end(): void {
		if (this.kind === undefined) this.decide(true);
	}

	/** The JSON object that has come so far, as text. */
	get json(): string {
		return this.kind === 'json' ? this.clean(this.text) : '';
	}

	/** The JSON object, if it is whole. */
	body(): JsonObject | undefined {
		const { json } = this;
		return json === '' ? undefined : asObject(parseJson(json) ?? parseJson(withoutEnd(json)));
	}

	/** Forgets all but the beginning. */
	cut(shorten: (text: string) => string): void {
		this.text = shorten(this.text);
	}

	private decide(isEnd: boolean): void {
		this.text = this.firstLine();
		if (this.text.startsWith('{')) this.kind = 'json';
		else if (isEnd && this.text === '') this.kind = this.hasMarks ? 'events' : 'other';
		else if (isEnd || (this.text.length >= FIRST_CHARACTERS && !this.isOpenLine()))
			this.kind = EVENT_FIELD.test(this.text) ? 'events' : 'other';
		if (this.kind === 'events') this.text = '';
	}

	/** Whether the end of the line is needed. */
	private isOpenLine(): boolean {
		return this.text.startsWith(':') || isOtherField(this.text);
	}

	private firstLine(): string {
		let rest = this.text.trimStart();
		for (;;) {
			const end = rest.search(/[\r\n]/);
			const line = rest.slice(0, end);
			if (end < 0 || !(isMark(line) || isOtherField(line))) return rest;
			this.hasMarks ||= isMark(line);
			rest = rest.slice(end).trimStart();
		}
	}
}

/** A comment, or what ends a stream (§6.1, §6.2). */
function isMark(line: string): boolean {
	const content = line.trim().replace(/^data: */, '');
	return content === '' || content === DONE || content.startsWith(':');
}

function withoutEnd(text: string): string {
	const lines = text.split(/\r\n|[\r\n]/);
	while (lines.length > 0 && isMark(lines.at(-1) ?? '')) lines.pop();
	return lines.join('\n');
}
