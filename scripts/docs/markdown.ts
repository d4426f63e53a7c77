// Markdown that GitHub renders as intended.

const TAGS: Readonly<Record<string, string>> = { '<b>': '**', '<i>': '*', '<code>': '`', '<br>': '\n' };

/** Text as Markdown that shows just this text; n8n's expressions in it become code. */
export function plain(text: string): string {
	return text
		.split(/(\{\{.*?\}\})/)
		.map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
		.join('');
}

function escaped(text: string): string {
	return text
		.replace(/[\\*]/g, '\\$&')
		.replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
		.replaceAll('<', '&lt;');
}

/**
 * A description of n8n, which may have HTML in it, as Markdown.
 *
 * @throws {Error} for an unknown tag
 */
export function fromHtml(html: string): string {
	return html
		.split(/(<a [^>]*>.*?<\/a>|<\/?[a-z]+>)/i)
		.map((part, index) => (index % 2 === 1 ? markup(part) : plain(part)))
		.join('');
}

function markup(part: string): string {
	const [, url, text] = /^<a .*?href="([^"]*)".*?>(.*)<\/a>$/.exec(part) ?? [];
	if (url !== undefined && text !== undefined) return `[${plain(text)}](${url})`;
	const mark = TAGS[part.replace('/', '')];
	if (mark === undefined) throw new Error(`There is no Markdown for ${part}`);
	return mark;
}

/** Code within a line; line breaks and indents become single blanks. */
export function code(text: string): string {
	const line = text.replace(/\s*\n\s*/g, ' ').trim();
	return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

export function codeBlock(language: string, text: string): string {
	return ['```' + language, text, '```'].join('\n');
}

/** A table; cells may have several lines. */
export function table(titles: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
	return [line(titles), `|${titles.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
	return text.replaceAll('|', '\\|').replaceAll('\n', '<br>');
}

/** A list in a sentence: a, b or c. */
export function either(words: readonly string[]): string {
	const last = words.at(-1) ?? '';
	return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
