import { isDeepStrictEqual } from 'node:util';

import { either } from '../markdown';
import { collected } from './conditions';
import { optionsOf, type OperationSection } from './operations';
import { rowOf, type Row, type TableStyle } from './parameters';

// What several operations have in common is described once.

/** What a page says of a field in some operations. */
interface Variant {
	row: Row;
	sections: OperationSection[];
}

/** A field of several operations: a variant for each description. */
export interface SharedField {
	name: string;
	variants: Variant[];
}

export const OPTIONS_STYLE: TableStyle = { prefix: 'options.', defaults: 'Initial value' };

/** What a page says of the parameters of an operation, without the options. */
export function parametersOf({ panel }: OperationSection): Row[] {
	const shown = panel.filter(({ type }) => type !== 'collection' && type !== 'notice' && type !== 'hidden');
	return shown.map((property) => rowOf(property, { panel, siblings: panel }));
}

/** What a page says of the options of an operation. */
export function optionRowsOf({ panel }: OperationSection): Row[] {
	const options = optionsOf(panel);
	const all = options ? collected(options) : [];
	return all.map((property) => rowOf(property, { panel, siblings: all }, OPTIONS_STYLE));
}

/** How many parameters operations have at least that are described together although some of them differ. */
const MIN_PARAMETERS = 7;

/** The least share of the parameters that are then the same. */
const MIN_SHARE = 0.7;

/** The operations of a page: those that are alike together, at the place of the first one. */
export function groupsOf(sections: readonly OperationSection[]): OperationSection[][] {
	const groups: Array<[OperationSection, ...OperationSection[]]> = [];
	for (const section of sections) {
		const like = groups.find(([first]) => areAlike(first, section));
		if (like) like.push(section);
		else groups.push([section]);
	}
	return groups;
}

/** Whether most of many parameters are described alike, or all of few and all options. */
function areAlike(one: OperationSection, other: OperationSection): boolean {
	const least = Math.min(parametersOf(one).length, parametersOf(other).length);
	if (least >= MIN_PARAMETERS) return sameIn(parametersOf(one), parametersOf(other)) >= MIN_SHARE * least;
	const [rows, others] = [allRowsOf(one), allRowsOf(other)];
	const isSame = rows.length === others.length && sameIn(rows, others) === rows.length;
	return isSame && one.resource.value === other.resource.value;
}

function allRowsOf(section: OperationSection): Row[] {
	return [...parametersOf(section), ...optionRowsOf(section)];
}

function sameIn(one: readonly Row[], other: readonly Row[]): number {
	return one.filter((row) => other.some((candidate) => saysTheSame(row, candidate))).length;
}

function saysTheSame(one: Row, other: Row): boolean {
	const facts = ({ name, kind, initial, lines, below }: Row) => [name, kind, initial, lines, below];
	return isDeepStrictEqual(facts(one), facts(other));
}

/** The fields of operations, each once, in the order of the panels. */
export function sharedFields(
	sections: readonly OperationSection[],
	rowsOf: (section: OperationSection) => Row[],
): SharedField[] {
	const fields: SharedField[] = [];
	for (const section of sections) {
		let place = 0;
		for (const row of rowsOf(section)) {
			const { name } = row.property;
			const index = fields.findIndex((field) => field.name === name);
			if (index === -1) fields.splice(place, 0, { name, variants: [{ row, sections: [section] }] });
			else add(fields[index]?.variants ?? [], row, section);
			place = (index === -1 ? place : index) + 1;
		}
	}
	return fields;
}

function add(variants: Variant[], row: Row, section: OperationSection): void {
	const same = variants.find((variant) => saysTheSame(variant.row, row));
	if (same) same.sections.push(section);
	else variants.push({ row, sections: [section] });
}

/** A field of a group, and what is different by operation. */
export interface GroupRow {
	row: Row;
	/** What the operations have instead, if they differ. */
	differences: Array<{ section: OperationSection; lines: string[] }>;
}

/**
 * A field as operations that are described together have it.
 *
 * @throws {Error} where its type differs
 */
export function groupRow({ variants }: SharedField, sections: readonly OperationSection[]): GroupRow[] {
	const [first, ...others] = variants;
	if (!first) return [];
	if (others.length === 0) {
		const lines = [...absence(first.sections, sections), ...first.row.lines];
		return [{ row: { ...first.row, lines }, differences: [] }];
	}
	if (others.some(({ row }) => row.kind !== first.row.kind))
		throw new Error(`${first.row.name} has two types`);
	const hasOneDefault = others.every(({ row }) => row.initial === first.row.initial);
	const all = variants.map(({ row, sections: own }) => ({ own, parts: parts(row, !hasOneDefault) }));
	const isCommon = (part: string) => all.every((variant) => partsIn(variant.parts).includes(part));
	const common = only(parts(first.row, !hasOneDefault), isCommon);
	const lines = [...common, 'Differs by operation, see below.'];
	const row = { ...first.row, lines, initial: hasOneDefault ? first.row.initial : 'see below' };
	const differences = all.flatMap(({ own, parts: said }) =>
		own.map((section) => ({ section, lines: only(said, (part) => !isCommon(part)) })),
	);
	return [{ row, differences }];
}

/** What a row says: its sentences, and further lines. */
interface Parts {
	sentences: string[];
	lines: string[];
}

function parts({ lines: [words = '', ...others], initial }: Row, withDefault: boolean): Parts {
	return {
		sentences: words.split(/(?<=\.) (?=\p{Lu})/u),
		lines: [...others, ...(withDefault ? [`Default: ${initial}`] : [])],
	};
}

const partsIn = ({ sentences, lines }: Parts): string[] => [...sentences, ...lines];

/** Some of the parts, as lines. */
function only({ sentences, lines }: Parts, isMeant: (part: string) => boolean): string[] {
	return [sentences.filter(isMeant).join(' '), ...lines.filter(isMeant)].filter((line) => line !== '');
}

function absence(own: readonly OperationSection[], all: readonly OperationSection[]): string[] {
	const missing = all.filter((section) => !own.includes(section));
	return missing.length === 0 ? [] : [`*Not in ${either(missing.map(titleOf))}.*`];
}

/** The title of an operation. */
export function titleOf({ resource, operation }: OperationSection): string {
	return `${resource.name}: ${operation.name}`;
}

/** The operations that have something, e.g. "Image, Video; Task: Wait": a resource stands for all of its own. */
export function operationsIn(own: readonly OperationSection[], all: readonly OperationSection[]): string {
	if (own.length === all.length) return 'all';
	const resources = [...new Set(own.map(({ resource }) => resource.name))];
	const of = (sections: readonly OperationSection[], name: string) =>
		sections.filter(({ resource }) => resource.name === name);
	const isWhole = (name: string) => of(own, name).length === of(all, name).length;
	const whole = resources.filter(isWhole);
	const partly = resources
		.filter((name) => !isWhole(name))
		.map(
			(name) =>
				`${name}: ${of(own, name)
					.map(({ operation }) => operation.name)
					.join(', ')}`,
		);
	return [...(whole.length === 0 ? [] : [whole.join(', ')]), ...partly].join('; ');
}

/** What stands below some rows already stands below those of an operation above. */
export interface Repeat {
	section: OperationSection;
	rows: Row[];
}

/** The rows that need no tables of their own, since an operation above has the same. */
export function repeatsOf(rows: readonly Row[], above: readonly OperationSection[]): Repeat[] {
	return above.flatMap((section) => {
		const there = parametersOf(section);
		const isThere = (row: Row) => there.some(({ below }) => isDeepStrictEqual(below, row.below));
		const repeated = rows.filter((row) => row.below.length > 0 && isThere(row));
		return repeated.length === 0 ? [] : [{ section, rows: repeated }];
	});
}
