import { image, prompts, useStories } from './support';

// The catalogue has prices of a model that the node cannot read, or that are none.

const { gateway, execute } = useStories();

const THREE = prompts('one', 'two', 'three');

/** The model has these prices in the catalogue. */
async function tiers(...prices: Array<[params: object, price: string]>): Promise<void> {
	const response = await fetch(`${gateway.baseUrl}/media/models`);
	const body = (await response.json()) as { data: Array<{ id: string; pricing: object }> };
	for (const model of body.data)
		Object.assign(model.pricing, { tiers: prices.map(([params, price]) => ({ params, price })) });
	const action = {
		kind: 'raw',
		status: 200,
		body: { text: JSON.stringify(body), contentType: 'application/json' },
	} as const;
	gateway.control.addFault({ match: { path: '/media/models' }, action, times: 0 });
}

describe('with *Max Price*, nothing is sent', () => {
	test.each<[string, Parameters<typeof tiers>, string]>([
		[
			'a list of values',
			[
				[{ duration: [5, 10] }, '90'],
				[{}, '1'],
			],
			"'duration'",
		],
		['a negative price', [[{}, '-1']], 'no single price'],
	])('for %s', async (_, prices, reason) => {
		await tiers(...prices);
		const { error, errorText } = await execute(image({ options: { maxPriceRub: 5 } }), THREE);
		expect(error).toBeDefined();
		expect(errorText).toContain(reason);
		expect(gateway.charges()).toBe(0);
	});
});

test.each<[string, Parameters<typeof tiers>, number]>([
	[
		'equal amounts are one price',
		[
			[{ quality: 'draft' }, '2.00'],
			[{ size: '512x512' }, '2.0'],
		],
		2,
	],
	[
		'a list of values that cannot apply',
		[
			[{ duration: [5], quality: 'high' }, '90'],
			[{}, '1'],
		],
		1,
	],
])('a dry run knows the price: %s', async (_, prices, priceRub) => {
	await tiers(...prices);
	const execution = await execute(image({ options: { dryRun: true } }), THREE);
	expect(execution.items().map(({ json }) => json.priceRub)).toStrictEqual(Array(3).fill(priceRub));
});
