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

it('returns typed values of each item, each read once, when it is used', () => {
	const requested: string[] = [];
	const set = declare(declarations);
	const [first, second] = ['Hi', 'Ho'].map((prompt) =>
		set.read(
			nodeParameters(
				nodeWith({ prompt, limit: '7' }, (name) => {
					requested.push(name);
					return { prompt, limit: '7' }[name];
				}),
			),
		),
	);
	expect(requested).toStrictEqual([]);
	const limit: number | undefined = first?.limit;
	expect([limit, first?.limit, requested]).toStrictEqual([7, 7, ['limit']]);
	const prompt: string | undefined = second?.prompt;
	expect([prompt, first?.prompt, requested]).toStrictEqual(['Ho', 'Hi', ['limit', 'prompt', 'prompt']]);
});

it('a parameter with another description leaves the original and its reader unchanged', () => {
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

it('parameters shown under a condition keep their own conditions, and their readers', () => {
	const displayOptions = { show: { source: ['url'], mode: ['a'] }, hide: { draft: [true] } };
	const own = {
		plain: text({ displayName: 'Plain' }),
		conditional: text({ displayName: 'Conditional', displayOptions }),
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

it('a tolerant parameter is not set where its value cannot be read', () => {
	const { limit } = declarations;
	const count = number({ displayName: 'Count', default: 7, max: 9 });
	expect([10, {}, 8].map((value) => readParameter(count.tolerant(), value))).toStrictEqual([7, 7, 8]);
	expect(['x', '3'].map((value) => readParameter(limit.tolerant(), value))).toStrictEqual([undefined, 3]);
});
