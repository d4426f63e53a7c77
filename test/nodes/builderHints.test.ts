import { descriptions, fields } from '../helpers/panel';

// Hints for n8n's AI workflow builder, which it shows to a language model. They are about names that workflows store.

interface Hint {
	searchHint: string;
}

const hintOf = (description: object): Hint => Reflect.get(description, 'builderHint') as Hint;

describe.each(descriptions.map((description) => [description.name, description] as const))(
	'the hint of %s',
	(_name, description) => {
		const { searchHint } = hintOf(description);

		it('is a few plain sentences', () => {
			expect(searchHint).toMatch(/^[A-Z].{40,400}\.$/);
			expect(searchHint).not.toMatch(/={{|ai_/);
		});

		it('names options and fields that exist', () => {
			const named = [...searchHint.matchAll(/options\.(\w+)/g)].map(([, option = '']) => option);
			const known = new Set(fields.map(({ property }) => property.name));
			expect(named.filter((option) => !known.has(option))).toStrictEqual([]);
		});
	},
);

it('pickers of models tell the builder not to invent one', () => {
	const pickers = fields.filter(({ property: { type } }) => type === 'resourceLocator');
	expect(pickers.length).toBeGreaterThan(2);
	for (const { property } of pickers)
		expect(Reflect.get(property, 'builderHint')).toMatchObject({
			propertyHint: expect.stringContaining('leave the value empty') as string,
		});
});
