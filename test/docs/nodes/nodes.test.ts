import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import { repository } from '../../helpers/markdown';
import { expectCurrent } from '../current';
import { cases } from './cases';
import { runCases, type ExampleRun } from './examples';
import { descriptions, indexPage, workflowsWith } from './overview';
import { operationsOf } from './operations';
import { page } from './page';

// docs/nodes is made from the descriptions of the nodes and from what they put out, so that it cannot go stale.

const nodes = descriptions.map((description) => ({
	name: description.name,
	file: `docs/nodes/${description.name}.md`,
	description,
}));
const operations = nodes.flatMap(({ name, description }) =>
	operationsOf(description).map((section) => ({ name, description, key: section.key, section })),
);

describe('the pages are current', () => {
	let run: ExampleRun;

	beforeAll(async () => {
		run = await runCases(cases);
	}, 60_000);

	test.each(nodes)('$file', ({ name, file, description }) => {
		const workflows = workflowsWith(`n8n-nodes-ai-gateway.${name}`);
		expectCurrent(file, page(description, { run, workflows }));
	});

	it('docs/nodes/README.md', () => expectCurrent('docs/nodes/README.md', indexPage()));

	it('there are no others', () => {
		const expected = ['README.md', ...nodes.map(({ name }) => `${name}.md`)].sort();
		expect(readdirSync(resolve(repository, 'docs/nodes')).sort()).toStrictEqual(expected);
	});
});

describe('every operation has an example', () => {
	test.each(operations)('$name: $key', ({ name, key }) => {
		expect(cases.filter(({ node, operation }) => node === name && operation === key)).not.toStrictEqual([]);
	});

	const others = nodes.filter(({ description }) => operationsOf(description).length === 0);
	test.each(others)('$name', ({ name }) => {
		expect(cases.filter(({ node }) => node === name)).not.toStrictEqual([]);
	});

	it('and every example is of an operation that exists', () => {
		const known = new Set(operations.map(({ name, key }) => `${name} ${key}`));
		const named = cases.filter(({ operation }) => operation !== undefined);
		const unknown = named.filter(({ node, operation }) => !known.has(`${node} ${operation}`));
		expect(unknown).toStrictEqual([]);
	});
});

/** What n8n itself shows in the panel of a new node in which this operation is chosen. */
function shownByN8n(description: INodeTypeDescription, key: string): string[] {
	const [resource = '', operation = ''] = key.split('/');
	const { properties } = description;
	const chosen = { resource, operation };
	const values = NodeHelpers.getNodeParameters(properties, chosen, true, false, null, description) ?? {};
	return properties
		.filter((property) => NodeHelpers.displayParameter(values, property, null, description))
		.map(({ name }) => name)
		.filter((name) => name !== 'resource' && name !== 'operation');
}

describe('the pages list what n8n’s panel shows', () => {
	test.each(operations)('$name: $key', ({ description, key, section }) => {
		const listed = section.panel.map(({ name }) => name);
		const always = section.panel.filter(({ displayOptions: { show = {}, hide = {} } = {} }) =>
			[...Object.keys(show), ...Object.keys(hide)].every(
				(name) => name === 'resource' || name === 'operation',
			),
		);
		const shown = shownByN8n(description, key);
		expect(listed).toStrictEqual(expect.arrayContaining(shown));
		expect(shown).toStrictEqual(expect.arrayContaining(always.map(({ name }) => name)));
	});
});
