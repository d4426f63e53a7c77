import { choices, choicesOf, collected, descriptions, fields, nodesByName } from '../helpers/panel';

// n8n's UX guidelines, checked on the descriptions that n8n loads. n8n's own lint reads the source and does not see
// what the registry and functions build.

const places = (found: Array<{ place: string }>) => found.map(({ place }) => place);

/** A tooltip without tags. */
const visible = (text: string) => text.replace(/<[^>]+>/g, '');

const SMALL_WORDS = /^(a|an|and|as|at|by|for|from|in|of|on|or|per|the|to|with)$/;

function isTitleCase(name: string): boolean {
	const words = name.split(/[\s/-]+/).map((word) => word.replace(/^\(|\)$/g, ''));
	return words.every((word, index) => /^[A-Z0-9₽]/.test(word) || (index > 0 && SMALL_WORDS.test(word)));
}

/** Lists in ascending order, or with the usual choice first. */
const SCALES = ['reasoningEffort', 'verbosity', 'webSearch', 'fireOn'];

describe('names', () => {
	it('of nodes, fields and choices are in title case', () => {
		const labels = [
			...descriptions.map(({ displayName }) => ({ place: displayName, name: displayName })),
			...fields
				.filter(({ property: { type } }) => type !== 'notice')
				.map(({ place, property }) => ({ place, name: property.displayName })),
			...choices.map(({ place, choice }) => ({ place, name: choice.name })),
		];
		expect(places(labels.filter(({ name }) => !isTitleCase(name)))).toStrictEqual([]);
	});

	it('of JSON fields contain "JSON"', () => {
		const json = fields.filter(({ property }) => property.type === 'json');
		expect(places(json.filter(({ property }) => !/JSON/.test(property.displayName)))).toStrictEqual([]);
	});

	it('a field has one name in each node', () => {
		const byName = new Map<string, Set<string>>();
		for (const { place, property } of fields) {
			const depth = place.split(' > ').length;
			const key = `${place.split(' > ')[0] ?? ''}, level ${depth}: ${property.name}`;
			byName.set(key, (byName.get(key) ?? new Set()).add(property.displayName));
		}
		const ambiguous = [...byName].filter(([, names]) => names.size > 1).map(([key]) => key);
		// One is the input field of a file, the other the output field.
		expect(ambiguous).toStrictEqual(['Gateway Storage, level 2: binaryPropertyName']);
	});
});

describe('examples', () => {
	const typed = fields.filter(({ property: { type } }) => type === 'string' || type === 'json');

	it('are in every text field without a default', () => {
		const isBare = ({ default: value, placeholder = '' }: { default?: unknown; placeholder?: string }) =>
			placeholder === '' && (value === '' || (Array.isArray(value) && value.length === 0));
		expect(places(typed.filter(({ property }) => isBare(property)))).toStrictEqual([]);
	});

	it('begin with "e.g."', () => {
		const shown = typed.map(({ place, property }) => ({ place, example: property.placeholder ?? '' }));
		const byHand = fields.flatMap(({ place, property }) =>
			(property.modes ?? [])
				.filter(({ type }) => type === 'string')
				.map(({ placeholder = '' }) => ({ place, example: placeholder })),
		);
		const examples = [...shown, ...byHand].filter(({ example }) => example !== '');
		expect(places(examples.filter(({ example }) => !example.startsWith('e.g. ')))).toStrictEqual([]);
	});
});

describe('tooltips', () => {
	const texts = [
		...fields.map(({ place, property }) => ({ place, text: property.description })),
		...choices.map(({ place, choice }) => ({ place, text: choice.description })),
	].flatMap(({ place, text }) => (text === undefined ? [] : [{ place, text: visible(text) }]));
	const notices = fields
		.filter(({ property: { type } }) => type === 'notice')
		.map(({ place, property: { displayName: text } }) => ({ place, text }));
	const hints = fields.flatMap(({ place, property: { hint: text } }) =>
		text === undefined ? [] : [{ place, text }],
	);

	it('end with a full stop only when they have several sentences', () => {
		const isWrong = ({ text }: { text: string }) => /[.?!] [A-Z'“]/.test(text) !== text.endsWith('.');
		expect(places([...texts, ...notices, ...hints].filter(isWrong))).toStrictEqual([]);
	});

	it('begin with a capital letter', () => {
		const isWrong = ({ text }: { text: string }) => !/^'?[A-Z0-9₽]/.test(text);
		expect(places([...texts, ...notices, ...hints].filter(isWrong))).toStrictEqual([]);
	});

	it('are short', () => {
		expect(places(texts.filter(({ text }) => text.length > 180))).toStrictEqual([]);
		expect(places(notices.filter(({ text }) => text.length > 180))).toStrictEqual([]);
		expect(places(hints.filter(({ text }) => text.length >= 100))).toStrictEqual([]);
	});

	it('of switches begin with "Whether"', () => {
		const switches = fields.filter(({ property: { type } }) => type === 'boolean');
		const isWrong = (text = '') => !text.startsWith('Whether ');
		expect(places(switches.filter(({ property }) => isWrong(property.description)))).toStrictEqual([]);
	});
});

describe('lists', () => {
	it('are sorted by name, unless they are scales; the resource Text stands first', () => {
		const sorted = (names: string[]) => [...names].sort((a, b) => a.localeCompare(b));
		const lists = fields
			.filter(({ property: { name } }) => !SCALES.includes(name))
			.map(({ place, property }) => ({
				place,
				names: [
					...choicesOf(property).map(({ name }, index) => (index === 0 && name === 'Text' ? '' : name)),
					...(property.type === 'collection' ? collected(property) : []).map(
						({ displayName }) => displayName,
					),
				],
			}));
		expect(places(lists.filter(({ names }) => names.join() !== sorted(names).join()))).toStrictEqual([]);
	});

	it('have one of their choices as default', () => {
		const lists = fields.filter(({ property }) => property.type === 'options');
		const fixed = lists.filter(({ property }) => property.typeOptions?.loadOptionsMethod === undefined);
		const isWrong = (property: (typeof fields)[number]['property']) =>
			!choicesOf(property).some(({ value }) => value === property.default);
		expect(places(fixed.filter(({ property }) => isWrong(property)))).toStrictEqual([]);
	});

	it('of models are the default of a picker, which also accepts an ID', () => {
		const pickers = fields.filter(({ property: { type } }) => type === 'resourceLocator');
		expect(pickers.length).toBeGreaterThan(0);
		for (const { property } of pickers) {
			expect(property.default).toMatchObject({ mode: 'list' });
			expect(property.modes?.map(({ displayName }) => displayName)).toStrictEqual(['From List', 'By ID']);
		}
	});
});

describe('panels', () => {
	it('show resource and operation first, without expressions, and options last', () => {
		const withOperations = descriptions.filter(({ usableAsTool }) => usableAsTool);
		expect(withOperations).toHaveLength(4);
		for (const { properties } of withOperations) {
			const selectors = properties.filter(({ name }) => name === 'resource' || name === 'operation');
			expect(properties.slice(0, selectors.length)).toStrictEqual(selectors);
			expect(selectors.every(({ noDataExpression }) => noDataExpression)).toBe(true);
		}
		for (const { properties } of descriptions) expect(properties.at(-1)?.name).toBe('options');
	});

	it('of triggers have "Trigger On" without a tooltip', () => {
		const triggers = descriptions.filter(({ group }) => group.includes('trigger'));
		expect(triggers).toHaveLength(2);
		for (const { displayName, properties } of triggers) {
			expect(displayName).toMatch(/ Trigger$/);
			const triggerOn = properties.filter((property) => property.displayName === 'Trigger On');
			expect(triggerOn.length).toBeGreaterThan(0);
			for (const { type, description } of triggerOn)
				expect([type, description]).toStrictEqual(['options', undefined]);
		}
	});

	it('have Simplify with n8n’s description, on by default', () => {
		const simplify = fields.filter(({ property: { name } }) => name === 'simplify');
		expect(simplify.length).toBeGreaterThan(0);
		for (const { property } of simplify) {
			expect(property).toMatchObject({
				displayName: 'Simplify',
				default: true,
				description: 'Whether to return a simplified version of the response instead of the raw data',
			});
		}
	});

	it('mark required fields', () => {
		const required = fields.filter(({ property }) => property.required).map(({ property: { name } }) => name);
		expect([...new Set(required)].sort()).toStrictEqual([
			'audioId',
			'base64',
			'binaryPropertyName',
			'fields',
			'fileId',
			'input',
			'inputField',
			'inputJson',
			'jsonExample',
			'jsonSchema',
			'messages',
			'messagesJson',
			'model',
			'name',
			'prompt',
			'taskId',
			'threshold',
			'url',
		]);
	});
});

/** The fields of a description that name a method of the node, by the kind of the method. */
const METHODS = {
	credentialTest: 'testedBy',
	listSearch: 'searchListMethod',
	loadOptions: 'loadOptionsMethod',
	resourceMapping: 'resourceMapperMethod',
} as const;

describe.each(Object.entries(nodesByName))('%s', (_, { description, methods = {} }) => {
	test.each(Object.entries(METHODS))('has the methods for %s that its panel names', (kind, field) => {
		const named = JSON.stringify(description).matchAll(new RegExp(`"${field}":"(\\w+)"`, 'g'));
		const names = new Set([...named].map(([, name]) => name));
		expect(Object.keys(methods[kind as keyof typeof METHODS] ?? {}).sort()).toStrictEqual([...names].sort());
	});
});
