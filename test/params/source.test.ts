import type { INodeParameters } from 'n8n-workflow';

import { collection, rows } from '../../nodes/shared/params/groups';
import {
	choice,
	flag,
	id,
	json,
	locator,
	mapper,
	number,
	optional,
	text,
} from '../../nodes/shared/params/kinds';
import { declare, type Parameter } from '../../nodes/shared/params/parameter';
import { NodeParameters, nodeParameters } from '../../nodes/shared/params/source';
import { attemptContext } from '../helpers/attempt';
import { pollContext, webhookContext } from '../helpers/contexts';
import { invalidInput } from '../helpers/invalidInput';
import { nodeWith, places } from './support';

const displayName = 'Field';

/**
 * The parameters of a node for its items, and what n8n is asked.
 *
 * @param stored as the workflow stores them
 * @param resolve the value of a parameter for an item; the stored one by default
 */
function nodeOf(stored: INodeParameters, resolve?: (name: string, index: number) => unknown) {
	const requested: unknown[][] = [];
	const getNodeParameter = (...args: unknown[]): never => {
		requested.push(args);
		const [name, index] = [String(args[0]), Number(args[1])];
		return (resolve ? resolve(name, index) : stored[name]) as never;
	};
	const parameters = new NodeParameters({ getNodeParameter, getNode: () => ({ parameters: stored }) });
	return { requested, parameters };
}

/** Reads a parameter for three items, twice each; returns the items for which n8n is asked. */
function itemsRequested(parameter: Parameter<unknown>, value: INodeParameters[string]): unknown[] {
	const { requested, parameters } = nodeOf({ field: value });
	for (const index of [0, 1, 2]) {
		const item = parameters.item(index);
		item.read('field', parameter);
		item.read('field', parameter);
	}
	return requested.map(([, index]) => index);
}

const row = rows({ displayName, group: 'row', groupLabel: 'Row', fields: { name: text({ displayName }) } });
const kinds: Array<[string, Parameter<unknown>, INodeParameters[string], INodeParameters[string]]> = [
	['text', text({ displayName }), 'a = b', '=a'],
	['a collection', collection({ name: text({ displayName }) }), { name: 'a' }, { name: '={{ $json.a }}' }],
	['rows', row, { row: [{ name: 'a' }] }, { row: [{ name: 'a' }, { name: '={{ $json.a }}' }] }],
	[
		'a form',
		mapper({ displayName }),
		{ mappingMode: 'defineBelow', value: { n: 1 } },
		{ mappingMode: 'defineBelow', value: { n: 1, prompt: '={{ $json.a }}' } },
	],
	[
		'a locator',
		locator({ displayName, modes: [], whenEmpty: 'Enter it.' }),
		{ __rl: true, mode: 'id', value: 'a' },
		{ __rl: true, mode: 'id', value: '={{ $json.a }}' },
	],
];

describe.each(kinds)('%s of a node with items', (_, parameter, fixed, withExpression) => {
	it('is requested once per run where it has no expression', () => {
		expect(itemsRequested(parameter, fixed)).toStrictEqual([0]);
	});

	it('is requested once per item where it has an expression', () => {
		expect(itemsRequested(parameter, withExpression)).toStrictEqual([0, 1, 2]);
	});
});

describe('a parameter of a node with items', () => {
	it('takes its default, and is not requested, where the workflow does not store it', () => {
		const { requested, parameters } = nodeOf({});
		const read = [0, 1].map((index) =>
			parameters.item(index).read('field', text({ displayName, default: 'data' })),
		);
		expect([read, requested.length]).toStrictEqual([['data', 'data'], 0]);
	});

	it('has the value of its item where it has an expression', () => {
		const { parameters } = nodeOf({ field: '={{ $json.n }}' }, (_, index) => index * 10);
		const items = [0, 1, 2].map((index) => parameters.item(index));
		const read = () => items.map((item) => item.read('field', number({ displayName, default: 1 })));
		expect([read(), read()]).toStrictEqual([
			[0, 10, 20],
			[0, 10, 20],
		]);
	});

	it('is requested by name and item, and only a locator in its reduced form', () => {
		const { requested, parameters } = nodeOf({ model: '=a', taskId: '=b' }, (name) => name);
		parameters.item(3).read('model', locator({ displayName, modes: [], whenEmpty: 'Enter it.' }));
		parameters.item(4).read('taskId', id({ displayName, whenEmpty: 'Enter it.' }));
		expect(requested).toStrictEqual([
			['model', 3, null, { extractValue: true }],
			['taskId', 4, null, { extractValue: false }],
		]);
	});

	it('with an error throws it for each item, also where it has no expression', () => {
		const { parameters } = nodeOf({ field: 'x' });
		const read = (index: number) => () =>
			parameters.item(index).read('field', flag({ displayName, default: false }));
		const messages = [0, 1, 1].map((index) => invalidInput(read(index)).message);
		expect(messages).toStrictEqual(Array(3).fill(`'Field' has a value that is not allowed: "x"`));
	});

	it('that is a collection throws an option’s error for each item, and only when the option is read', () => {
		const { requested, parameters } = nodeOf({ options: { broken: 'x', user: 'me' } });
		const set = declare({
			options: collection({
				broken: flag({ displayName: 'Broken', default: false }),
				user: text({ displayName: 'User' }),
			}),
		});
		const options = [0, 1].map((index) => set.read(parameters.item(index)).options);
		expect(options.map(({ user }) => user)).toStrictEqual(['me', 'me']);
		expect(options.map((values) => invalidInput(() => values.broken).param)).toStrictEqual([
			'broken',
			'broken',
		]);
		expect(requested).toHaveLength(1);
	});
});

describe('a locator that n8n does not reduce', () => {
	const read = (value: unknown) =>
		nodeParameters(nodeWith({ field: value })).read('field', text({ displayName }));

	it.each([
		[{ __rl: true, mode: 'id', value: 'a/b' }, 'a/b'],
		[{ __rl: true, mode: 'id', value: '' }, ''],
	])('is read as its value: %j', (value, expected) => {
		expect(read(value)).toBe(expected);
		const { parameters } = nodeOf({ field: 'any' }, () => value);
		expect(parameters.item(0).read('field', text({ displayName }))).toBe(expected);
	});

	it.each([{ value: 'a/b' }, { __rl: false, value: 'a/b' }, { __rl: 'true', value: 'a/b' }])(
		'is rejected without its mark: %j',
		(value) => {
			expect(invalidInput(() => read(value)).message).toBe("'Field' is not text");
		},
	);
});

describe.each(places)('%s that is read tolerantly', (_, read) => {
	const letters = choice({ displayName, options: [{ name: 'A', value: 'a' }], default: 'a' });

	it('is not set where its value cannot be read', () => {
		expect(read(letters, 'b', true)).toBe('a');
		expect(read(flag({ displayName, default: false }), 'maybe', true)).toBe(false);
		expect(read(number({ displayName, default: 7, max: 9 }), 10, true)).toBe(7);
		expect(read(text({ displayName, default: 'data' }), {}, true)).toBe('data');
		expect(read(json({ displayName, default: '[1]', example: '[]' }), '{', true)).toStrictEqual([1]);
	});

	it('has no value where its value cannot be read and it is optional', () => {
		expect(read(optional(letters), 'b', true)).toBeUndefined();
		expect(read(optional(flag({ displayName, default: true })), 'maybe', true)).toBeUndefined();
	});

	it('has its value where that can be read', () => {
		expect(read(flag({ displayName, default: true }), 'false', true)).toBe(false);
		expect(read(optional(flag({ displayName, default: false })), true, true)).toBe(true);
	});

	it('throws where it must be set', () => {
		const parameter = id({ displayName, whenEmpty: 'Enter it.' });
		expect(invalidInput(() => read(parameter, {}, true)).description).toBe('Enter it.');
	});
});

it('an error that is not about the value is thrown even where the reading is tolerant', () => {
	const getNodeParameter = () => {
		throw new TypeError('no access');
	};
	const source = nodeParameters(nodeWith({ field: 'a' }, getNodeParameter), { isTolerant: true });
	expect(() => source.read('field', text({ displayName }))).toThrow(TypeError);
});

it('rows that are read tolerantly are an empty list where the value is not rows', () => {
	const source = nodeParameters(nodeWith({ field: 'text' }), { isTolerant: true });
	expect(source.read('field', row)).toStrictEqual([]);
});

describe('on n8n', () => {
	const items = ['a', 'b', 'c'].map((name) => ({ json: { name } }));

	it('requests parameters without an expression once per run, and resolves expressions for each item', async () => {
		const context = await attemptContext({
			node: 'textGeneration',
			parameters: { prompt: 'Hi', options: { stop: '={{ $json.name }}' } },
			items,
		});
		const requested = jest.spyOn(context, 'getNodeParameter');
		const set = declare({
			prompt: text({ displayName: 'Prompt' }),
			options: collection({ stop: text({ displayName: 'Stop' }) }),
		});
		const parameters = new NodeParameters(context);
		const read = items.map((_, index) => {
			const { prompt, options } = set.read(parameters.item(index));
			return [prompt, options.stop];
		});
		expect(read).toStrictEqual([
			['Hi', 'a'],
			['Hi', 'b'],
			['Hi', 'c'],
		]);
		expect(requested.mock.calls.map(([name, index]) => [name, index])).toStrictEqual([
			['prompt', 0],
			['options', 0],
			['options', 1],
			['options', 2],
		]);
	});

	it('reads a locator as its value', async () => {
		const context = await attemptContext({
			node: 'textGeneration',
			parameters: { model: { __rl: true, mode: 'id', value: '={{ $json.name }}' } },
			items,
		});
		const parameters = new NodeParameters(context);
		const model = locator({ displayName: 'Model', modes: [], whenEmpty: 'Choose it.' });
		expect(items.map((_, index) => parameters.item(index).read('model', model))).toStrictEqual([
			'a',
			'b',
			'c',
		]);
	});

	it('takes the default of a parameter that the panel does not show', () => {
		const context = pollContext({
			node: 'balanceTrigger',
			parameters: { fireOn: 'change' },
			mode: 'trigger',
			store: {},
		});
		const threshold = number({ displayName: 'Threshold', default: 5 });
		const options = collection({ margin: number({ displayName: 'Margin', default: 7 }) });
		const source = nodeParameters(context);
		expect([source.read('threshold', threshold), source.read('options', options).margin]).toStrictEqual([
			5, 7,
		]);
	});

	it('reads the parameters of a node without items', () => {
		const context = webhookContext(
			{
				node: 'mediaTaskTrigger',
				parameters: { events: '={{ "fa" + "il" }}', options: { archiveTask: '={{ 1 > 0 }}' } },
				mode: 'webhook',
				store: {},
			},
			{ body: {} },
		);
		const source = nodeParameters(context);
		const options = collection({ archiveTask: flag({ displayName: 'Archive', default: false }) });
		expect(source.read('events', text({ displayName: 'Events' }))).toBe('fail');
		expect(source.read('options', options).archiveTask).toBe(true);
	});
});
