import { number, notice, optional, shownFor, text } from '../../nodes/shared/params/kinds';
import { declare } from '../../nodes/shared/params/parameter';
import { nodeParameters } from '../../nodes/shared/params/source';
import { nodeWith, readParameter } from './support';

const declarations = {
	prompt: text({ displayName: 'Prompt', rows: 4 }),
	hint: notice('Read this.'),
	limit: optional(number({ displayName: 'Limit', default: 50, description: 'How many' })),
};

it('returns the properties for n8n, in their order', () => {
	expect(declare(declarations).properties).toStrictEqual([
		{ displayName: 'Prompt', name: 'prompt', type: 'string', default: '', typeOptions: { rows: 4 } },
		{ displayName: 'Read this.', name: 'hint', type: 'notice', default: '' },
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			default: 50,
			description: 'How many',
			typeOptions: {},
		},
	]);
});

it('returns typed values, each read when it is used', () => {
	const requested: string[] = [];
	const values = declare(declarations).read(
		nodeParameters(
			nodeWith({ prompt: 'Hi', limit: '7' }, (name) => {
				requested.push(name);
				return { prompt: 'Hi', limit: '7' }[name];
			}),
		),
	);
	expect(requested).toStrictEqual([]);
	const limit: number | undefined = values.limit;
	expect([limit, requested]).toStrictEqual([7, ['limit']]);
	const prompt: string = values.prompt;
	expect([prompt, requested]).toStrictEqual(['Hi', ['limit', 'prompt']]);
});

it('keeps the values of several items apart', () => {
	const set = declare(declarations);
	const [first, second] = ['a', 'b'].map((prompt) => set.read(nodeParameters(nodeWith({ prompt }))));
	expect([first?.prompt, second?.prompt, first?.prompt]).toStrictEqual(['a', 'b', 'a']);
});

describe('a parameter with another description', () => {
	it('leaves the original parameter and its reader unchanged', () => {
		const { limit } = declarations;
		const other = limit.with({ displayName: 'Other', displayOptions: { show: { a: [1] } } });
		expect(other.property('limit')).toStrictEqual({
			...limit.property('limit'),
			displayName: 'Other',
			displayOptions: { show: { a: [1] } },
		});
		expect(limit.label).toBe('Limit');
		expect([readParameter(other, ''), readParameter(other, '7')]).toStrictEqual([undefined, 7]);
	});
});

describe('parameters shown under a condition', () => {
	it('keep their own conditions, and their readers', () => {
		const own = {
			plain: text({ displayName: 'Plain' }),
			conditional: text({
				displayName: 'Conditional',
				displayOptions: { show: { source: ['url'], mode: ['a'] }, hide: { draft: [true] } },
			}),
		};
		const shown = shownFor({ mode: ['b'] }, own);
		expect(Object.keys(shown)).toStrictEqual(['plain', 'conditional']);
		expect(shown.plain.description.displayOptions).toStrictEqual({ show: { mode: ['b'] } });
		expect(shown.conditional.description.displayOptions).toStrictEqual({
			show: { source: ['url'], mode: ['b'] },
			hide: { draft: [true] },
		});
		expect(own.plain.description.displayOptions).toBeUndefined();
		expect(readParameter(shown.plain, 7)).toBe('7');
	});
});

it('a notice has no value', () => {
	expect(readParameter(notice('Read this.'), 'x')).toBeUndefined();
});
