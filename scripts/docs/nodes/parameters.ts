import {
	isINodePropertyCollectionList,
	isINodePropertyOptionsList,
	type INodeProperties,
	type INodePropertyCollection,
} from 'n8n-workflow';

import { code, codeBlock, fromHtml, plain, table } from '../markdown';
import { collected, condition, formatsOf, type Scope } from './conditions';
import { defaultOf, kind, longDefault } from './kinds';

export interface TableStyle {
	/** Before each stored name, e.g. `options.`. */
	prefix?: string;
	/** Title of the column of defaults. */
	defaults?: string;
}

/** What a page says of a parameter. */
export interface Row {
	property: INodeProperties;
	/** Label and stored name. */
	name: string;
	kind: string;
	initial: string;
	/** The formats that have it; `undefined` for all. */
	formats: string[] | undefined;
	/** The operations that have it, where a table is about several. */
	operations?: string;
	/** The description, line by line. */
	lines: string[];
	/** What does not fit into the table. */
	below: string[];
}

/** Notices of the panel, as quotations. */
export function notices(properties: readonly INodeProperties[], scope: Scope): string[] {
	return properties
		.filter(({ type }) => type === 'notice')
		.map(
			(notice) => `> In the panel: ${joined(italic(condition(notice, scope)), fromHtml(notice.displayName))}`,
		);
}

const italic = (text: string) => (text === '' ? '' : `*${text}*`);
const joined = (...parts: string[]) => parts.filter((part) => part !== '').join(' ');

/** The parameters in the order of the panel, as a table, and what does not fit into it. */
export function parameterTables(
	properties: readonly INodeProperties[],
	scope: Scope,
	style: TableStyle = {},
): string[] {
	const shown = properties.filter(({ type }) => type !== 'notice' && type !== 'hidden');
	return tables(
		shown.map((property) => rowOf(property, scope, style)),
		style,
	);
}

/** Rows as a table, with what does not fit into it; nothing for no rows. */
export function tables(rows: readonly Row[], { defaults = 'Default' }: TableStyle = {}): string[] {
	if (rows.length === 0) return [];
	const withFormats = rows.some(({ formats }) => formats);
	const withOperations = rows.some(({ operations }) => operations !== undefined);
	const titles = [
		'Parameter',
		'Type',
		defaults,
		...(withFormats ? ['API Format'] : []),
		...(withOperations ? ['Operations'] : []),
		'Description',
	];
	const cells = rows.map(({ name, kind: type, initial, formats, operations = '', lines }) => [
		name,
		type,
		initial,
		...(withFormats ? [formats?.join(', ') ?? 'all'] : []),
		...(withOperations ? [operations] : []),
		lines.join('\n'),
	]);
	return [table(titles, cells), ...rows.flatMap(({ below }) => below)];
}

/** What a page says of a parameter. */
export function rowOf(property: INodeProperties, scope: Scope, { prefix = '' }: TableStyle = {}): Row {
	return {
		property,
		name: `**${plain(property.displayName)}**\n${code(`${prefix}${property.name}`)}`,
		kind: kind(property),
		initial: defaultOf(property),
		formats: formatsOf(property, scope),
		lines: description(property, scope),
		below: below(property, scope, prefix),
	};
}

function description(property: INodeProperties, scope: Scope): string[] {
	const { description: text = '', hint = '' } = property;
	const sentence = hint === '' || text === '' ? text : text.replace(/([^.])$/, '$1.');
	const words = joined(italic(condition(property, scope)), fromHtml(sentence), fromHtml(hint));
	return [words, ...example(property), ...choices(property)].filter((line) => line !== '');
}

/** The placeholder, if it is an example that says more than the default. */
function example({ placeholder, default: initial, type }: INodeProperties): string[] {
	const [, text] = /^e\.g\. (.+)$/.exec(placeholder ?? '') ?? [];
	if (type !== 'string' || text === undefined || text === initial) return [];
	return [`Example: ${code(text)}`];
}

/** The choices: a line for each if they have descriptions, else one line for all. */
function choices({ options, type }: INodeProperties): string[] {
	if (type !== 'options' && type !== 'multiOptions') return [];
	if (!isINodePropertyOptionsList(options)) return [];
	const label = (name: string, value: unknown) => `${plain(name)} (${code(String(value))})`;
	if (options.every((option) => option.description === undefined))
		return [options.map(({ name, value }) => label(name, value)).join(', ')];
	return options.map(({ name, value, description: text }) => {
		const words = text === undefined ? '' : `: ${fromHtml(text)}`;
		return `• ${label(name, value)}${words}`;
	});
}

/** The parts of a parameter that do not fit into its table: the fields of its rows, and a long default. */
function below(property: INodeProperties, scope: Scope, prefix: string): string[] {
	const long = longDefault(property);
	const initial =
		long === undefined ? [] : [`*${property.displayName}* begins with:`, codeBlock('json', long)];
	const place = `${prefix}${property.name}`;
	const members = property.type === 'collection' ? collected(property) : [];
	return [
		...initial,
		...(members.length > 0 ? [`The options in *${property.displayName}*:`] : []),
		...parameterTables(
			members,
			{ ...scope, siblings: members },
			{ prefix: `${place}.`, defaults: 'Initial value' },
		),
		...groups(property).flatMap((group) => rowTable(property, group, scope, place)),
	];
}

function groups({ type, options }: INodeProperties): INodePropertyCollection[] {
	return type === 'fixedCollection' && isINodePropertyCollectionList(options) ? options : [];
}

function rowTable(property: INodeProperties, group: INodePropertyCollection, scope: Scope, prefix: string) {
	const place = `${prefix}.${group.name}`;
	const isRepeated = property.typeOptions?.multipleValues === true;
	return [
		isRepeated
			? `A row of *${property.displayName}* (stored in ${code(`${place}[]`)}):`
			: `The fields of *${property.displayName}* (stored in ${code(place)}):`,
		...parameterTables(group.values, { ...scope, siblings: group.values }),
	];
}
