import { collection, group } from '../../nodes/shared/params/groups';
import { filled, flag, integer, optional, text } from '../../nodes/shared/params/kinds';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from './support';

const seed = optional(integer({ displayName: 'Seed', default: 1 }));
const user = text({ displayName: 'User', default: 'nobody' });
const limit = filled(integer({ displayName: 'Max', default: 1 })).with({ displayName: 'Limit' });
const parameter = collection({ user, seed, archive: flag({ displayName: 'Archive', default: true }), limit });

const read = (value: unknown) => {
	const options = readParameter(parameter, value);
	return [options.user, options.seed, options.archive, options.limit];
};

const defaults = ['nobody', undefined, true, undefined];

it.each<[unknown, unknown[]]>([
	[{ user: 'me', unknown: 1 }, ['me', undefined, true, undefined]],
	[{ user: 2, seed: 0, archive: false, limit: 3 }, ['2', 0, false, 3]],
	...[null, undefined, '', [], 7, {}].map((value): [unknown, unknown[]] => [value, defaults]),
	...['', null, undefined].map((value): [unknown, unknown[]] => [
		{ user: value, seed: value, archive: value },
		defaults,
	]),
])('%j: reads the options that are set, and takes the defaults of the others', (value, options) => {
	expect(read(value)).toStrictEqual(options);
});

it.each(['', null, undefined])('an option of a limit must not be %j when it is added', (value) => {
	expect(invalidInput(() => readParameter(parameter, { limit: value }).limit).param).toBe('limit');
});

it('checks an option when it is read: one with an error does not keep others from being read', () => {
	const options = readParameter(parameter, { seed: 'x', user: 'me' });
	expect(options.user).toBe('me');
	const { param, message } = invalidInput(() => options.seed);
	expect([param, message]).toStrictEqual(['seed', `The option 'Seed' has a value that is not allowed: "x"`]);
});

it('is a collection in the panel, sorted by label', () => {
	const property = parameter.property('options');
	expect(property).toMatchObject({ name: 'options', type: 'collection', placeholder: 'Add option' });
	expect([property.displayName, property.default]).toStrictEqual(['Options', {}]);
	const archive = { displayName: 'Archive', name: 'archive', type: 'boolean', default: true };
	expect(property.options?.[0]).toStrictEqual(archive);
	expect(property.options?.map(({ name }) => name)).toStrictEqual(['archive', 'limit', 'seed', 'user']);
});

it('takes another label and conditions', () => {
	const displayOptions = { show: { fireOn: ['below'] } };
	const property = collection({ user }, { displayName: 'Extras', displayOptions }).property('extras');
	expect(property).toMatchObject({ displayName: 'Extras', displayOptions, placeholder: 'Add option' });
});

it('a group is one entry, and reads its options alike', () => {
	const penalties = group('Penalties', { seed, user });
	expect(penalties.property('penalties')).toMatchObject({
		type: 'fixedCollection',
		default: { values: {} },
		options: [{ displayName: 'Penalties', name: 'values', values: [{ name: 'seed' }, { name: 'user' }] }],
	});
	const values = readParameter(penalties, { values: { seed: 'x' } });
	expect(values.user).toBe('nobody');
	expect(invalidInput(() => values.seed).message).toContain("The option 'Seed'");
	expect(readParameter(penalties, undefined).seed).toBeUndefined();
});
