import { collection } from '../../nodes/shared/params/groups';
import { flag, inputFile, integer, optional, text } from '../../nodes/shared/params/kinds';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from './support';

const seed = optional(integer({ displayName: 'Seed', default: 1 }));
const user = text({ displayName: 'User', default: 'nobody' });
const parameter = collection({ user, seed, archive: flag({ displayName: 'Archive', default: true }) });

it('reads the options that are set, and takes the defaults of the others', () => {
	const options = readParameter(parameter, { user: 'me', unknown: 1 });
	expect([options.user, options.seed, options.archive]).toStrictEqual(['me', undefined, true]);
});

it.each([null, undefined, '', [], 7])('%j has no options', (value) => {
	const options = readParameter(parameter, value);
	expect([options.user, options.seed, options.archive]).toStrictEqual(['nobody', undefined, true]);
});

it.each(['', null, undefined])('an option that is %j counts as not added', (value) => {
	const options = readParameter(parameter, { user: value, seed: value, archive: value });
	expect([options.user, options.seed, options.archive]).toStrictEqual(['nobody', undefined, true]);
});

it('checks an option when it is read: one with an error does not keep others from being read', () => {
	const options = readParameter(parameter, { seed: 'x', user: 'me' });
	expect(options.user).toBe('me');
	const read = () => options.seed;
	expect([invalidInput(read).param, invalidInput(read).message]).toStrictEqual([
		'seed',
		`The option 'Seed' has a value that is not allowed: "x"`,
	]);
});

it('reads each option once', () => {
	const options = readParameter(
		collection({ file: inputFile({ displayName: 'File', default: 'data' }) }),
		{},
	);
	expect(options.file).toBe(options.file);
});

it('is a collection in the panel, sorted by label', () => {
	expect(parameter.property('options')).toStrictEqual({
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{ displayName: 'Archive', name: 'archive', type: 'boolean', default: true },
			{ displayName: 'Seed', name: 'seed', type: 'number', default: 1, typeOptions: { numberPrecision: 0 } },
			{ displayName: 'User', name: 'user', type: 'string', default: 'nobody' },
		],
	});
});

it('takes another label and conditions', () => {
	const displayOptions = { show: { fireOn: ['below'] } };
	const property = collection({ user }, { displayName: 'Extras', displayOptions }).property('extras');
	expect([property.displayName, property.displayOptions, property.placeholder]).toStrictEqual([
		'Extras',
		displayOptions,
		'Add option',
	]);
});
