import { descriptions, fields } from '../helpers/panel';

// Hints for n8n's AI workflow builder, which it shows to a language model. They are about names that workflows store.

interface Hint {
	searchHint: string;
	relatedNodes?: Array<{ nodeType: string; relationHint: string }>;
}

const PACKAGE = 'n8n-nodes-ai-gateway';

/** n8n's own nodes that hints name. */
const N8N_NODES = ['@n8n/n8n-nodes-langchain.agent', '@n8n/n8n-nodes-langchain.chainLlm'];

const hintOf = (description: object): Hint => Reflect.get(description, 'builderHint') as Hint;
const types = descriptions.map(({ name }) => `${PACKAGE}.${name}`);

describe.each(descriptions.map((description) => [description.name, description] as const))(
	'the hint of %s',
	(name, description) => {
		const { searchHint, relatedNodes = [] } = hintOf(description);

		it('is a few plain sentences', () => {
			expect(searchHint).toMatch(/^[A-Z].{40,400}\.$/);
			expect(searchHint).not.toMatch(/={{|ai_/);
		});

		it('names other nodes that exist, and says why', () => {
			for (const { nodeType, relationHint } of relatedNodes) {
				expect([...types, ...N8N_NODES]).toContain(nodeType);
				expect(nodeType).not.toBe(`${PACKAGE}.${name}`);
				expect(relationHint).toMatch(/^[A-Z].{10,120}[^.]$/);
			}
		});

		it('names options and fields that exist', () => {
			const named = [searchHint, ...relatedNodes.map(({ relationHint }) => relationHint)].flatMap((text) =>
				[...text.matchAll(/options\.(\w+)/g)].map(([, option = '']) => option),
			);
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
