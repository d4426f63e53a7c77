import type { INodeProperties } from 'n8n-workflow';

import { number, text } from '../../nodes/shared/params/kinds';
import type { Declarations } from '../../nodes/shared/params/parameter';
import { nodeParameters } from '../../nodes/shared/params/source';
import { defineOperation, type Resource } from '../../nodes/shared/run/operation';
import { Registry } from '../../nodes/shared/run/registry';
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
const registry = new Registry({
	things: {
		displayName: 'Thing',
		operations: { make, get: operation('Get', { id, when }), cut: operation('Cut', { id }) },
	},
	animals,
});

const labelOf = (option: NonNullable<INodeProperties['options']>[number]) =>
	'displayName' in option ? option.displayName : option.name;

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

it('shows the parameters of each operation in their order, and its options last', () => {
	const ofMake = { resource: ['things'], operation: ['make'] };
	const ofGet = { resource: ['things'], operation: ['get'] };
	const ofCut = { resource: ['things'], operation: ['cut'] };
	const ofFeed = { resource: ['animals'], operation: ['feed'] };
	const tool = (of: object) => ['toolDescription', { '@tool': [true], ...of }];
	const shown = properties.slice(3).map(({ name, displayOptions }) => [name, displayOptions?.show]);
	expect(shown).toStrictEqual([
		...[tool(ofMake), ['name', ofMake], ['options', ofMake]],
		...[tool(ofGet), ['id', ofGet], ['when', { id: ['1'], ...ofGet }], ['options', ofGet]],
		...[tool(ofCut), ['id', ofCut], ['options', ofCut]],
		...[tool(ofFeed), ['name', ofFeed], ['options', ofFeed]],
	]);
});

it('has options for each operation: its own replace the common ones', () => {
	const common = ['Concurrency', 'Max Retries', 'Rate Limit Wait (Minutes)', 'Timeout (Seconds)'];
	const collections = properties.filter(({ name }) => name === 'options');
	expect(collections.map(({ options = [] }) => options.map((one) => labelOf(one)))).toStrictEqual([
		['Concurrency', 'Max Retries', 'Own Timeout', 'Rate Limit Wait (Minutes)', 'Zone'],
		...[common, common, common],
	]);
	for (const collection of collections)
		expect(collection).toMatchObject({
			displayName: 'Options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
		});
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
		expect(read({})?.options.concurrency).toBe(8);
		expect(read({ concurrency: '7' })?.options.concurrency).toBe(7);
		expect(read({})?.options.maxRetries).toBe(3);
		expect(read({})?.options.timeout).toBe(5);
		expect(invalidInput(() => read({ timeout: 11 })?.options.timeout).message).toContain("'Own Timeout'");
	});
});
