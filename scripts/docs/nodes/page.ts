import { NodeConnectionTypes, type INodeProperties, type INodeTypeDescription } from 'n8n-workflow';

import { anchor } from '../../../test/helpers/markdown';
import { code, fromHtml, plain, table } from '../markdown';
import { collected, condition } from './conditions';
import { extraBodyFields } from './extraBody';
import type { Example, ExampleRun } from './examples';
import { Normaliser } from './normalise';
import {
	groupRow,
	groupsOf,
	operationsIn,
	optionRowsOf,
	OPTIONS_STYLE,
	parametersOf,
	repeatsOf,
	sharedFields,
	titleOf,
	type GroupRow,
	type Repeat,
} from './likeness';
import { operationsOf, optionsOf, type OperationSection } from './operations';
import { outputs } from './output';
import { notices, parameterTables, tables } from './parameters';

/** A comment in the source of a page: it is generated. */
export const MADE = '<!-- Generated from the node by `npm run docs`. Do not edit. -->';

const PACKAGE = 'n8n-nodes-ai-gateway';
const OPTIONS = 'Options';

/** The titles of operations that are described together, by the first one. */
const GROUPS: Readonly<Record<string, string>> = {
	'image/generate': 'Generate media',
	'task/delete': 'Delete, archive and restore tasks',
	'document/read': 'Read and analyze files',
};

/** The nodes below which the end-to-end tests have run the chat model. */
const SERVED =
	'Tested below n8n’s *AI Agent*, *Basic LLM Chain*, *Information Extractor*, *Guardrails* and *Evaluation*, also through a *Model Selector*';

export interface PageFacts {
	run: ExampleRun;
	/** Workflows in examples/ that have the node: title and file name. */
	workflows: ReadonlyArray<{ title: string; file: string }>;
}

export function page(description: INodeTypeDescription, facts: PageFacts): string {
	const writer = new PageWriter(description, facts);
	return writer.blocks().join('\n\n');
}

class PageWriter {
	private readonly examples: Example[];
	private readonly normaliser: Normaliser;
	private readonly operations: OperationSection[];

	constructor(
		private readonly description: INodeTypeDescription,
		private readonly facts: PageFacts,
	) {
		this.examples = facts.run.examples.filter(({ node }) => node === description.name);
		this.normaliser = new Normaliser(facts.run);
		this.operations = operationsOf(description);
	}

	blocks(): string[] {
		const { displayName, description } = this.description;
		return [
			MADE,
			`# ${displayName}`,
			`${plain(description)}.`,
			...this.triggerHelp(),
			this.identity(),
			...(this.operations.length > 0 ? this.withOperations() : this.withoutOperations()),
		];
	}

	private triggerHelp(): string[] {
		const { triggerPanel, polling } = this.description;
		const poll =
			'n8n polls at the *Poll Times* (`pollTimes`), the first field of the panel. The default is every minute.';
		if (polling) return [poll];
		if (typeof triggerPanel !== 'object') return [];
		const { executionsHelp, activationHint } = triggerPanel;
		const help = typeof executionsHelp === 'object' ? executionsHelp.inactive : executionsHelp;
		const words = [help, activationHint]
			.filter((text) => typeof text === 'string')
			.map((text) => fromHtml(text));
		return [`> In the panel: ${words.join(' ')}`];
	}

	/** The stored name of the node, and its credential. */
	private identity(): string {
		const { name, usableAsTool, outputs } = this.description;
		const isModel = outputs.includes(NodeConnectionTypes.AiLanguageModel);
		const workflows = this.facts.workflows.map(({ title, file }) => `[${title}](../../examples/${file})`);
		return [
			`Type name: ${code(`${PACKAGE}.${name}`)}`,
			'Credential: [AI Gateway API](../../README.md#credentials), required',
			`As a tool of an AI Agent: ${usableAsTool ? 'yes; it then returns short JSON and no files' : 'no'}`,
			...(isModel ? [SERVED] : []),
			'Errors: [what is sent again, and what is charged](../errors.md)',
			'[All nodes, and how to read this page](README.md)',
			...(workflows.length === 0 ? [] : [`Workflows to import: ${workflows.join(' · ')}`]),
		]
			.map((line) => `- ${line}`)
			.join('\n');
	}

	private withOperations(): string[] {
		const groups = groupsOf(this.operations);
		const entries = groups.flatMap((group) =>
			group.map((section) => [titleOf(section), groupTitle(group), section.operation.description ?? '']),
		);
		const contents = [...entries, [OPTIONS, OPTIONS, 'what you can add, and how requests are sent']];
		return [
			'## Contents',
			contents
				.map(
					([name = '', title = '', text = '']) =>
						`- [${name}](#${anchor(title)}): ${startingSmall(fromHtml(text))}`,
				)
				.join('\n'),
			...groups.flatMap((group) => {
				const [first] = group;
				return first && group.length === 1 ? this.section(first) : this.group(group);
			}),
			...this.optionsOfAll(),
		];
	}

	private section(section: OperationSection): string[] {
		const { resource, operation, panel, toolDescription: tool } = section;
		const text = `${fromHtml(operation.description ?? '')}.`;
		const stored = `resource ${code(String(resource.value))}, operation ${code(String(operation.value))}`;
		return [
			`## ${titleOf(section)}`,
			text,
			...(tool === undefined || tool === text ? [] : [`Tool description for an AI Agent: “${tool}”`]),
			`In n8n’s list of actions: *${actionOf(section)}*. Stored as ${stored}.`,
			...this.parameters(panel, '###'),
			'### Output',
			...this.outputsOf(section),
		];
	}

	/** Operations that are alike: what they have in common, and a table of what differs. */
	private group(sections: OperationSection[]): string[] {
		const rows = sharedFields(sections, parametersOf).flatMap((field) => groupRow(field, sections));
		const [first = -1] = sections.map((section) => this.operations.indexOf(section));
		const [repeat] = repeatsOf(
			rows.map(({ row }) => row),
			this.operations.slice(0, first),
		);
		const [shared = '', ...below] = tables(
			rows.map(({ row }) => (repeat?.rows.includes(row) ? { ...row, below: [] } : row)),
		);
		const notes = sections.flatMap(({ panel }) => notices(panel, { panel, siblings: panel }));
		return [
			`## ${groupTitle(sections)}`,
			table(
				[
					'Operation',
					'In n8n’s list of actions',
					'Stored as resource, operation',
					'Tool description for an AI Agent',
				],
				sections.map((section) => [
					`**${titleOf(section)}**`,
					actionOf(section),
					`${code(String(section.resource.value))}, ${code(String(section.operation.value))}`,
					section.toolDescription ?? '',
				]),
			),
			'### Parameters',
			...new Set(notes),
			shared,
			...differences(rows, sections),
			...(repeat ? [reference(repeat)] : []),
			...below,
			'### Output',
			...sections.flatMap((section) => [`#### ${titleOf(section)}`, ...this.outputsOf(section)]),
		];
	}

	private outputsOf({ key, panel }: OperationSection): string[] {
		const examples = this.examples.filter((example) => example.operation === key);
		return outputs(examples, { panel, all: this.facts.run.examples, normaliser: this.normaliser });
	}

	private parameters(panel: INodeProperties[], level: string): string[] {
		const scope = { panel, siblings: panel };
		const shown = panel.filter(({ type }) => type !== 'collection' && type !== 'notice' && type !== 'hidden');
		const rows = parameterTables(shown, scope);
		return [...(rows.length > 0 ? [`${level} Parameters`] : []), ...notices(panel, scope), ...rows];
	}

	/** The options of all operations, each once. */
	private optionsOfAll(): string[] {
		const rows = sharedFields(this.operations, optionRowsOf).flatMap(({ variants }) =>
			variants.map(({ row, sections }) =>
				this.operations.length > 1 ? { ...row, operations: operationsIn(sections, this.operations) } : row,
			),
		);
		const [{ panel } = { panel: [] }] = this.operations;
		const options = optionsOf(panel);
		return [
			`## ${OPTIONS}`,
			added(options),
			...tables(rows, OPTIONS_STYLE),
			...extraBodyFields(panel, options),
		];
	}

	private options(panel: readonly INodeProperties[]): string[] {
		const options = optionsOf(panel);
		if (!options) return [];
		const scope = { panel, siblings: collected(options) };
		const when = condition(options, { panel, siblings: panel });
		return [
			`## ${OPTIONS}`,
			...(when === '' ? [] : [`*${when}*`]),
			added(options),
			...parameterTables(collected(options), scope, OPTIONS_STYLE),
			...extraBodyFields(panel, options),
		];
	}

	private withoutOperations(): string[] {
		const { properties, outputNames } = this.description;
		const output = outputNames ? 'In the execution’s log' : 'Output';
		const all = this.facts.run.examples;
		const titles = ['Parameters', ...(optionsOf(properties) ? [OPTIONS] : []), output];
		return [
			'## Contents',
			titles.map((title) => `- [${title}](#${anchor(title)})`).join('\n'),
			...this.parameters(properties, '##'),
			...this.options(properties),
			`## ${output}`,
			...outputs(this.examples, { panel: properties, all, normaliser: this.normaliser }),
		];
	}
}

/** A table of what is different by operation. */
function differences(rows: readonly GroupRow[], sections: readonly OperationSection[]): string[] {
	const different = rows.filter((one) => one.differences.length > 0);
	if (different.length === 0) return [];
	const labels = different.map(({ row }) => plain(row.property.displayName));
	const cells = sections.map((section) => [
		`**${titleOf(section)}**`,
		...different.map((row) =>
			row.differences
				.filter((difference) => difference.section === section)
				.flatMap(({ lines }) => lines)
				.join('\n'),
		),
	]);
	return ['What differs by operation:', table(['Operation', ...labels], cells)];
}

function reference({ section, rows }: Repeat): string {
	const labels = rows.map(({ property }) => `*${plain(property.displayName)}*`).join(', ');
	return `For rows and initial values of ${labels}, see [${titleOf(section)}](#${anchor(titleOf(section))}).`;
}

/** @throws {Error} for operations that have become alike and have no title */
function groupTitle(sections: readonly OperationSection[]): string {
	const [first] = sections;
	if (!first) return '';
	if (sections.length === 1) return titleOf(first);
	const title = GROUPS[first.key];
	if (title === undefined)
		throw new Error(`${sections.map(titleOf).join(', ')} are alike: what are they together?`);
	return title;
}

const actionOf = ({ operation }: OperationSection): string => plain(operation.action ?? operation.name);

function added(options: INodeProperties | undefined): string {
	return `An option applies only if you add it (*${options?.placeholder ?? OPTIONS}*).`;
}

/** With a lower-case first letter, if the text begins with a word. */
function startingSmall(text: string): string {
	return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
