import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from '../../test/helpers/markdown';
import { cases } from './nodes/cases';
import { runCases } from './nodes/examples';
import { descriptions, indexPage, workflowsWith } from './nodes/overview';
import { page } from './nodes/page';
import { existingSchemas, schemas } from './schemas';

const FOLDER = 'docs/nodes';

/** What `npm run docs` changes: the new text of each file by its path, `undefined` for one that goes. */
export type Changes = Map<string, string | undefined>;

/**
 * Compares docs/nodes and the output schemas of the nodes with what the nodes are now.
 *
 * @throws {Error} when an operation has no example
 */
export async function changesOfDocs(): Promise<Changes> {
	const texts = await pages();
	const pagesThere = readdirSync(join(repository, FOLDER)).map((name) => `${FOLDER}/${name}`);
	const strays = [...pagesThere, ...existingSchemas()].filter((path) => !texts.has(path));
	const stale = [...texts]
		.map(([path, text]): [string, string] => [path, `${text.trimEnd()}\n`])
		.filter(([path, text]) => {
			const file = join(repository, path);
			return !existsSync(file) || readFileSync(file, 'utf8') !== text;
		});
	return new Map<string, string | undefined>([...stale, ...strays.map((path) => [path, undefined] as const)]);
}

/** The text of each generated file, by its path in the repository. */
async function pages(): Promise<Map<string, string>> {
	const run = await runCases(cases);
	const nodes = descriptions.map((description): [string, string] => {
		const workflows = workflowsWith(`n8n-nodes-ai-gateway.${description.name}`);
		return [`${FOLDER}/${description.name}.md`, page(description, { run, workflows })];
	});
	const generated = [...nodes, ...schemas(descriptions, run)];
	return new Map([[`${FOLDER}/README.md`, indexPage()], ...generated]);
}
