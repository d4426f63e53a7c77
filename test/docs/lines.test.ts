import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import { codeLinks, lineOf, withLines } from '../../scripts/docs/lines';
import { asError } from '../../nodes/shared/gateway/errors/errors';
import { readText } from '../helpers/markdown';
import { Execution } from '../run/support';

// Links from pages to lines of code.

const PAGE = 'docs/page.md';
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
const link = (code: string, line: number | ''): string => `See [\`${code}\`](../nodes/a.ts#L${line}), or`;
const read = (file: string): string => {
	expect(file).toBe('nodes/a.ts');
	return CODE;
};

it.each([
	['send', 1],
	["throw new Error('never')", 2],
	['Budget', 3],
	['take', 4],
	['this.take(', 6],
	['twice ', 7],
])('%s is in line %d', (code, line) => {
	for (const before of ['', 1, 99] as const)
		expect(withLines(link(code, before), PAGE, read)).toBe(link(code, line));
});

it.each([
	['call', 0],
	['no such code', 0],
	['twice', 0],
	['wice', 0],
	['e', 0],
	['{', 2],
])('%j is no place, because it is in %d lines', (code, count) => {
	const place = () => withLines(link(code, 1), PAGE, read);
	expect(place).toThrow(`nodes/a.ts has \`${code}\` in ${count} lines`);
});

it('other links stay as they are', () => {
	const text = 'A [`word`](costs.md#limits), [file](../nodes/a.ts), [line](../nodes/a.ts#L3)';
	expect(withLines(text, PAGE, read)).toBe(text);
});

describe('docs/follow-a-ruble.md', () => {
	const page = 'docs/follow-a-ruble.md';
	const text = readText(page);

	it('links to the lines of the code: if not, run `npm run docs`', () => {
		expect(codeLinks(text, page).length).toBeGreaterThan(30);
		expect(withLines(text, page)).toBe(text);
	});

	it('names the line where a limit refuses', async () => {
		const [, code = '', line] =
			/\*\*Here a\s+limit refuses\*\*: \[`(.+?)`\]\(.*\/ledger\.ts#L(\d+)\)/.exec(text) ?? [];
		const call = { model: 'm', account: 'a', maxRub: '20.01' };
		const begun = new Execution().node().begin(call, { maxCostRub: '20', run: new RunSignal() });
		const error = await begun.catch(asError);
		expect(error).toMatchObject({ param: 'maxCostRub' });
		const [, thrownIn] = /ledger\.ts:(\d+)/.exec(error instanceof Error ? (error.stack ?? '') : '') ?? [];
		expect(thrownIn).toBe(line);
		const file = 'nodes/shared/run/charge/ledger.ts';
		expect(lineOf(code, file, readText(file))).toBe(Number(line));
	});

	it.each(['outcome', 'kind', 'record', 'key', 'ledger'])('the glossary explains %s', (word) => {
		expect(text).toMatch(new RegExp(`^\\| ${word} \\| .{30}`, 'm'));
	});
});
