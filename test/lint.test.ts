import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { MediaTask } from '../nodes/MediaTask/MediaTask.node';

const root = resolve(__dirname, '..');

// `npm run lint:security` finds the next name from outside that is assigned to an object, and the next pattern that is not linear.

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

test('lint:panels reports options out of order, a dynamic list without "Name or ID", and an exception that is not needed', () => {
	const description = JSON.parse(JSON.stringify(new MediaTask().description)) as INodeTypeDescription;
	const field = (name: string, resource: string): INodeProperties | undefined =>
		description.properties.find(
			(one) => one.name === name && one.displayOptions?.show?.resource?.[0] === resource,
		);
	const options = field('options', 'video')?.options ?? [];
	options.unshift(...options.splice(1, 1));
	const [file] = field('inputFiles', 'video')?.options ?? [];
	for (const one of file && 'values' in file ? file.values : [])
		if (one.name === 'inputField') one.displayName = 'Target Field';
	field('operation', 'task')?.options?.sort((a, b) => a.name.localeCompare(b.name));
	const { status, stderr } = spawnSync(
		process.execPath,
		['--import', 'tsx', 'scripts/lint-panels.ts', '--stdin'],
		{
			cwd: root,
			// In tests, n8n's rules take each file for a node, a trigger and a credential.
			env: { ...process.env, NODE_ENV: undefined },
			input: JSON.stringify({ MediaTask: description }),
			encoding: 'utf8',
		},
	);
	const lines = stderr.trim().split('\n');
	expect(lines.map((line) => line.split(': ')[0])).toStrictEqual([
		'Gateway Media Task > Operation',
		'Gateway Media Task > Input Files > File > Target Field',
		'Gateway Media Task > Options',
	]);
	expect(lines[0]).toContain('is no longer a finding');
	expect(status).toBe(1);
});
