import { collected } from '../../scripts/docs/nodes/conditions';
import { operationsOf, optionsOf, type OperationSection } from '../../scripts/docs/nodes/operations';
import { anchor, readText } from '../helpers/markdown';
import { descriptions } from '../helpers/panel';

// A page in docs/nodes describes what several operations have in common once: the others refer to it.

const COMMON = 'Options of every operation';

const operations = descriptions.flatMap((description) =>
	operationsOf(description).map(({ resource, operation, panel }) => ({
		node: description.name,
		title: `${resource.name}: ${operation.name}`,
		panel,
	})),
);

const pageOf = (node: string): string => readText(`docs/nodes/${node}.md`);

/** The part of a page below a heading, up to the next one of its level or above. */
function partOf(text: string, level: '##' | '###', heading: string): string {
	const [, after = ''] = `\n${text}`.split(`\n${level} ${heading}\n`);
	return after.split(new RegExp(`\n#{2,${level.length}} `))[0] ?? '';
}

/** The labels in the first table of a part: other tables are of rows and groups. */
function labelsIn(part: string): string[] {
	const [first = ''] = part.split(/^(?:A row of|The fields of|The options in|\*.+\* begins with) ?/m);
	return [...first.matchAll(/^\| \*\*(.+?)\*\*<br>/gm)].map(([, label = '']) => label);
}

/** The labels that a section shows, also by its reference to another one. */
function shownIn(text: string, title: string, name: 'Parameters' | 'Options'): string[] {
	const part = partOf(partOf(text, '##', title), '###', name);
	const own = labelsIn(part);
	const [reference, model] = /^As in \[(.+?)\]\(.*$/m.exec(part) ?? [];
	if (model === undefined) return own;
	const without = [...(reference?.matchAll(/\*(.+?)\*/g) ?? [])].map(([, label]) => label);
	return [...shownIn(text, model, name).filter((label) => !without.includes(label)), ...own];
}

const sorted = (labels: string[]): string[] => [...new Set(labels)].sort();

describe.each(operations)('$node, $title', ({ node, title, panel }) => {
	const text = pageOf(node);

	it('has all its parameters on the page, and no others', () => {
		const fields = panel.filter(({ type }) => !['collection', 'notice', 'hidden'].includes(type));
		expect(sorted(shownIn(text, title, 'Parameters'))).toStrictEqual(
			sorted(fields.map(({ displayName }) => displayName)),
		);
	});

	it('has all its options on the page, and no others', () => {
		const options: OperationSection['panel'] = [optionsOf(panel)].flatMap((found) =>
			found ? collected(found) : [],
		);
		const common = labelsIn(partOf(text, '##', COMMON));
		expect(sorted([...shownIn(text, title, 'Options'), ...common])).toStrictEqual(
			sorted(options.map(({ displayName }) => displayName)),
		);
	});
});

it.each([
	[
		'mediaTask',
		'Image: Generate',
		['Image: Edit', 'Video: Generate', 'Music: Generate', 'Speech: Generate', 'Task: Create and Wait'],
	],
	['textGeneration', 'Document: Read', ['Image: Analyze', 'Audio: Transcribe', 'Video: Analyze']],
])('%s: what is like %s says so, for its parameters and its options', (node, model, titles) => {
	const reference = `As in [${model}](#${anchor(model)})`;
	for (const title of titles) expect(partOf(pageOf(node), '##', title).split(reference)).toHaveLength(3);
});
