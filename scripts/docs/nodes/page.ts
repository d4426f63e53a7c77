import { NodeConnectionTypes, type INodeProperties, type INodeTypeDescription } from 'n8n-workflow';

import { anchor } from '../../../test/helpers/markdown';
import { code, fromHtml, plain } from '../markdown';
import { collected, condition } from './conditions';
import { extraBodyFields } from './extraBody';
import type { Example, ExampleRun } from './examples';
import { Normaliser } from './normalise';
import { commonOptions, operationsOf, optionsOf, type OperationSection } from './operations';
import { outputs } from './output';
import { notices, parameterTables } from './parameters';

/** A comment in the source of a page: it is generated. */
export const MADE = '<!-- Generated from the node by `npm run docs`. Do not edit. -->';

const PACKAGE = 'n8n-nodes-ai-gateway';
const COMMON = 'Options of every operation';

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
	private readonly common: INodeProperties[];

	constructor(
		private readonly description: INodeTypeDescription,
		private readonly facts: PageFacts,
	) {
		this.examples = facts.run.examples.filter(({ node }) => node === description.name);
		this.normaliser = new Normaliser(facts.run);
		this.operations = operationsOf(description);
		this.common = commonOptions(this.operations);
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
		const entries = this.operations.map((section) => [heading(section), section.operation.description ?? '']);
		const contents = [...entries, ...(this.common.length > 0 ? [[COMMON, 'how requests are sent']] : [])];
		return [
			'## Contents',
			contents
				.map(([title = '', text = '']) => `- [${title}](#${anchor(title)}): ${startingSmall(fromHtml(text))}`)
				.join('\n'),
			...this.operations.flatMap((section) => this.section(section)),
			...this.commonSection(),
		];
	}

	private section(section: OperationSection): string[] {
		const { resource, operation, key, panel } = section;
		const stored = `resource ${code(String(resource.value))}, operation ${code(String(operation.value))}`;
		const examples = this.examples.filter((example) => example.operation === key);
		return [
			`## ${heading(section)}`,
			`${fromHtml(operation.description ?? '')}.`,
			...(section.toolDescription ? [`Tool description for an AI Agent: “${section.toolDescription}”`] : []),
			`In n8n’s list of actions: *${plain(operation.action ?? operation.name)}*. Stored as ${stored}.`,
			...this.parameters(panel, '###'),
			'### Output',
			...outputs(examples, { panel, all: this.facts.run.examples, normaliser: this.normaliser }),
		];
	}

	private parameters(panel: INodeProperties[], level: string): string[] {
		const scope = { panel, siblings: panel };
		const tables = parameterTables(
			panel.filter(({ type }) => type !== 'collection'),
			scope,
		);
		return [
			...(tables.length > 0 ? [`${level} Parameters`] : []),
			...notices(panel, scope),
			...tables,
			...this.options(panel, level),
		];
	}

	private options(panel: readonly INodeProperties[], level: string): string[] {
		const options = optionsOf(panel);
		if (!options) return [];
		const all = collected(options);
		const own = all.filter(({ name }) => !this.common.some((option) => option.name === name));
		const shared = this.common.length > 0 ? `[${startingSmall(COMMON)}](#${anchor(COMMON)})` : '';
		const when = condition(options, { panel, siblings: panel });
		const first = [`${level} Options`, ...(when === '' ? [] : [`*${when}*`])];
		if (own.length === 0) return [...first, `Only the ${shared}.`];
		const begin = `An option applies only if you add it (*${options.placeholder ?? options.displayName}*).`;
		return [
			...first,
			shared === '' ? begin : `${begin} See also the ${shared}.`,
			...parameterTables(own, { panel, siblings: all }, { prefix: 'options.', defaults: 'Initial value' }),
			...extraBodyFields(panel, options),
		];
	}

	private commonSection(): string[] {
		if (this.common.length === 0) return [];
		const scope = { panel: this.common, siblings: this.common };
		return [`## ${COMMON}`, ...parameterTables(this.common, scope, { prefix: 'options.' })];
	}

	private withoutOperations(): string[] {
		const { properties, outputNames } = this.description;
		const output = outputNames ? 'In the execution’s log' : 'Output';
		const all = this.facts.run.examples;
		const titles = ['Parameters', ...(optionsOf(properties) ? ['Options'] : []), output];
		return [
			'## Contents',
			titles.map((title) => `- [${title}](#${anchor(title)})`).join('\n'),
			...this.parameters(properties, '##'),
			`## ${output}`,
			...outputs(this.examples, { panel: properties, all, normaliser: this.normaliser }),
		];
	}
}

const heading = ({ resource, operation }: OperationSection) => `${resource.name}: ${operation.name}`;

/** With a lower-case first letter, if the text begins with a word. */
function startingSmall(text: string): string {
	return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
