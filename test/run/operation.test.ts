import fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import {
	mergedInOrder,
	registryProperties,
	type Operation,
	type Registry,
} from '../../nodes/shared/run/operation';

// How the panel of a node comes from the list of its operations.

const field = (name: string, displayName = name, more: Partial<INodeProperties> = {}): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	...more,
});

const operation = (
	displayName: string,
	properties: INodeProperties[],
	options?: INodeProperties[],
): Operation => ({
	displayName,
	action: `${displayName} thing`,
	description: `${displayName} a thing`,
	properties,
	...(options ? { options } : {}),
	execute: () => Promise.resolve([]),
});

const shared = field('id', 'ID');
const conditional = field('when', 'When', { displayOptions: { show: { id: ['1'] } } });
const registry: Registry = {
	things: {
		displayName: 'Thing',
		operations: {
			make: operation('Make', [field('name')], [field('zone', 'Zone'), field('timeout', 'Own Timeout')]),
			get: operation('Get', [shared, conditional]),
			cut: operation('Cut', [shared]),
		},
	},
	animals: { displayName: 'Animal', operations: { feed: operation('Feed', [field('name')]) } },
};

let properties: INodeProperties[];
beforeAll(() => (properties = registryProperties(registry, [field('concurrency', 'Node Concurrency')])));

it('begins with the resource and one list of operations for each, in the order of n8n’s lists', () => {
	const choice = (value: string, name: string) => ({
		name,
		value,
		action: `${name} thing`,
		description: `${name} a thing`,
	});
	const selector = { type: 'options', noDataExpression: true };
	expect(properties.slice(0, 3)).toStrictEqual([
		{
			...selector,
			displayName: 'Resource',
			name: 'resource',
			options: [
				{ name: 'Animal', value: 'animals' },
				{ name: 'Thing', value: 'things' },
			],
			default: 'things',
		},
		{
			...selector,
			displayName: 'Operation',
			name: 'operation',
			displayOptions: { show: { resource: ['things'] } },
			options: [choice('cut', 'Cut'), choice('get', 'Get'), choice('make', 'Make')],
			default: 'make',
		},
		{
			...selector,
			displayName: 'Operation',
			name: 'operation',
			displayOptions: { show: { resource: ['animals'] } },
			options: [choice('feed', 'Feed')],
			default: 'feed',
		},
	]);
});

it('shows each parameter for the operations that have it, and one that several share once', () => {
	const shown = properties
		.slice(3)
		.filter(({ name }) => name !== 'options')
		.map(({ name, displayOptions }) => [name, displayOptions?.show]);
	expect(shown).toStrictEqual([
		['name', { resource: ['things'], operation: ['make'] }],
		['id', { resource: ['things'], operation: ['get', 'cut'] }],
		['when', { id: ['1'], resource: ['things'], operation: ['get'] }],
		['name', { resource: ['animals'], operation: ['feed'] }],
	]);
});

it('ends each resource with the options of its operations: those of the operation before those of the node before the common ones', () => {
	const collections = properties
		.filter(({ name }) => name === 'options')
		.map(({ displayOptions, options = [], ...facts }) => ({
			show: displayOptions?.show,
			names: options.map((option) => ('displayName' in option ? option.displayName : option.name)),
			facts,
		}));
	const facts = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
	};
	const common = ['Max Retries', 'Node Concurrency', 'Timeout (Seconds)'];
	const of = (resource: string, name: string, names: string[]) => ({
		show: { resource: [resource], operation: [name] },
		names,
		facts,
	});
	expect(collections).toStrictEqual([
		of('things', 'make', ['Max Retries', 'Node Concurrency', 'Own Timeout', 'Zone']),
		of('things', 'get', common),
		of('things', 'cut', common),
		of('animals', 'feed', common),
	]);
	expect(properties.map(({ name }) => name)).toStrictEqual([
		...['resource', 'operation', 'operation'],
		...['name', 'id', 'when', 'options', 'options', 'options'],
		...['name', 'options'],
	]);
});

it('needs no options of the node, and no operations', () => {
	expect(registryProperties({})).toStrictEqual([
		expect.objectContaining({ name: 'resource', options: [], default: '' }),
	]);
	const [, , , options] = registryProperties({
		animals: { displayName: 'Animal', operations: { feed: operation('Feed', [field('name')]) } },
	});
	expect(options?.options?.map(({ name }) => name)).toStrictEqual(['concurrency', 'maxRetries', 'timeout']);
});

describe('merging lists', () => {
	const letters = ['a', 'b', 'c', 'd', 'e', 'f'];

	it('has each element once, and keeps the order of lists that agree', () => {
		fc.assert(
			fc.property(fc.array(fc.subarray(letters), { maxLength: 5 }), (lists) => {
				const merged = mergedInOrder(lists);
				expect([...merged].sort()).toStrictEqual([...new Set(lists.flat())].sort());
				for (const list of lists) {
					expect(merged.filter((element) => list.includes(element))).toStrictEqual(list);
				}
			}),
		);
	});

	it('loses nothing of lists that contradict each other', () => {
		const shuffled = fc.shuffledSubarray(letters);
		fc.assert(
			fc.property(fc.array(shuffled, { maxLength: 4 }), (lists) => {
				expect(mergedInOrder(lists).sort()).toStrictEqual([...new Set(lists.flat())].sort());
			}),
		);
	});

	it('takes what may stand anywhere in order of appearance', () => {
		expect(mergedInOrder([['b'], ['a'], ['c', 'a']])).toStrictEqual(['b', 'c', 'a']);
		expect(mergedInOrder([['b'], ['a'], ['c']])).toStrictEqual(['b', 'a', 'c']);
	});
});
