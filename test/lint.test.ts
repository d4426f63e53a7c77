import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

// `npm run lint:security` finds the next name from outside that is assigned to an object, and the next pattern that is not linear.

const root = resolve(__dirname, '..');

/** Lines of a source, and whether each is reported. */
const LINES: Array<[line: string, rule?: string]> = [
	['export function read(object: Record<string, unknown>, name: string, list: string[], index: number) {'],
	['	object[name] = 1;', 'own/outside-names'],
	['	object[name] ??= 1;', 'own/outside-names'],
	['	const value = object[name];', 'own/outside-names'],
	['	const { a, ["b"]: b } = object;'],
	['	const known = name in object;', 'own/outside-names'],
	['	Object.assign(list, object);', 'own/outside-names'],
	['	Object.assign({}, ...[object]);', 'own/outside-names'],
	['	delete object[name];'],
	['	const copied = { ...object, [name]: 1 };'],
	['	const element = list[index];'],
	['	const literal = object["name"];'],
	['	const trimmed = name.replace(/\\s+$/, "");', 'redos/no-vulnerable'],
	['	const clean = name.replace(/^\\s+/, "");'],
	['	return { value, a, b, known, copied, element, literal, trimmed, clean };'],
	['}'],
];

interface Report {
	messages: Array<{ line: number; ruleId: string | null; message: string }>;
}

test('the security rules report names from outside and patterns that are not linear, and nothing else', () => {
	const eslint = resolve(root, 'node_modules/eslint/bin/eslint.js');
	const file = ['--stdin', '--stdin-filename', 'nodes/shared/gateway/util/text.ts'];
	const args = [eslint, '--config', 'eslint.security.config.mjs', '--format', 'json', ...file];
	const input = LINES.map(([line]) => line).join('\n');
	// Otherwise the parser reads the file itself.
	const env = { ...process.env, TSESTREE_SINGLE_RUN: 'false' };
	const { stdout } = spawnSync(process.execPath, args, { cwd: root, env, input, encoding: 'utf8' });
	const [report] = JSON.parse(stdout) as Report[];
	const found = (report?.messages ?? []).map(({ line, ruleId, message }) => [
		LINES[line - 1]?.[0],
		ruleId ?? message,
	]);
	expect(found).toStrictEqual(LINES.filter(([, rule]) => rule !== undefined));
});
