import { asObjects, joinedTexts, textOf, type JsonObject } from '../../util/json';

// Some models write their thoughts at the beginning of their text: `<think>…</think>`.

const OPEN = /^\s*<think(?:ing)?>/i;
const CLOSE = /<\/think(?:ing)?>\s*/i;

/** A text without the thoughts at its beginning. Thoughts that do not end are all of it. */
export function withoutThoughts(text: string): { thoughts: string; text: string } {
	const [open = ''] = OPEN.exec(text) ?? [];
	if (open === '') return { thoughts: '', text };
	const rest = text.slice(open.length);
	const { 0: close = '', index = rest.length } = CLOSE.exec(rest) ?? {};
	return { thoughts: rest.slice(0, index).trim(), text: rest.slice(index + close.length) };
}

/** The longest tag. */
const TAG_LENGTH = '</thinking>'.length;

/** Leaves the thoughts out of a text that comes in pieces, see {@link withoutThoughts}. */
export class ThoughtFilter {
	private state: 'before' | 'thoughts' | 'after' | 'text' = 'before';
	/** White space before the first word. */
	private space = '';
	/** The end of what has come, as long as it may be a tag. */
	private held = '';

	/** Returns what of the text is to be shown now. */
	add(piece: string): string {
		if (this.state === 'text') return piece;
		this.held += piece;
		if (this.state === 'before') this.begin();
		if (this.state === 'thoughts') this.think();
		if (this.state === 'after') this.held = this.held.trimStart();
		if (this.held === '' || this.state === 'before' || this.state === 'thoughts') return '';
		this.state = 'text';
		return this.held;
	}

	private begin(): void {
		const word = this.held.trimStart();
		this.space += this.held.slice(0, this.held.length - word.length);
		this.held = word;
		const [open] = OPEN.exec(word) ?? [];
		if (open !== undefined) {
			this.state = 'thoughts';
			this.held = word.slice(open.length);
		} else if (!mayBeTag(word)) {
			this.state = 'text';
			this.held = this.space + word;
		}
	}

	private think(): void {
		const close = CLOSE.exec(this.held);
		if (close) this.state = 'after';
		this.held = close ? this.held.slice(close.index + close[0].length) : this.held.slice(1 - TAG_LENGTH);
	}
}

function mayBeTag(word: string): boolean {
	return ['<think>', '<thinking>'].some((tag) => tag.startsWith(word.toLowerCase()));
}

/** Whether a part of a message has thoughts of the model, which are not for its reader. */
export function isThought({ type }: JsonObject): boolean {
	return type === 'thinking';
}

/** The thoughts in a part: a text, or a list of parts with texts. */
export function thoughtIn({ thinking, text }: JsonObject): string {
	return joinedTexts(asObjects(thinking), 'text') || textOf(thinking) || textOf(text);
}
