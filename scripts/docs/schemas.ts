import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

import { repository } from '../../test/helpers/markdown';
import type { Example, ExampleRun } from './nodes/examples';
import { Normaliser } from './nodes/normalise';
import { NOT_SHOWN, operationsOf } from './nodes/operations';

// n8n's editor shows the fields of a node that has not run yet from __schema__/v<version>/<resource>/<operation>.json next to
// the node.

/** A JSON Schema as n8n's own nodes have it. */
interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

/** Fields whose content the user or a model decides: an example of it would mislead. */
const OPEN = new Set(['output', 'arguments', 'result']);

const TEXT: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };
const ANY: Schema = { type: 'object', properties: {} };

const TASK = { tracks: { type: 'array', items: ANY }, result: ANY, failCode: TEXT, failMsg: TEXT };

/** Fields that few items have, and no example: of a node, or of an operation of it. */
const RARE: Readonly<Record<string, Record<string, Schema>>> = {
	textGeneration: {
		isComplete: FLAG,
		refusal: TEXT,
		stopSequence: TEXT,
		audio: { type: 'object', properties: { id: TEXT, expires_at: { type: 'number' } } },
		sources: {
			type: 'array',
			items: { type: 'object', properties: { url: TEXT, title: TEXT } },
		},
		costIsComputed: FLAG,
		fallbackFrom: { type: 'array', items: TEXT },
		raw: ANY,
	},
	mediaTask: { ...TASK, timedOut: FLAG },
	mediaTaskTrigger: { ...TASK, downloadError: ANY },
	balance: { amountUsd: { type: 'number' } },
};

/** Whether an output schema is that of a text, a task or a balance. */
const HAS_RARE = ['text', 'state', 'amountRub'];

/** The text of each schema, by its path in the repository: of all operations, and of triggers. */
export function schemas(nodes: readonly INodeTypeDescription[], run: ExampleRun): Map<string, string> {
	const normaliser = new Normaliser(run);
	const files = nodes.flatMap((node) => {
		// A sub-node has no output of its own.
		if (node.outputNames) return [];
		const keys = operationsOf(node)
			.map(({ key }) => key)
			.filter((key) => !NOT_SHOWN.has(key));
		const names: Array<[operation: string | undefined, file: string]> =
			keys.length > 0 ? keys.map((key) => [key, key]) : [[undefined, 'output']];
		return names.map(([operation, file]): [string, string] => {
			const examples = run.examples.filter(
				(example) => example.node === node.name && example.operation === operation,
			);
			if (examples.length === 0)
				throw new Error(`Write an example of ${node.name} ${file} in scripts/docs/nodes/cases.ts`);
			const schema = { ...withRare(outputSchema(examples, normaliser), node.name), version: 1 };
			return [`${schemaFolder(node)}/${file}.json`, JSON.stringify(schema, null, 2)];
		});
	});
	return new Map(files);
}

/** The schemas that are in the repository. */
export function existingSchemas(): string[] {
	return readdirSync(resolve(repository, 'nodes'), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.includes('__schema__') && path.endsWith('.json'))
		.map((path) => `nodes/${path}`);
}

/** Where n8n looks for the schemas of a node. */
function schemaFolder({ name, version }: INodeTypeDescription): string {
	const folder = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
	return `nodes/${folder}/__schema__/v${[...String(version).split('.'), '0', '0'].slice(0, 3).join('.')}`;
}

/** The fields of all items of all examples that succeed. */
function outputSchema(examples: readonly Example[], normaliser: Normaliser): Schema {
	const items = examples.filter(({ continuesOnFail }) => !continuesOnFail).flatMap(({ items: all }) => all);
	return items.map(({ json }) => schemaOf(normaliser.apply(json))).reduce(merged);
}

function withRare(schema: Schema, node: string): Schema {
	const { properties = {} } = schema;
	const rare = HAS_RARE.some((name) => Object.hasOwn(properties, name)) ? RARE[node] : {};
	return { ...schema, properties: { ...rare, ...properties } };
}

function schemaOf(value: unknown): Schema {
	if (value === null) return { type: 'null' };
	if (Array.isArray(value)) {
		const [first, ...others] = value.map(schemaOf);
		return { type: 'array', items: first ? others.reduce(merged, first) : { type: 'string' } };
	}
	if (typeof value !== 'object') return { type: typeof value };
	const properties = Object.entries(value).map(([name, one]): [string, Schema] => [
		name,
		OPEN.has(name) ? { type: 'object', properties: {} } : schemaOf(one),
	]);
	return { type: 'object', properties: Object.fromEntries(properties) };
}

/** What both have; a null is any other value that is missing. */
function merged(one: Schema, other: Schema): Schema {
	if (one.type === 'null' || (one.type !== other.type && other.type !== 'null')) return other;
	if (one.type !== other.type) return one;
	if (one.items && other.items) return { ...one, items: merged(one.items, other.items) };
	const properties = { ...one.properties };
	for (const [name, schema] of Object.entries(other.properties ?? {})) {
		const known = properties[name];
		properties[name] = known ? merged(known, schema) : schema;
	}
	return one.properties ? { ...one, properties } : one;
}
