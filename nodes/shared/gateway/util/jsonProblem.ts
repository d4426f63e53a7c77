/** Where text stops being JSON. */
export interface JsonProblem {
	/** From 1. */
	line: number;
	/** From 1. */
	character: number;
	/** What could stand there. */
	expected: string;
	/** What stands there; `undefined` at the end of the text. */
	found: string | undefined;
}

/** Deeper JSON is not searched. */
const MAX_DEPTH = 200;

const SPACE = /[ \t\n\r]*/y;
/** Text without quotes, backslashes and control characters, or with them escaped. A loop for each character needs a stack. */
const TEXT = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"/uy;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Finds out where text stops being JSON: messages of `JSON.parse` differ between versions of Node.js, and most have no
 * position.
 *
 * @returns `undefined` for JSON, and for JSON that is nested too deeply to be searched
 */
export function jsonProblem(text: string): JsonProblem | undefined {
	const search = new Search(text);
	if (search.value(0) && search.end()) return undefined;
	return search.expected === '' ? undefined : search.problem();
}

class Search {
	expected = '';
	private at = 0;

	constructor(private readonly text: string) {}

	/** Reads a value; returns whether there is one. */
	value(depth: number): boolean {
		if (depth > MAX_DEPTH) return false;
		this.skip(SPACE);
		if (this.skip(/\{/y)) return this.rest('}', () => this.field(depth));
		if (this.skip(/\[/y)) return this.rest(']', () => this.value(depth + 1));
		return this.skip(TEXT) || this.skip(SCALAR) || this.missing('a value, with text in double quotes');
	}

	/** Reads white space up to the end of the text. */
	end(): boolean {
		this.skip(SPACE);
		return this.at === this.text.length || this.missing('the end');
	}

	problem(): JsonProblem {
		const before = this.text.slice(0, this.at).split('\n');
		return {
			line: before.length,
			character: (before.at(-1)?.length ?? 0) + 1,
			expected: this.expected,
			found: this.text.slice(this.at).match(/^\S{1,20}/u)?.[0],
		};
	}

	private field(depth: number): boolean {
		this.skip(SPACE);
		if (!this.skip(TEXT)) return this.missing('a name in double quotes');
		this.skip(SPACE);
		return this.skip(/:/y) ? this.value(depth + 1) : this.missing('a colon');
	}

	/** Reads elements up to the bracket. */
	private rest(bracket: string, element: () => boolean): boolean {
		const closing = bracket === '}' ? /\}/y : /\]/y;
		this.skip(SPACE);
		if (this.skip(closing)) return true;
		for (;;) {
			if (!element()) return false;
			this.skip(SPACE);
			if (this.skip(closing)) return true;
			if (!this.skip(/,/y)) return this.missing(`a comma or ${bracket}`);
		}
	}

	private skip(pattern: RegExp): boolean {
		pattern.lastIndex = this.at;
		const [found] = pattern.exec(this.text) ?? [];
		this.at += found?.length ?? 0;
		return found !== undefined;
	}

	private missing(expected: string): false {
		this.expected = expected;
		return false;
	}
}
