import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// scripts/versions/table.mjs reads what jest reports about test/versions.

const table = pathToFileURL(join(__dirname, '../../../scripts/versions/table.mjs')).href;
const names = [
	'Nodes',
	'Form',
	'Error output',
	'Lost answer',
	'Retry On Fail',
	'Suspend',
	'Sub-workflow',
	'Media trigger',
	'Streaming',
	'Agent tool',
	'Chat model',
];

/** Reads a report with these tests: the suite, and what became of the test. */
function results(tests: Array<[suite: string, status: string]>): { cells: string[]; isPassed: boolean } {
	const assertionResults = tests.map(([title, status]) => ({ ancestorTitles: [title], status }));
	const script = `
		import { resultsOf } from '${table}';
		console.log(JSON.stringify(resultsOf(JSON.parse(process.argv[1]))));`;
	const report = JSON.stringify({ testResults: [{ assertionResults }] });
	const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script, report]);
	return JSON.parse(output.toString()) as { cells: string[]; isPassed: boolean };
}
const passed = names.map((name): [string, string] => [name, 'passed']);

test('a suite whose tests all pass has a tick', () =>
	expect(results(passed)).toStrictEqual({ cells: names.map(() => '✓'), isPassed: true }));

test('a failed test counts, and fails the version', () => {
	const { cells, isPassed } = results([...passed, ['Nodes', 'failed']]);
	expect(cells[0]).toBe('**1 of 2**');
	expect(isPassed).toBe(false);
});

test('a suite that needs a newer n8n names it, and fails like others', () => {
	const older = (status: string) =>
		results([...passed.slice(0, -1), ['Chat model (needs n8n 2.16)', status]]);
	expect(older('passed')).toMatchObject({ isPassed: true });
	expect(older('passed').cells.at(-1)).toBe('needs 2.16');
	expect(older('failed')).toMatchObject({ isPassed: false });
	expect(older('failed').cells.at(-1)).toBe('**0 of 1**');
});

test('a suite without tests fails the version', () => {
	const { cells, isPassed } = results(passed.slice(1));
	expect(cells[0]).toBe('–');
	expect(isPassed).toBe(false);
});

test('a file that could not be loaded fails the version', () => expect(results([]).isPassed).toBe(false));
