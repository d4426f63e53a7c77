import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// Three responses of 130 KB that unpack to 127 MB each, at the same time, in a process with 512 MB of heap: all would not fit.

const PROGRAM = join(__dirname, 'process', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'memory-'));
const outcomes = new Map<string, string[]>();
let end: { code: number | null; errors: string };

beforeAll(async () => {
	const child = spawn(process.execPath, ['--max-old-space-size=512', '--import', 'tsx', PROGRAM], {
		env: { ...process.env, NODE_OPTIONS: '', N8N_USER_FOLDER: folder },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let errors = '';
	child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
	createInterface({ input: child.stdout }).on('line', (line) => {
		const { name, found } = JSON.parse(line) as { name: string; found: string[] };
		outcomes.set(name, found);
	});
	const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
	end = { code, errors };
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
	['text', 'response_too_large true'],
	['stream', 'response_too_large true'],
	['stream of one event', 'response_too_large true'],
	['stream that is not one', 'response_too_large true'],
	['sound', 'audio'],
	['error', 'response_too_large true'],
	['error of a stream', 'response_too_large true'],
	['catalogue', 'The gateway’s response is too large'],
	['state of a task', 'response_too_large false'],
])('%s: each of them ends with %s', (name, outcome) => {
	expect(outcomes.get(name)).toStrictEqual(Array<string>(3).fill(outcome));
});

it('the process lives', () => expect(end).toStrictEqual({ code: 0, errors: '' }));
