import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readText } from '../helpers/markdown';
import { copyInto, patched, printedCode, runTool } from '../helpers/printedCode';

// The worked examples of CONTRIBUTING.md are carried out as they are printed, in a copy of the sources.

const printed = printedCode(readText('CONTRIBUTING.md'));
const excerpts = printed.filter(({ kind }) => kind === 'excerpt').map(({ path, text }) => [path, text]);
const paths = printed.filter(({ kind }) => kind !== 'excerpt').map(({ path }) => path);
const tests = paths.filter((path) => path.endsWith('.test.ts'));

/** What holds the words of any operation. */
const WORDS = ['test/nodes/operationWords.test.ts', 'test/nodes/panels.test.ts'];

/** Starts TypeScript, and a node on n8n's engine: seconds alone, more beside other tests. */
const PATIENCE_MS = 120_000;

it('prints two examples, each with a test', () => {
	expect(tests).toHaveLength(2);
	expect(paths.length).toBeGreaterThan(8);
	expect(excerpts.length).toBeGreaterThan(0);
});

test.each(excerpts)('the excerpt of %s stands there', (path = '', text = '') => {
	expect(readText(path)).toContain(text);
});

it(
	'the examples compile, keep the rules for what is shipped, and pass their tests',
	async () => {
		const folder = mkdtempSync(join(tmpdir(), 'ai-gateway-example-'));
		try {
			copyInto(folder, printed, WORDS);
			expect(await problemsIn(folder)).toStrictEqual([]);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
	PATIENCE_MS,
);

/** What the tools have to say of a copy of the sources that has the examples in it; nothing when all is well. */
async function problemsIn(folder: string): Promise<string[]> {
	const config = 'tsconfig.examples.json';
	const examples = { extends: './tsconfig.tooling.json', include: [], files: paths };
	writeFileSync(join(folder, config), JSON.stringify(examples));
	const shipped = paths.filter((path) => path.startsWith('nodes/'));
	const runs = await Promise.allSettled([
		runTool('jest/bin/jest.js', ['--ci', '--silent', '--runTestsByPath', ...tests, ...WORDS], folder),
		runTool('typescript/bin/tsc', ['-p', config], folder),
		runTool('eslint/bin/eslint.js', ['--max-warnings', '0', ...shipped], folder),
		runTool('prettier/bin/prettier.cjs', ['--check', ...paths], folder),
	]);
	return runs.flatMap((run) => (run.status === 'rejected' ? [String(run.reason)] : []));
}

describe('an edit', () => {
	const source = 'a\nb\nc\nd\n';
	it('replaces lines where they stand', () => {
		expect(patched(source, ' a\n-b\n+x\n+y\n@@\n d\n+e\n')).toBe('a\nx\ny\nc\nd\ne\n');
	});
	it('does not fit where the source is another', () => {
		expect(() => patched(source, ' a\n-c\n')).toThrow('stand 0 times');
		expect(() => patched('a\na\n', ' a\n+b\n')).toThrow('stand 2 times');
	});
});
