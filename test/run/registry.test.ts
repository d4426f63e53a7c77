import fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import { number, text } from '../../nodes/shared/params/kinds';
import type { Declarations } from '../../nodes/shared/params/parameter';
import { nodeParameters } from '../../nodes/shared/params/source';
import { defineOperation, type Resource } from '../../nodes/shared/run/operation';
import { mergedInOrder, Registry } from '../../nodes/shared/run/registry';
import { invalidInput } from '../helpers/invalidInput';
import { nodeWith } from '../params/support';

const field = (displayName: string, more: Pick<INodeProperties, 'displayOptions'> = {}) =>
	text({ displayName, ...more });

const operation = (displayName: string, parameters: Declarations, options?: Declarations) =>
	defineOperation({
		displayName,
		action: `${displayName} thing`,
		description: `${displayName} a thing`,
		parameters,
		...(options ? { options } : {}),
		execute: () => Promise.resolve([]),
	});

const id = field('ID');
const when = field('When', { displayOptions: { show: { id: ['1'] } } });
const ownTimeout = number({ displayName: 'Own Timeout', default: 5, max: 10 });
const make = operation('Make', { name: field('Name') }, { zone: field('Zone'), timeout: ownTimeout });
const feed = operation('Feed', { name: field('Name') });
const animals: Resource = { displayName: 'Animal', operations: { feed } };
const registry = new Registry(
	{
		things: {
			displayName: 'Thing',
			operations: { make, get: operation('Get', { id, when }), cut: operation('Cut', { id }) },
		},
		animals,
	},
	{ concurrency: number({ displayName: 'Node Concurrency', default: 2 }) },
);

let properties: INodeProperties[];
beforeAll(() => (properties = registry.properties));

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

it('shows each parameter for the operations that have it, and a shared one once', () => {
	const shown = properties
		.slice(3)
		.filter(({ name }) => name !== 'options' && name !== 'toolDescription')
		.map(({ name, displayOptions }) => [name, displayOptions?.show]);
	expect(shown).toStrictEqual([
		['name', { resource: ['things'], operation: ['make'] }],
		['id', { resource: ['things'], operation: ['get', 'cut'] }],
		['when', { id: ['1'], resource: ['things'], operation: ['get'] }],
		['name', { resource: ['animals'], operation: ['feed'] }],
	]);
});

it('tells agents what an operation does as a tool', () => {
	const tools = (registered: Registry) =>
		registered.properties
			.filter(({ name }) => name === 'toolDescription')
			.map(({ default: text, displayOptions }) => [text, displayOptions?.show]);
	const spoken = { ...feed, toolDescription: 'Feeds an animal. Returns what is left.' };
	expect(
		tools(new Registry({ animals: { displayName: 'Animal', operations: { feed, spoken } } })),
	).toStrictEqual([
		['Feed a thing.', { '@tool': [true], resource: ['animals'], operation: ['feed'] }],
		[spoken.toolDescription, { '@tool': [true], resource: ['animals'], operation: ['spoken'] }],
	]);
});

it('ends each resource with the options of its operations: those of the operation first, then those of the node, then the common ones', () => {
	const collections = properties
		.filter(({ name }) => name === 'options')
		.map(({ displayOptions, options = [], ...otherFields }) => ({
			show: displayOptions?.show,
			names: options.map((option) => ('displayName' in option ? option.displayName : option.name)),
			otherFields,
		}));
	const otherFields = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
	};
	const ofLimit = ['Rate Limit Wait (Minutes)', 'Requests per Minute'];
	const common = ['Max Retries', 'Node Concurrency', ...ofLimit, 'Timeout (Seconds)'];
	const of = (resource: string, name: string, names: string[]) => ({
		show: { resource: [resource], operation: [name] },
		names,
		otherFields,
	});
	expect(collections).toStrictEqual([
		of('things', 'make', ['Max Retries', 'Node Concurrency', 'Own Timeout', ...ofLimit, 'Zone']),
		of('things', 'get', common),
		of('things', 'cut', common),
		of('animals', 'feed', common),
	]);
	expect(properties.map(({ name }) => name)).toStrictEqual([
		...['resource', 'operation', 'operation'],
		...Array<string>(4).fill('toolDescription'),
		...['name', 'id', 'when', 'options', 'options', 'options'],
		...['name', 'options'],
	]);
});

it('shows what resources share once, for operations of the same name, and keeps the order of each panel', () => {
	const options = { zone: field('Zone') };
	const name = field('Name');
	const grow = (label: string) => operation('Grow', { seed: field(label), name }, options);
	const garden = new Registry({
		trees: { displayName: 'Tree', operations: { grow: grow('Acorn') } },
		herbs: { displayName: 'Herb', operations: { grow: grow('Pip'), cut: operation('Cut', { id }) } },
	});
	const shown = garden.properties
		.slice(3)
		.filter(({ name }) => name !== 'toolDescription')
		.map(({ displayName, displayOptions }) => [displayName, displayOptions?.show]);
	const each = { operation: ['grow'] };
	expect(shown).toStrictEqual([
		['Acorn', { resource: ['trees'], ...each }],
		['Pip', { resource: ['herbs'], ...each }],
		['Name', { resource: ['trees', 'herbs'], ...each }],
		['ID', { resource: ['herbs'], operation: ['cut'] }],
		['Options', { resource: ['trees', 'herbs'], ...each }],
		['Options', { resource: ['herbs'], operation: ['cut'] }],
	]);
});

it('needs no options of the node, and no operations', () => {
	expect(new Registry({}).properties).toStrictEqual([
		expect.objectContaining({ name: 'resource', options: [], default: '' }),
	]);
	const options = new Registry({ animals }).properties.find(({ name }) => name === 'options');
	expect(options?.options?.map(({ name }) => name)).toStrictEqual([
		'concurrency',
		'maxRetries',
		'rateLimitWait',
		'requestsPerMinute',
		'timeout',
	]);
});

it('leaves the declared parameters unchanged', () => {
	expect(id.description.displayOptions).toBeUndefined();
	expect(when.description.displayOptions).toStrictEqual({ show: { id: ['1'] } });
});

describe('an operation', () => {
	it('is found by its resource and name', () => {
		expect(registry.find('things', 'make')?.operation).toBe(make);
		expect(registry.find('animals', 'feed')?.operation).toBe(feed);
	});

	it.each([
		['things', 'feed'],
		['things', ''],
		['', 'make'],
		['plants', 'make'],
		['things', 'toString'],
		['constructor', 'name'],
		['__proto__', 'toString'],
	])('is not found by %j and %j', (resource, name) => {
		expect(registry.find(resource, name)).toBeUndefined();
	});

	it('has its parameters and all its options, with its own readers', () => {
		const read = (options: object) =>
			registry.find('things', 'make')?.parameters.read(nodeParameters(nodeWith({ name: 'a', options })));
		expect(read({})?.options.concurrency).toBe(2);
		expect(read({ concurrency: '7' })?.options.concurrency).toBe(7);
		expect(read({})?.options.maxRetries).toBe(3);
		expect(read({})?.options.timeout).toBe(5);
		expect(invalidInput(() => read({ timeout: 11 })?.options.timeout).message).toContain("'Own Timeout'");
	});
});

describe('merging lists', () => {
	const letters = ['a', 'b', 'c', 'd', 'e', 'f'];

	it('returns each element once, and keeps the order of lists that agree', () => {
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

	it('keeps each element of lists that contradict each other', () => {
		const shuffled = fc.shuffledSubarray(letters);
		fc.assert(
			fc.property(fc.array(shuffled, { maxLength: 4 }), (lists) => {
				expect(mergedInOrder(lists).sort()).toStrictEqual([...new Set(lists.flat())].sort());
			}),
		);
	});

	it('returns elements that no list orders in order of appearance', () => {
		expect(mergedInOrder([['b'], ['a'], ['c', 'a']])).toStrictEqual(['b', 'c', 'a']);
		expect(mergedInOrder([['b'], ['a'], ['c']])).toStrictEqual(['b', 'a', 'c']);
	});

	it('keeps the order of each list', () => {
		expect(mergedInOrder([['a', 'b', 'z'], ['c', 'z'], ['f'], ['f', 'z', 'e']])).toStrictEqual([
			'a',
			'b',
			'c',
			'f',
			'z',
			'e',
		]);
	});

	it('begins with the first list where lists contradict each other', () => {
		expect(
			mergedInOrder([
				['a', 'b'],
				['b', 'a'],
			]),
		).toStrictEqual(['a', 'b']);
	});
});
