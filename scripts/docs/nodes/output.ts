import type { INodeProperties } from 'n8n-workflow';

import { packageNodes } from '../../../test/helpers/engine';
import { code, codeBlock, plain } from '../markdown';
import { collected, valueLabel } from './conditions';
import type { Example } from './examples';
import { oneLine, readableJson } from './json';
import type { Normaliser } from './normalise';
import { NOT_SHOWN, operationsOf } from './operations';

/** A longer sentence becomes a list. */
const LONGEST_SENTENCE = 110;

const OF_SANDBOX =
	'The gateway’s specification does not show this response, and a gateway may be without it. The example is of the sandbox:';

interface Dependencies {
	/** The parameters of the panel, for their labels. */
	panel: readonly INodeProperties[];
	/** All examples: some use the items of another. */
	all: readonly Example[];
	normaliser: Normaliser;
}

/** The examples of an operation: parameters and output. */
export function outputs(examples: readonly Example[], dependencies: Dependencies): string[] {
	return examples.flatMap((example) => [
		...(NOT_SHOWN.has(example.operation) ? [OF_SANDBOX] : []),
		...(example.title === undefined ? [] : [`**${example.title}**`]),
		...situation(example, dependencies),
		...result(example, dependencies.normaliser),
	]);
}

function situation(example: Example, { panel, all }: Dependencies): string[] {
	const { continuesOnFail, prompt, balances = [] } = example;
	const settings = example.parameters;
	const words = [
		...origin(example, all),
		...Object.entries(settings).flatMap(([name, value]) => setting(panel, name, value)),
		...(continuesOnFail ? ['*On Error* Continue'] : []),
		...(balances.length > 1 ? [`a balance of ₽${balances.join(', then ₽')}`] : []),
		...(prompt === undefined ? [] : [`the prompt “${prompt}”`]),
	];
	if (words.length === 0) return [];
	const sentence = `With ${words.join(', ')}:`;
	return sentence.length <= LONGEST_SENTENCE
		? [sentence]
		: ['With', words.map((word) => `- ${word}`).join('\n')];
}

function origin({ after, file }: Example, all: readonly Example[]): string[] {
	if (file) return [`an item that has a file (${code(file.fileName)}) in the binary field ${code('data')}`];
	const before = all.find(({ name }) => name !== undefined && name === after);
	return before ? [`an item of *${stepName(before)}*`] : [];
}

function stepName({ node, operation }: Example): string {
	const { description } = packageNodes[node];
	const found = operationsOf(description).find(({ key }) => key === operation);
	return found ? `${description.displayName} → ${found.operation.name}` : description.displayName;
}

/** A parameter with its value; each option is separate. */
function setting(panel: readonly INodeProperties[], name: string, value: unknown): string[] {
	const properties = panel.filter((property) => property.name === name && property.type !== 'hidden');
	const [property] = properties;
	if (!property) throw new Error(`An example sets "${name}", which the panel does not show`);
	if (property.type === 'collection')
		return Object.entries(value ?? {}).flatMap(([option, one]) => setting(collected(property), option, one));
	return [`*${plain(property.displayName)}* ${valueOf(property, value)}`];
}

function valueOf(property: INodeProperties, value: unknown): string {
	if (value !== null && typeof value === 'object')
		return code('__rl' in value && 'value' in value ? String(value.value) : oneLine(filledIn(value)));
	if (typeof value === 'string' && property.type !== 'options') return code(value.replace(/^=/, ''));
	return valueLabel(property, value);
}

/** The values of a form; JSON in texts as JSON. */
function filledIn(value: unknown): unknown {
	if (typeof value === 'string') return /^\{.*\}$/s.test(value) ? (JSON.parse(value) as unknown) : value;
	if (Array.isArray(value)) return value.map(filledIn);
	if (value === null || typeof value !== 'object') return value;
	if ('mappingMode' in value && 'value' in value) return value.value;
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one)]));
}

function result({ items }: Example, normaliser: Normaliser): string[] {
	const [first] = items;
	if (!first) return [];
	// First: the names of files have parts of its IDs.
	const json = normaliser.apply(first.json);
	const files = Object.entries(first.binary ?? {}).map(
		([field, { fileName = '', mimeType }]) =>
			`- ${code(field)}: ${code(normaliser.text(fileName))}, ${mimeType}`,
	);
	return [
		...(items.length > 1 ? [`The first of ${items.length} items:`] : []),
		codeBlock('json', readableJson(json)),
		...(files.length === 0
			? []
			: [`and the binary ${files.length > 1 ? 'fields' : 'field'}`, files.join('\n')]),
	];
}
