import type { INodeProperties } from 'n8n-workflow';

import { collected } from './conditions';
import { optionsOf, type OperationSection } from './operations';
import { parameterTables } from './parameters';

/** A field of an operation, with what a page says of it. */
export interface Field {
	property: INodeProperties;
	text: string;
}

export const OPTIONS_STYLE = { prefix: 'options.', defaults: 'Initial value' };

/** The parameters of a panel that a page shows, without the options. */
export function fieldsOf(panel: INodeProperties[]): Field[] {
	const shown = panel.filter(({ type }) => type !== 'collection' && type !== 'notice' && type !== 'hidden');
	const scope = { panel, siblings: panel };
	return shown.map((property) => ({ property, text: parameterTables([property], scope).join('\n') }));
}

/** The options of a panel, without those that all operations have. */
export function ownOptions(panel: readonly INodeProperties[], common: readonly INodeProperties[]): Field[] {
	const options = optionsOf(panel);
	const all = options ? collected(options) : [];
	const own = all.filter(({ name }) => !common.some((option) => option.name === name));
	const scope = { panel, siblings: all };
	return own.map((property) => ({
		property,
		text: parameterTables([property], scope, OPTIONS_STYLE).join('\n'),
	}));
}

/** How many fields an operation has at least, of which a page only says what differs. */
const MIN_FIELDS = 8;

/** The operations of a page that are like one above, which is described in full: most of their fields are the same. */
export function likeOnesAbove(
	operations: readonly OperationSection[],
	common: readonly INodeProperties[],
): Map<OperationSection, OperationSection> {
	const full: Array<{ section: OperationSection; texts: Set<string> }> = [];
	const found = new Map<OperationSection, OperationSection>();
	for (const section of operations) {
		const texts = new Set(
			[...fieldsOf(section.panel), ...ownOptions(section.panel, common)].map(({ text }) => text),
		);
		const model = full.find((one) => {
			const same = [...texts].filter((text) => one.texts.has(text)).length;
			return texts.size >= MIN_FIELDS && same >= 0.6 * texts.size && same >= 0.6 * one.texts.size;
		});
		if (model) found.set(section, model.section);
		else full.push({ section, texts });
	}
	return found;
}
