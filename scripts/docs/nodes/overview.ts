import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

import { packageNodes } from '../../../test/helpers/engine';
import { repository } from '../../../test/helpers/markdown';
import { plain, table } from '../markdown';
import { operationsOf } from './operations';
import { MADE } from './page';

/** The descriptions of the package's nodes. */
export const descriptions: INodeTypeDescription[] = Object.values(packageNodes).map(
	(node) => node.description,
);

/** The workflows in examples/ that have a node of this type, also as a tool. */
export function workflowsWith(type: string): Array<{ title: string; file: string }> {
	const folder = resolve(repository, 'examples');
	return readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.sort()
		.flatMap((file) => {
			const { name, nodes } = JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as {
				name: string;
				nodes: Array<{ type: string }>;
			};
			const uses = nodes.some((node) => node.type.replace(/Tool$/, '') === type);
			return uses ? [{ title: name, file }] : [];
		});
}

/** A node's operations, by resource; its kind if it has none. */
function does(node: INodeTypeDescription): string {
	const operations = operationsOf(node);
	if (operations.length === 0)
		return node.group.includes('trigger') ? '*starts workflows*' : '*serves other nodes*';
	const resources = new Set(operations.map(({ resource }) => resource.name));
	return [...resources]
		.map((name) => {
			const own = operations.filter(({ resource }) => resource.name === name);
			return `**${name}**: ${own.map(({ operation }) => operation.name).join(', ')}`;
		})
		.join('\n');
}

export function indexPage(): string {
	const rows = descriptions.map((node) => [
		`[${node.displayName}](${node.name}.md)`,
		plain(node.description),
		does(node),
	]);
	return [
		MADE,
		'# The nodes',
		'All parameters of each node, and its output. For how the nodes work together, see the [README](../../README.md); for errors, [what is sent again, and what is charged](../errors.md).',
		table(['Node', 'What it does', 'Operations'], rows),
		READING,
	].join('\n\n');
}

const READING = `## How to read the pages

- **Parameter**: the label in n8n’s panel, and below it the name in a stored workflow. \`options.maxTokens\` is \`maxTokens\` among the *Options*.
- **Type**: the type of the value. A *toggle* is on or off (\`true\`, \`false\`). A **required** parameter must have a value. All accept
  expressions, except those marked *no expression*.
- **From a list, or by ID**: choose *From List*, or *By ID* and enter an ID or an expression. Stored as
  \`{ "__rl": true, "mode": "id", "value": "vendor/model-name" }\`.
- **Initial value**: the value of an option when you add it.
- **Tool description**: what the model of an AI Agent reads; where there is none, the sentence above it.
- **Operations**, **API Format**: which of them have the option. *Image* stands for all operations of that resource. Operations other than
  *Text: Generate* use Chat Completions.
- *When …*: the panel shows the parameter only then.
- **Output**: the \`json\` of an output item, and its binary fields. \`npm run docs\` runs the examples on
  n8n’s engine with the sandbox gateway, whose models, prices and responses they show. IDs, times and URLs are replaced by
  examples; \`…\` stands for omitted numbers.`;
