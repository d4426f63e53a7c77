import { collected } from '../../scripts/docs/nodes/conditions';
import { operationsOf, optionsOf, type OperationSection } from '../../scripts/docs/nodes/operations';
import { anchor, readText } from '../helpers/markdown';
import { descriptions } from '../helpers/panel';

// A page in docs/nodes describes a parameter of several operations, and each option, once.

const operations = descriptions.flatMap((description) =>
	operationsOf(description).map(({ resource, operation, panel }, _, all) => ({
		node: description.name,
		resource: resource.name,
		operation: operation.name,
		title: `${resource.name}: ${operation.name}`,
		panel,
		isOnly: all.length === 1,
	})),
);

const pageOf = (node: string): string => readText(`docs/nodes/${node}.md`);

/** The part of a page below a heading, up to the next one of its level or above. */
function partOf(text: string, level: '##' | '###', heading: string): string {
	const [, after = ''] = `\n${text}`.split(`\n${level} ${heading}\n`);
	return after.split(new RegExp(`\n#{2,${level.length}} `))[0] ?? '';
}

/** The heading to which the list of contents leads from an operation. */
function sectionOf(text: string, title: string): string {
	const [, target] =
		new RegExp(`^- \\[${title}\\]\\(#(.+?)\\)`, 'm').exec(partOf(text, '##', 'Contents')) ?? [];
	const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
	return headings.find((heading) => anchor(heading) === target) ?? `no section for ${title}`;
}

/** The rows of the first table of parameters in a part: other tables are of rows and groups. */
function rowsIn(part: string): Array<{ label: string; cells: string[] }> {
	const [, table = ''] = part.split(/^\| Parameter .*\n\|[-|]+\n/m);
	const [first = ''] = table.split('\n\n');
	return first.split('\n').flatMap((line) => {
		const [, label] = /^\| \*\*(.+?)\*\*<br>/.exec(line) ?? [];
		return label === undefined ? [] : [{ label, cells: line.split(/(?<!\\)\|/).map((cell) => cell.trim()) }];
	});
}

/** The parameters that the page shows for an operation. */
function parametersOn(text: string, title: string): string[] {
	const rows = rowsIn(partOf(partOf(text, '##', sectionOf(text, title)), '###', 'Parameters'));
	return rows.flatMap(({ label, cells }) => {
		const [, missing = ''] = /\*Not in (.+?)\.\*/.exec(cells.join(' ')) ?? [];
		return missing.split(/, | or /).includes(title) ? [] : [label];
	});
}

/** The options that the page shows for an operation. */
function optionsOn(text: string, { resource, operation, isOnly }: (typeof operations)[number]): string[] {
	const part = partOf(text, '##', 'Options');
	const titles =
		/^\| Parameter .*$/m
			.exec(part)?.[0]
			.split('|')
			.map((cell) => cell.trim()) ?? [];
	const column = titles.indexOf('Operations');
	expect(column > 0).toBe(!isOnly);
	const has = (cell: string) =>
		cell === 'all' ||
		cell.split('; ').some((words) => {
			const [name, list] = words.split(': ');
			return list === undefined
				? words.split(', ').includes(resource)
				: name === resource && list.split(', ').includes(operation);
		});
	return rowsIn(part).flatMap(({ label, cells }) => (isOnly || has(cells[column] ?? '') ? [label] : []));
}

describe.each(operations)('$node, $title', (one) => {
	const { node, title, panel } = one;
	const text = pageOf(node);

	it('has all its parameters on the page, once, and no others', () => {
		const fields = panel.filter(({ type }) => !['collection', 'notice', 'hidden'].includes(type));
		expect(parametersOn(text, title).sort()).toStrictEqual(
			fields.map(({ displayName }) => displayName).sort(),
		);
	});

	it('has all its options on the page, once, and no others', () => {
		const options: OperationSection['panel'] = [optionsOf(panel)].flatMap((found) =>
			found ? collected(found) : [],
		);
		expect(optionsOn(text, one).sort()).toStrictEqual(options.map(({ displayName }) => displayName).sort());
	});
});

it.each([
	[
		'mediaTask',
		'Generate media',
		[
			'Image: Generate',
			'Image: Edit',
			'Video: Generate',
			'Music: Generate',
			'Speech: Generate',
			'Task: Create and Wait',
			'Task: Create',
		],
	],
	[
		'textGeneration',
		'Read and analyze files',
		['Document: Read', 'Image: Analyze', 'Audio: Transcribe', 'Video: Analyze'],
	],
])('%s: *%s* describes what is alike, with a table of what differs', (node, section, titles) => {
	const text = pageOf(node);
	expect(titles.map((title) => sectionOf(text, title))).toStrictEqual(titles.map(() => section));
	const [, after = ''] = partOf(text, '##', section).split('What differs by operation:\n\n');
	const [table = ''] = after.split('\n\n');
	const [, , ...rows] = table.split('\n');
	expect(rows.map((row) => /^\| \*\*(.+?)\*\* \|/.exec(row)?.[1])).toStrictEqual(titles);
	for (const row of rows) expect(row).not.toMatch(/\|\s+\|/);
});
