import type { INodeProperties } from 'n8n-workflow';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { textOptionParameters } from '../../nodes/shared/fields/textOptions';
import { textFormats } from '../../nodes/shared/gateway/text/formats';
import { useNock } from '../helpers/nock';
import { choices, choicesOf, collected, descriptions, fields, nodesByName } from '../helpers/panel';
import { sourceTexts } from '../helpers/sourceTexts';
import { gateway, sentBody } from './text/support';

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

describe('add option', () => {
	// The lists under *Add option*: n8n shows only names in them, and all of them at once.

	useNock();

	/** The most entries of a list, by the node or the resource; in one that is light, nothing but retries and a timeout. */
	const MOST: Readonly<Record<string, number>> = {
		text: 20,
		chatModel: 18,
		task: 13,
		model: 2,
		session: 2,
		balance: 3,
	};

	const formats = textFormats.map(({ name }) => name);

	/** Whether a list that nobody has used has an entry in a format. */
	function isShown({ displayOptions }: INodeProperties, format: string): boolean {
		const { '/format': formats = [format], ...others } = displayOptions?.show ?? {};
		return formats.includes(format) && Object.keys(others).length === 0;
	}

	const lists = descriptions.flatMap(({ name: node, properties }) =>
		properties
			.filter(({ name }) => name === 'options')
			.flatMap((list) =>
				formats.map((format) => {
					const [resource] =
						list.displayOptions?.show?.resource?.filter((one) => typeof one === 'string') ?? [];
					const entries = collected(list).filter((entry) => isShown(entry, format));
					return { node, resource, format, labels: entries.map(({ displayName }) => displayName) };
				}),
			),
	);

	it.each(lists)('$node $resource in $format: short, and no name twice', ({ node, resource, labels }) => {
		expect(labels.length).toBeLessThanOrEqual(MOST[resource ?? node] ?? 10);
		expect(new Set(labels).size).toBe(labels.length);
	});

	describe.each(formats)('an option that is added and left as it is sends nothing, in %s', (format) => {
		const own = Object.entries(textOptionParameters)
			.map(([name, parameter]) => parameter.property(name))
			.filter((property) => isShown(property, format));

		beforeEach(() => {
			gateway().persist().get('/api/v1/models').reply(200, { data: [] });
		});

		it.each(own.map((property) => [property.name, property] as const))('%s', async (name, property) => {
			const bare = await sentBody({ format });
			const body = await sentBody({ format, options: { [name]: property.default } });
			expect(body).toStrictEqual(bare);
		});
	});

	test.each([
		['chat', { web_search_options: { search_context_size: 'low' } }],
		['responses', { tools: [{ type: 'web_search' }] }],
	])('a web search in %s', async (format, wire) => {
		expect(await sentBody({ format, options: { webSearch: 'low' } })).toMatchObject(wire);
	});

	test.each(['web_search', 'web_search_preview'])(
		'a web search beside the built-in tool %s',
		async (type) => {
			const builtInTools = JSON.stringify([{ type, filters: {} }]);
			const options = { webSearch: 'low', builtIn: { values: { builtInTools } } };
			const { tools } = await sentBody({ format: 'responses', options });
			expect(tools).toStrictEqual([{ type, filters: {} }]);
		},
	);
});

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

// Names, actions and descriptions of operations, by n8n's UX guidelines.

const withAction = choices.filter(({ choice }) => choice.action !== undefined);
/** The events of triggers, which n8n lists as "On …". */
const events = withAction.filter(({ choice }) => choice.action?.startsWith('On '));
const operations = withAction.filter((choice) => !events.includes(choice));

/** n8n's wording of common operations. */
const VOCABULARY: Readonly<Record<string, RegExp>> = {
	Create: /^Create a new /,
	'Create and Wait': /^Create a new /,
	Delete: /^Delete a /,
	Get: /^Retrieve (a|the) /,
	'Get Many': /^Retrieve a list of /,
	Upload: /^Store a new /,
};

test('each operation has an action', () => {
	const inLists = choices.filter(({ place }) => place.includes('> Operation >'));
	expect(operations).toHaveLength(inLists.length);
	expect(operations.length).toBeGreaterThan(20);
});

describe.each(operations.map(({ place, choice }) => ({ place, ...choice })))(
	'$place',
	({ name, action = '', description = '' }) => {
		test('the action is a sentence that begins with the verb of the name', () => {
			expect(action).toMatch(/^[A-Z][a-z]+( [a-z]+)+$/);
			expect(action.split(' ')[0]).toBe(name.split(' ')[0]);
		});

		test('the description begins with a verb and says more than the name', () => {
			expect(description).toMatch(/^[A-Z][a-z]+ /);
			expect(description.length).toBeGreaterThan(action.length);
			expect(description).toMatch(VOCABULARY[name] ?? /./);
		});
	},
);

test('actions have different names', () => {
	const actions = operations.map(({ choice }) => choice.action);
	expect(new Set(actions).size).toBe(actions.length);
});

test('the events of triggers are in sentence case, without articles', () => {
	expect(events.length).toBeGreaterThan(4);
	for (const { choice } of events) {
		expect(choice.action).toMatch(/^On( [a-z]+)+$/);
		expect(choice.action).not.toMatch(/\b(a|an|the)\b/);
	}
});

// Texts of the nodes by n8n's UX guidelines: names of fields are in single quotation marks and exist, and error texts
// avoid the words that the guidelines advise against.

const labels = new Set([
	...fields.map(({ property }) => property.displayName),
	...choices.map(({ choice }) => choice.name),
	...new AiGatewayApi().properties.map(({ displayName }) => displayName),
]);

/** Names of n8n, of output fields, and of the gateway's fields. */
const OTHER_NAMES = new Set([
	...[
		'Batch Size',
		'Chat Model',
		'Retry',
		'Retry On Fail',
		'Webhook URLs',
		'Refresh Field List',
		'Add field to send',
	],
	...[
		'callback',
		'data',
		'passThrough',
		'lowBalance',
		'timedOut',
		'toolCalls',
		'tracks',
		'id',
		'otherOutput',
		'subtitles',
	],
	...['RUB', 'amount', 'content', 'output', 'stream'],
	// A setting of n8n's workflows.
	'Execution Logic',
]);

const quoted = (text: string) => [...text.matchAll(/'([^'…]+)'/g)].map(([, name = '']) => name);

it('finds the texts of the source', () => {
	expect(sourceTexts.length).toBeGreaterThan(600);
});

it('names in single quotation marks exist', () => {
	const unknown = sourceTexts.flatMap(({ place, text }) =>
		quoted(text)
			.filter((name) => !labels.has(name) && !OTHER_NAMES.has(name))
			.map((name) => `${place} ${name}`),
	);
	expect(unknown).toStrictEqual([]);
});

it('names of fields are in no other quotation marks', () => {
	const wrong = sourceTexts.filter(({ text }) =>
		[...text.matchAll(/["“]([^"”…]+)["”]/g)].some(([, name = '']) => labels.has(name)),
	);
	expect(wrong.map(({ place }) => place)).toStrictEqual([]);
});

it('tooltips name only fields and choices of their panel', () => {
	const tooltips = [
		...fields.map(({ property: { description }, ...field }) => ({ ...field, description })),
		...choices.map(({ choice: { description }, ...field }) => ({ ...field, description })),
	];
	const wrong = tooltips.flatMap(({ place, node, operations, description = '' }) => {
		const isNear = (other: { node: unknown; operations: string[] }) =>
			other.node === node &&
			(operations.length === 0 ||
				other.operations.length === 0 ||
				operations.some((operation) => other.operations.includes(operation)));
		const near = new Set([
			...fields.filter(isNear).map(({ property }) => property.displayName),
			...choices.filter(isNear).map(({ choice }) => choice.name),
		]);
		return quoted(description)
			.filter((name) => !near.has(name) && !OTHER_NAMES.has(name))
			.map((name) => `${place}: ${name}`);
	});
	expect(wrong).toStrictEqual([]);
});

it('no text has the words error, problem, failure or mistake', () => {
	const wrong = sourceTexts.filter(({ text }) => /\b(errors?|problems?|failures?|mistakes?)\b/i.test(text));
	expect(wrong.map(({ place, text }) => `${place} ${text}`)).toStrictEqual([]);
});

describe('error texts', () => {
	it('have messages without and descriptions with a full stop', () => {
		const messages = sourceTexts.filter(
			({ role, place }) => role === 'message' && place.includes('/gateway/'),
		);
		const descriptionsOfErrors = sourceTexts.filter(
			({ role, place }) =>
				role === 'description' && place.includes('/gateway/') && !place.includes('formats/'),
		);
		expect(messages.length).toBeGreaterThan(60);
		expect(messages.filter(({ text }) => text.endsWith('.')).map(({ place }) => place)).toStrictEqual([]);
		expect(
			descriptionsOfErrors.filter(({ text }) => !/[.”…]$/.test(text)).map(({ place }) => place),
		).toStrictEqual([]);
	});

	it('have no internal names', () => {
		const internal = fields.map(({ property: { name } }) => name).filter((name) => /[a-z][A-Z]/.test(name));
		const texts = sourceTexts.filter(({ role }) =>
			['message', 'description', 'InvalidInputError', 'row.invalid', 'hint'].includes(role),
		);
		const wrong = texts.filter(({ text }) => {
			const words = text.replace(/{{.*?}}/g, '').split(/\W+/);
			return internal.some((name) => words.includes(name));
		});
		expect(wrong.map(({ place, text }) => `${place} ${text}`)).toStrictEqual([]);
	});
});

it('descriptions of nodes are one sentence', () => {
	for (const { description } of descriptions) expect(description).toMatch(/^[A-Z][^.]+[^.]$/);
});
