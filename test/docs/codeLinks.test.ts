import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import { asError } from '../../nodes/shared/gateway/errors/errors';
import { filesOf, readText } from '../helpers/markdown';
import { Execution } from '../run/support';
import { codeLinks, linesWith } from './links';

// Links from pages to code: the text of a link is what a reader searches for in its file.

const CODE = [
	'export async function send(',
	"	throw new Error('never');",
	'class Budget {',
	'	private async take<T>(call: () => T) {',
	'		const send = 1;',
	'		this.take(send);',
	'twice twice',
	'twice',
].join('\n');

it.each([
	['send', [1]],
	["throw new Error('never')", [2]],
	['Budget', [3]],
	['take', [4]],
	['this.take(', [6]],
	['twice ', [7]],
	['call', []],
	['no such code', []],
	['twice', []],
	['e', []],
	['{', [3, 4]],
])('%j is declared, or stands, in lines %j', (code, lines) => {
	expect(linesWith(code, CODE)).toStrictEqual(lines);
});

it('a link to code has it as its text: not a word, nor the name of the file', () => {
	const text =
		'A [`word`](costs.md#limits), [file](../nodes/a.ts), [`b/a.ts`](../nodes/b/a.ts), [`send`](../nodes/a.ts)';
	expect(codeLinks(text, 'docs/page.md')).toStrictEqual([{ file: 'nodes/a.ts', code: 'send' }]);
});

const pages = filesOf(/\.md$/, 'docs').filter((page) => codeLinks(readText(page), page).length > 0);

it.each(pages)('%s names code that its file has once', (page) => {
	const wrong = codeLinks(readText(page), page).filter(({ file, code }) => {
		return linesWith(code, readText(file)).length !== 1;
	});
	expect(wrong).toStrictEqual([]);
});

describe('docs/follow-a-ruble.md', () => {
	const page = 'docs/follow-a-ruble.md';
	const text = readText(page);

	it('links to the code', () => {
		expect(codeLinks(text, page).length).toBeGreaterThan(30);
	});

	it('names the line where a limit refuses', async () => {
		const [, code = ''] = /\*\*Here a\s+limit refuses\*\*: \[`(.+?)`\]/.exec(text) ?? [];
		const call = { model: 'm', account: 'a', maxRub: '20.01' };
		const begun = new Execution().node().begin(call, { maxCostRub: '20', run: new RunSignal() });
		const error = await begun.catch(asError);
		expect(error).toMatchObject({ param: 'maxCostRub' });
		const [, thrownIn] = /ledger\.ts:(\d+)/.exec(error instanceof Error ? (error.stack ?? '') : '') ?? [];
		const lines = linesWith(code, readText('nodes/shared/run/charge/ledger.ts'));
		expect(lines).toStrictEqual([Number(thrownIn)]);
	});

	it.each(['outcome', 'kind', 'record', 'key', 'ledger'])('the glossary explains %s', (word) => {
		expect(text).toMatch(new RegExp(`^\\| ${word} \\| .{30}`, 'm'));
	});
});
