import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { descriptions } from '../helpers/panel';

// What stored workflows depend on: names, types, defaults, values and display conditions, without texts and order.
// `storedSurface.jsonl` has a line per parameter. Nothing in it may go or change; a release adds what is new.

const file = join(__dirname, 'storedSurface.jsonl');
const UPDATE = 'UPDATE_STORED_SURFACE=1 npx jest test/nodes/storedSurface';

/** A parameter with the same meaning in all of its operations. */
interface Line {
	/** The node, the collections around the parameter, and its name. */
	parameter: string;
	type: string;
	default: unknown;
	/** When it is shown, apart from the operation. */
	when?: unknown;
	/** Its choices and modes, and `multiple`. */
	values?: string[];
	/** The operations that have it. Whether it is there for each of them is not stored. */
	operations: string[];
}

type Part = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** The lines of a parameter and of those in it. */
function linesOf(above: string, property: INodeProperties, inherited: string[] = []): Line[] {
	const parameter = `${above}.${property.name}`;
	const { resource = [], operation, ...show } = property.displayOptions?.show ?? {};
	const { hide } = property.displayOptions ?? {};
	const own = resource.flatMap((of) => (operation ?? ['*']).map((name) => joined(of, name)));
	const operations = own.length > 0 ? own : inherited;
	const parts: Part[] = property.options ?? [];
	const values = [
		...parts.flatMap((part) => ('value' in part ? [JSON.stringify(part.value)] : [])),
		...(property.modes ?? []).map(({ name }) => `mode ${name}`),
		...(property.typeOptions?.multipleValues ? ['multiple'] : []),
	];
	const line = {
		parameter,
		type: property.type,
		default: property.default,
		...(Object.keys(show).length > 0 || hide ? { when: { ...show, ...(hide && { hide }) } } : {}),
		...(values.length > 0 && { values: values.sort() }),
		operations,
	};
	const inner = parts.flatMap((part) => {
		if ('values' in part) {
			return part.values.flatMap((value) => linesOf(`${parameter}.${part.name}`, value, operations));
		}
		return 'type' in part ? linesOf(parameter, part, operations) : [];
	});
	return [line, ...inner];
}

function joined(resource: unknown, operation: unknown): string {
	return [resource, operation].filter((name) => typeof name === 'string').join(': ');
}

/** The lines, those that differ only in their operations as one. */
function grouped(lines: Line[]): Line[] {
	const groups = new Map<string, Line>();
	for (const line of lines) {
		const key = JSON.stringify({ ...line, operations: undefined });
		const operations = [...(groups.get(key)?.operations ?? []), ...line.operations];
		groups.set(key, { ...line, operations: [...new Set(operations)].sort() });
	}
	return [...groups.values()];
}

/** What a line promises, each part on its own. */
function promises({ operations, values = [], ...line }: Line): string[] {
	const declared = JSON.stringify(line);
	const places = operations.length > 0 ? operations : ['always'];
	return places.flatMap((place) => ['there', ...values].map((value) => `${declared} ${place}: ${value}`));
}

const current = descriptions.flatMap((description) => {
	const { name, version, group, inputs, outputs, credentials = [], webhooks = [] } = description;
	const node = {
		parameter: name,
		type: 'node',
		default: { version, group, inputs, outputs },
		values: [
			...credentials.map(({ name: credential, required }) => JSON.stringify({ credential, required })),
			...webhooks.map((webhook) => JSON.stringify(webhook)),
		],
		operations: [],
	};
	return [node, ...grouped(description.properties.flatMap((property) => linesOf(name, property)))];
});

if (process.env.UPDATE_STORED_SURFACE !== undefined) {
	const lines = current.map((line) => JSON.stringify(line)).sort();
	writeFileSync(file, `${lines.join('\n')}\n`);
}

const stored = readFileSync(file, 'utf8')
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as Line);

test.each(descriptions)('$name stores what it has always stored', ({ name }) => {
	const promised = stored.filter(({ parameter }) => parameter.split('.')[0] === name).flatMap(promises);
	const kept = new Set(current.flatMap(promises));
	expect(promised).not.toHaveLength(0);
	const lost = promised.filter((promise) => !kept.has(promise));
	const ifNothingReleasedHasIt = UPDATE;
	expect({ lost, ifNothingReleasedHasIt }).toStrictEqual({ lost: [], ifNothingReleasedHasIt });
});
