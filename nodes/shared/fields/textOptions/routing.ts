import type { INodeProperties } from 'n8n-workflow';

/** Labels of providers, one a row. */
function providerList(displayName: string, name: string, description: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Provider' },
		default: [],
		placeholder: 'e.g. provider-a',
		description,
	};
}

/** The most that a provider may charge for something. */
function maxPrice(unit: string, name: string, what: string): INodeProperties {
	return {
		displayName: `Provider Max Price (${unit})`,
		name,
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: `Only providers that charge no more than this for ${what}. In the gateway’s own unit for provider prices, which its documentation names; 0 leaves only free providers.`,
	};
}

/** Which provider answers. */
export const routing: INodeProperties[] = [
	{
		displayName: 'Provider Allow Fallbacks',
		name: 'providerAllowFallbacks',
		type: 'boolean',
		default: true,
		description: 'Whether another provider may answer when the first choice cannot',
	},
	providerList('Provider Order', 'providerOrder', 'The providers to try, in this order'),
	providerList('Provider Only', 'providerOnly', 'The only providers that may answer'),
	providerList('Provider Ignore', 'providerIgnore', 'Providers that must not answer'),
	{
		displayName: 'Provider Sort',
		name: 'providerSort',
		type: 'string',
		default: 'price',
		placeholder: 'e.g. price',
		description: 'What providers are ranked by',
	},
	maxPrice('Prompt', 'providerMaxPricePrompt', 'the input'),
	maxPrice('Completion', 'providerMaxPriceCompletion', 'the answer'),
	maxPrice('Image', 'providerMaxPriceImage', 'an image'),
	maxPrice('Audio', 'providerMaxPriceAudio', 'audio'),
	maxPrice('Request', 'providerMaxPriceRequest', 'a request'),
	{
		displayName: 'Plugins (JSON)',
		name: 'plugins',
		type: 'json',
		typeOptions: { rows: 3 },
		default: '[]',
		description:
			"Plugins of the gateway to enable, as a list. What they cost is in the raw output: turn 'Simplify' off.",
	},
	{
		displayName: 'Service Tier',
		name: 'serviceTier',
		type: 'options',
		options: [
			{ name: 'Auto', value: 'auto' },
			{ name: 'Default', value: 'default' },
			{ name: 'Flex', value: 'flex', description: 'Slower, for less money, where the model has it' },
			{ name: 'Priority', value: 'priority', description: 'Faster, for more money, where the model has it' },
		],
		default: 'auto',
		description: 'How fast the call is, and how expensive',
	},
];
