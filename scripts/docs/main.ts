// Generates docs/errors.md, docs/nodes and the output schemas of the nodes: `npm run docs`. With `-- --check`, fails when a
// file is not current instead.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repository } from '../../test/helpers/markdown';
import { errorsPage } from './errors';
import { cases } from './nodes/cases';
import { runCases } from './nodes/examples';
import { operationsOf } from './nodes/operations';
import { descriptions, indexPage, workflowsWith } from './nodes/overview';
import { page } from './nodes/page';
import { existingSchemas, schemas } from './schemas';

const FOLDER = 'docs/nodes';

/** The text of each generated file, by its path in the repository. */
async function pages(): Promise<Map<string, string>> {
	const run = await runCases(cases);
	const nodes = descriptions.map((description): [string, string] => {
		const workflows = workflowsWith(`n8n-nodes-ai-gateway.${description.name}`);
		return [`${FOLDER}/${description.name}.md`, page(description, { run, workflows })];
	});
	return new Map([
		['docs/errors.md', errorsPage()],
		[`${FOLDER}/README.md`, indexPage()],
		...nodes,
		...schemas(descriptions, run),
	]);
}

/** Operations that have no example, and examples of operations that do not exist. */
function mismatches(): string[] {
	const operations = descriptions.flatMap((description) => {
		const keys: Array<string | undefined> = operationsOf(description).map(({ key }) => key);
		return (keys.length > 0 ? keys : [undefined]).map((key) => `${description.name} ${key ?? ''}`);
	});
	const examples = new Set(cases.map(({ node, operation }) => `${node} ${operation ?? ''}`));
	return [
		...operations.filter((name) => !examples.has(name)).map((name) => `no example of ${name}`),
		...[...examples].filter((name) => !operations.includes(name)).map((name) => `no operation ${name}`),
	];
}

function write(path: string, text: string): void {
	mkdirSync(dirname(join(repository, path)), { recursive: true });
	writeFileSync(join(repository, path), text);
}

async function main(): Promise<number> {
	const wrong = mismatches();
	if (wrong.length > 0) {
		console.error(`Correct scripts/docs/nodes/cases.ts: ${wrong.join(', ')}.`);
		return 1;
	}
	const texts = await pages();
	const pagesThere = readdirSync(join(repository, FOLDER)).map((name) => `${FOLDER}/${name}`);
	const strays = [...pagesThere, ...existingSchemas()].filter((path) => !texts.has(path));
	const stale = [...texts].filter(([path, text]) => {
		const file = join(repository, path);
		return !existsSync(file) || readFileSync(file, 'utf8') !== `${text.trimEnd()}\n`;
	});
	if (!process.argv.includes('--check')) {
		for (const [path, text] of stale) write(path, `${text.trimEnd()}\n`);
		for (const path of strays) rmSync(join(repository, path));
		return 0;
	}
	const names = [...stale.map(([path]) => path), ...strays];
	if (names.length > 0) console.error(`Not current: ${names.join(', ')}. Run \`npm run docs\`.`);
	return names.length > 0 ? 1 : 0;
}

void main().then((code) => (process.exitCode = code));
