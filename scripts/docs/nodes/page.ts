import { NodeConnectionTypes, type INodeProperties, type INodeTypeDescription } from 'n8n-workflow';

import { anchor } from '../../../test/helpers/markdown';
import { code, fromHtml, plain } from '../markdown';
import { collected, condition } from './conditions';
import { extraBodyFields } from './extraBody';
import type { Example, ExampleRun } from './examples';
import { Normaliser } from './normalise';
import { fieldsOf, likeOnesAbove, OPTIONS_STYLE, ownOptions, type Field } from './likeness';
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
	/** For an operation that is like one above it: that one. */
	private readonly models: ReadonlyMap<OperationSection, OperationSection>;

	constructor(
		private readonly description: INodeTypeDescription,
		private readonly facts: PageFacts,
	) {
		this.examples = facts.run.examples.filter(({ node }) => node === description.name);
		this.normaliser = new Normaliser(facts.run);
		this.operations = operationsOf(description);
		this.common = commonOptions(this.operations);
		this.models = likeOnesAbove(this.operations, this.common);
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
			...this.parameters(panel, '###', this.models.get(section)),
			'### Output',
			...outputs(examples, { panel, all: this.facts.run.examples, normaliser: this.normaliser }),
		];
	}

	/** @param model an operation above, of which only the differences are described */
	private parameters(panel: INodeProperties[], level: string, model?: OperationSection): string[] {
		const scope = { panel, siblings: panel };
		const { shown, words } = differences(fieldsOf(panel), model && fieldsOf(model.panel), model);
		const tables = parameterTables(
			shown.map(({ property }) => property),
			scope,
		);
		return [
			...(tables.length > 0 || words !== '' ? [`${level} Parameters`] : []),
			...notices(panel, scope),
			...(words === '' ? [] : [words]),
			...tables,
			...this.options(panel, level, model),
		];
	}

	private options(panel: readonly INodeProperties[], level: string, model?: OperationSection): string[] {
		const options = optionsOf(panel);
		if (!options) return [];
		const own = ownOptions(panel, this.common);
		const shared = this.common.length > 0 ? `[${startingSmall(COMMON)}](#${anchor(COMMON)})` : '';
		const when = condition(options, { panel, siblings: panel });
		const first = [`${level} Options`, ...(when === '' ? [] : [`*${when}*`])];
		if (own.length === 0) return [...first, `Only the ${shared}.`];
		const before = model && ownOptions(model.panel, this.common);
		const { shown, words } = differences(own, before, model);
		const begin = `An option applies only if you add it (*${options.placeholder ?? options.displayName}*).`;
		const extraBody = extraBodyFields(panel, options);
		return [
			...first,
			words || (shared === '' ? begin : `${begin} See also the ${shared}.`),
			...parameterTables(
				shown.map(({ property }) => property),
				{ panel, siblings: collected(options) },
				OPTIONS_STYLE,
			),
			...(words === '' ? extraBody : []),
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

/** What a page shows of the fields of an operation, and how it refers to the others. */
function differences(own: Field[], before: Field[] | undefined, model: OperationSection | undefined) {
	if (!before || !model) return { shown: own, words: '' };
	const shown = own.filter((field) => !before.some(({ text }) => text === field.text));
	const gone = before.filter(({ property }) => !own.some((field) => field.property.name === property.name));
	const without = gone.map(({ property }) => `*${plain(property.displayName)}*`).join(', ');
	const link = `As in [${heading(model)}](#${anchor(heading(model))})`;
	const but = [
		...(without === '' ? [] : [`without ${without}`]),
		...(shown.length === 0 ? [] : ['apart from']),
	];
	const words = [link, but.join(', and ')].filter((part) => part !== '').join(', ');
	return { shown, words: `${words}${shown.length > 0 ? ':' : '.'}` };
}

const heading = ({ resource, operation }: OperationSection) => `${resource.name}: ${operation.name}`;

/** With a lower-case first letter, if the text begins with a word. */
function startingSmall(text: string): string {
	return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
