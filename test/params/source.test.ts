import type { INodeParameters } from 'n8n-workflow';

import { collection, rows } from '../../nodes/shared/params/groups';
import { flag, locator, mapper, number, text } from '../../nodes/shared/params/kinds';
import { declare, type Parameter } from '../../nodes/shared/params/parameter';
import { NodeParameters, nodeParameters } from '../../nodes/shared/params/source';
import { attemptContext } from '../helpers/attempt';
import { webhookContext } from '../helpers/contexts';
import { invalidInput } from '../helpers/invalidInput';

const displayName = 'Field';
const words = text({ displayName });
const model = locator({ displayName, modes: [], whenEmpty: 'Choose it.' });

/**
 * The parameters of a node for its items, and what n8n is asked.
 *
 * @param stored as the workflow stores them
 * @param resolve the value of a parameter for an item; the stored one by default
 */
function nodeOf(stored: INodeParameters, resolve?: (name: string, index: number) => unknown) {
	const requested: unknown[][] = [];
	const getNodeParameter = (...args: unknown[]) => {
		requested.push(args);
		const [name, index] = [String(args[0]), Number(args[1])];
		return resolve ? resolve(name, index) : stored[name];
	};
	const parameters = new NodeParameters({ getNodeParameter, getNode: () => ({ parameters: stored }) });
	return { requested, parameters };
}

/** Reads a parameter for three items, twice each; returns the items for which n8n is asked. */
function itemsRequested(parameter: Parameter<unknown>, value: INodeParameters[string]): unknown[] {
	const { requested, parameters } = nodeOf({ field: value });
	for (const index of [0, 1, 2]) {
		const values = declare({ field: parameter }).read(parameters.item(index));
		expect(values.field).toBe(values.field);
	}
	return requested.map(([, index]) => index);
}

const form = (value: object) => ({ mappingMode: 'defineBelow', value: { n: 1, ...value } });
const withId = (value: string) => ({ __rl: true, mode: 'id', value });

it.each<[string, Parameter<unknown>, INodeParameters[string], INodeParameters[string]]>([
	['text', words, 'a = b', '=a'],
	['a collection', collection({ name: words }), { name: 'a' }, { name: '={{ $json.a }}' }],
	[
		'rows',
		rows({ displayName, group: 'row', groupLabel: 'Row', fields: { name: words } }),
		{ row: [{ name: 'a' }] },
		{ row: [{ name: 'a' }, { name: '={{ $json.a }}' }] },
	],
	['a form', mapper({ displayName }), form({}), form({ prompt: '={{ $json.a }}' })],
	['a locator', model, withId('a'), withId('={{ $json.a }}')],
])('%s is requested once per run, with an expression once per item', (_, parameter, fixed, expression) => {
	expect(itemsRequested(parameter, fixed)).toStrictEqual([0]);
	expect(itemsRequested(parameter, expression)).toStrictEqual([0, 1, 2]);
});

describe('a locator that n8n does not reduce', () => {
	const read = (value: unknown) => nodeOf({ field: 'any' }, () => value).parameters.item(0)('field', words);

	it.each(['a/b', ''])('is read as its value: %j', (value) => {
		expect(read({ __rl: true, mode: 'id', value })).toBe(value);
	});

	it.each([{ value: 'a/b' }, { __rl: false, value: 'a/b' }, { __rl: 'true', value: 'a/b' }])(
		'is rejected without its mark: %j',
		(value) => {
			expect(invalidInput(() => read(value)).message).toBe("'Field' is not text");
		},
	);
});

describe('on n8n', () => {
	const items = ['a', 'b', 'c'].map((name) => ({ json: { name } }));

	it('requests parameters without an expression once per run, and resolves expressions for each item', async () => {
		const context = await attemptContext({
			node: 'textGeneration',
			parameters: {
				prompt: 'Hi',
				options: { maxTokens: '={{ $json.name }}' },
				model: withId('={{ $json.name }}'),
			},
			items,
		});
		const requested = jest.spyOn(context, 'getNodeParameter');
		const set = declare({ prompt: words, options: collection({ maxTokens: words }), model });
		const parameters = new NodeParameters(context);
		const read = items.map((_, index) => {
			const { prompt, options, model: chosen } = set.read(parameters.item(index));
			return [prompt, options.maxTokens, chosen];
		});
		expect(read).toStrictEqual([
			['Hi', 'a', 'a'],
			['Hi', 'b', 'b'],
			['Hi', 'c', 'c'],
		]);
		expect(requested.mock.calls.map(([name, index]) => [name, index])).toStrictEqual([
			['prompt', 0],
			...[0, 1, 2].flatMap((index) => [
				['options', index],
				['model', index],
			]),
		]);
	});

	it('reads the parameters of a node without items, and the default of one that the panel hides', () => {
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
		expect(source('events', words)).toBe('fail');
		expect(source('options', options).archiveTask).toBe(true);
		expect(source('threshold', number({ displayName, default: 5 }))).toBe(5);
	});
});
