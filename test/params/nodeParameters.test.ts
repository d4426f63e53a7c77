import type { INodeParameters } from 'n8n-workflow';

import type { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { collection, rows } from '../../nodes/shared/params/groups';
import { flag, inputFile, locator, mapper, number, text } from '../../nodes/shared/params/kinds';
import type { Parameter } from '../../nodes/shared/params/parameter';
import { NodeParameters, readParameters } from '../../nodes/shared/params/nodeParameters';
import { webhookContext } from '../helpers/contexts';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from './support';

// Rows, and how parameters are read from a node.

const displayName = 'Field';

const parameter = rows({
	displayName: 'Input Files',
	group: 'files',
	groupLabel: 'File',
	fields: {
		name: text({ displayName: 'Name' }),
		other: text({ displayName: 'Other' }).optional(),
		flag: flag({ displayName: 'Flag', default: true }),
		file: inputFile({ displayName: 'File', default: 'data' }),
	},
});

const read = (value: unknown) => readParameter(parameter, value);
const errorFields = ({ message, description, param }: InvalidInputError) => ({ message, description, param });

it.each<[unknown, string[]]>([
	[{ files: [{ name: 'a' }, { name: 'b' }], more: [{ name: 'c' }] }, ['a', 'b', 'c']],
	...[undefined, null, {}, { files: [] }, { files: null }, { files: 'none' }].map(
		(value) => [value, []] as [unknown, string[]],
	),
])('%j: reads the rows of all groups, in order', (value, names) => {
	expect(read(value).map(({ values }) => values.name)).toStrictEqual(names);
});

it.each(['text', '', 7, false, []])('rejects %j, which is not a list of rows', (value) => {
	expect(errorFields(invalidInput(() => read(value)))).toStrictEqual({
		message: "'Input Files' is not a list of rows",
		description: 'Add the rows in the panel.',
		param: 'field',
	});
});

it('reads the fields of a row like other parameters; errors name the row', () => {
	const [first, second] = read({ files: [{ flag: undefined }, { name: 2, file: { id: 1 } }] });
	expect([second?.values.name, second?.values.other]).toStrictEqual(['2', undefined]);
	// What an expression returns nothing for is empty, and what is not there has its default.
	expect([first?.values.flag, first?.values.file.value]).toStrictEqual([false, 'data']);
	expect(errorFields(invalidInput(() => read({ files: [{}, { flag: 'maybe' }] })))).toStrictEqual({
		message: `'Input Files', row 2: 'Flag' has a value that is not allowed: "maybe"`,
		description: 'It is true or false.',
		param: 'field',
	});
	const ofFile = second?.values.file.at.error('is empty', 'Fill it in.');
	expect(ofFile?.message).toBe("'Input Files', row 2: 'File' is empty");
	const ofRow = second?.at.error('is empty', 'Fill it in.');
	expect(ofRow && errorFields(ofRow)).toStrictEqual({
		message: "'Input Files', row 2: is empty",
		description: 'Fill it in.',
		param: 'field',
	});
});

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
	const parameters = new NodeParameters({
		getNodeParameter,
		getNode: () => ({ parameters: stored, type: 'node' }),
	});
	return { requested, parameters };
}

/** Reads a parameter for three items; returns the items for which n8n is asked. */
function itemsRequested(parameter: Parameter<unknown>, value: INodeParameters[string]): unknown[] {
	const { requested, parameters } = nodeOf({ field: value });
	for (const index of [0, 1, 2]) {
		parameters.read({ field: parameter }, index);
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
	const read = (value: unknown) =>
		nodeOf({ field: 'any' }, () => value).parameters.read({ field: words }).field;

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

it('n8n gives the parameters of a node without items, and the default of one that the panel hides', () => {
	const context = webhookContext(
		{
			node: 'mediaTaskTrigger',
			parameters: { events: '={{ "fa" + "il" }}', options: { archiveTask: '={{ 1 > 0 }}' } },
			mode: 'webhook',
			store: {},
		},
		{ body: {} },
	);
	const options = collection({ archiveTask: flag({ displayName: 'Archive', default: false }) });
	const threshold = number({ displayName, default: 5 });
	const values = readParameters(context, { events: words, options, threshold });
	expect(values).toStrictEqual({ events: 'fail', options: { archiveTask: true }, threshold: 5 });
});

describe('a parameter that the panel does not show', () => {
	const never = text({ displayName, whenEmpty: 'Enter it.' });
	const declared = {
		never: never.shownIf({ mode: ['b'] }),
		mode: text({ displayName: 'Mode' }),
		noTool: text({ displayName: 'No Tool' }).notForTools(),
		options: collection({
			inB: number({ displayName, default: 1 }).shownIf({ '/mode': ['b'] }),
			group: collection({ inner: number({ displayName, default: 2 }).shownIf({ '/mode': ['b'] }) }),
			kind: text({ displayName: 'Kind', default: 'x' }),
			ofKind: number({ displayName, default: 3 }).shownIf({ kind: ['y'] }),
		}),
	};
	const options = { inB: 'no number', group: { inner: 'no number' }, ofKind: 'no number' };
	const stored = { mode: '={{ $json.mode }}', never: '', noTool: 'a', options };
	const modes = ['a', 'b', 'a'];
	const resolve = (name: string, index: number): unknown =>
		name === 'mode' ? modes[index] : new Map<string, unknown>(Object.entries(stored)).get(name);

	it('is neither read nor checked', () => {
		const { parameters } = nodeOf(stored, resolve);
		expect(parameters.read(declared, 0)).toStrictEqual({
			never: undefined,
			mode: 'a',
			noTool: 'a',
			options: { inB: undefined, group: { inner: undefined }, kind: 'x', ofKind: undefined },
		});
	});

	it('is read where another item shows it, in the order of the panel', () => {
		const { parameters } = nodeOf({ ...stored, never: 'a' }, (name, index) =>
			name === 'never' ? 'a' : resolve(name, index),
		);
		const message = (index: number) => invalidInput(() => parameters.read(declared, index)).message;
		expect(parameters.read(declared, 0).never).toBeUndefined();
		expect(message(1)).toBe(`The option 'Field' has a value that is not allowed: "no number"`);
		expect(parameters.read(declared, 2).options.inB).toBeUndefined();
		expect(invalidInput(() => nodeOf(stored, resolve).parameters.read(declared, 1)).message).toBe(
			"'Field' is empty",
		);
	});

	it('is one that tools do not have', () => {
		const getNode = () => ({ parameters: stored, type: 'nodeTool' });
		const context = { getNode, getNodeParameter: resolve };
		expect(new NodeParameters(context).read(declared, 0).noTool).toBeUndefined();
	});

	it('depends on options that are not added by their defaults', () => {
		const { parameters } = nodeOf({ options: { kind: 'y', ofKind: 7 } });
		expect(parameters.read(declared).options.ofKind).toBe(7);
		const isX = collection({
			kind: text({ displayName: 'Kind', default: 'x' }),
			ofX: number({ displayName, default: 3 }).shownIf({ kind: ['x'] }),
		});
		expect(nodeOf({ field: { ofX: 7 } }).parameters.read({ field: isX }).field.ofX).toBe(7);
	});
});
