// Markdown that GitHub renders as intended.

/** The Markdown for the tags of n8n's descriptions. */
const TAGS: Readonly<Record<string, string>> = {
	b: '**',
	strong: '**',
	i: '*',
	em: '*',
	code: '`',
	br: '\n',
};

const ENTITIES: Readonly<Record<string, string>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	'#39': "'",
	nbsp: ' ',
};

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
	const links: string[] = [];
	return html
		.split(/(<\/?[a-z][^>]*>)/i)
		.map((part, index) => (index % 2 === 1 ? tag(part, links) : plain(decoded(part))))
		.join('');
}

function tag(text: string, links: string[]): string {
	const [, close = '', name = ''] = /^<(\/?)([a-z]+)/i.exec(text) ?? [];
	const word = name.toLowerCase();
	if (word === 'a') {
		if (close) return `](${links.pop() ?? ''})`;
		links.push(/href="([^"]*)"/.exec(text)?.[1] ?? '');
		return '[';
	}
	const mark = TAGS[word];
	if (mark === undefined) throw new Error(`There is no Markdown for ${text}`);
	return mark;
}

function decoded(text: string): string {
	return text.replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** Code within a line; line breaks and indents become single blanks. */
export function code(text: string): string {
	const line = text.replace(/\s*\n\s*/g, ' ').trim();
	return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

/** A block of code. */
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
