import type { INodeProperties } from 'n8n-workflow';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { textOptions } from '../../nodes/shared/fields/textOptions';
import { textFormats } from '../../nodes/shared/gateway/text/formats';
import { propertiesOf } from '../../nodes/shared/params/parameter';
import { gateway } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { choices, choicesOf, collected, descriptions, fields, nodesByName, wrong } from '../helpers/panel';
import { sourceTexts } from '../helpers/sourceTexts';
import { sentBody } from './text/support';

// n8n's UX guidelines, checked on the descriptions that n8n loads. n8n's own lint reads the source and does not see
// what the registry and functions build.

/** A rule for each of them. */
function rule<P extends { place: string }>(title: string, found: P[], isRight: (one: P) => boolean): void {
	it.each([title])('%s', () => expect(wrong(found, isRight)).toStrictEqual([]));
}

const ofType = (...types: string[]) => fields.filter(({ property: { type } }) => types.includes(type));

const SMALL_WORDS = /^(a|an|and|as|at|by|for|from|in|of|on|or|per|the|to|with)$/;

function isTitleCase(name: string): boolean {
	const words = name.split(/[\s/-]+/).map((word) => word.replace(/^\(|\)$/g, ''));
	return words.every((word, index) => /^[A-Z0-9₽]/.test(word) || (index > 0 && SMALL_WORDS.test(word)));
}

describe('names', () => {
	const labels = [
		...descriptions.map(({ displayName: name }) => ({ place: name, name })),
		...fields
			.filter(({ property: { type } }) => type !== 'notice')
			.map(({ place, property: { displayName: name } }) => ({ place, name })),
		...choices.map(({ place, choice: { name } }) => ({ place, name })),
	];
	rule('of nodes, fields and choices are in title case', labels, ({ name }) => isTitleCase(name));

	rule('of JSON fields contain "JSON"', ofType('json'), ({ property }) => /JSON/.test(property.displayName));

	it('a field has one name in each node', () => {
		const byName = new Map<string, Set<string>>();
		for (const { place, property } of fields) {
			const [node, ...inner] = place.split(' > ');
			const key = `${node}, level ${inner.length}: ${property.name}`;
			byName.set(key, (byName.get(key) ?? new Set()).add(property.displayName));
		}
		const ambiguous = [...byName].filter(([, names]) => names.size > 1).map(([key]) => key);
		// One is the input field of a file, the other the output field.
		expect(ambiguous).toStrictEqual(['Gateway Storage, level 1: binaryPropertyName']);
	});
});

describe('examples', () => {
	const typed = ofType('string', 'json');
	const byHand = fields.flatMap(({ place, property: { modes = [] } }) =>
		modes.filter(({ type }) => type === 'string').map(({ placeholder = '' }) => ({ place, placeholder })),
	);
	const shown = [
		...typed.map(({ place, property: { placeholder = '' } }) => ({ place, placeholder })),
		...byHand,
	].filter(({ placeholder }) => placeholder !== '');

	rule('are in every text field without a default', typed, ({ property }) => {
		const { placeholder = '', default: value } = property;
		return placeholder !== '' || (value !== '' && !(Array.isArray(value) && value.length === 0));
	});

	rule('begin with "e.g."', shown, ({ placeholder }) => placeholder.startsWith('e.g. '));
});

describe('tooltips', () => {
	/** Without tags, and those without a text. */
	const texts = (found: Array<{ place: string; text: string | undefined }>) =>
		found.flatMap(({ place, text }) =>
			text === undefined ? [] : [{ place, text: text.replace(/<[^>]+>/g, '') }],
		);
	const tooltips = texts([
		...fields.map(({ place, property }) => ({ place, text: property.description })),
		...choices.map(({ place, choice }) => ({ place, text: choice.description })),
	]);
	const notices = texts(
		ofType('notice').map(({ place, property }) => ({ place, text: property.displayName })),
	);
	const hints = texts(fields.map(({ place, property }) => ({ place, text: property.hint })));
	const written = [...tooltips, ...notices, ...hints];

	rule(
		'end with a full stop only when they have several sentences',
		written,
		({ text }) => /[.?!] [A-Z'“]/.test(text) === text.endsWith('.'),
	);
	rule('begin with a capital letter', written, ({ text }) => /^'?[A-Z0-9₽]/.test(text));
	rule('are short', [...tooltips, ...notices], ({ text }) => text.length <= 180);
	rule('are very short as hints', hints, ({ text }) => text.length < 100);
	rule('of switches begin with "Whether"', ofType('boolean'), ({ property: { description = '' } }) =>
		description.startsWith('Whether '),
	);
});

describe('lists', () => {
	/** Lists in ascending order, or in the order of use; n8n's rules look at those of five and more (`lint:panels`). */
	const SCALES = ['reasoningEffort', 'verbosity', 'webSearch', 'fireOn', 'resource', 'operation'];
	const lists = fields.filter(({ property: { name } }) => !SCALES.includes(name));
	rule('are sorted by name, unless they are scales', lists, ({ property }) => {
		const names = choicesOf(property).map(({ name }) => name);
		const options = property.type === 'collection' ? collected(property) : [];
		names.push(...options.map(({ displayName }) => displayName));
		return names.join() === names.toSorted((a, b) => a.localeCompare(b, 'en')).join();
	});

	const fixed = ofType('options').filter(
		({ property: { typeOptions } }) => typeOptions?.loadOptionsMethod === undefined,
	);
	rule('have one of their choices as default', fixed, ({ property }) =>
		choicesOf(property).some(({ value }) => value === property.default),
	);

	it('of actions have no articles, and begin with what people use', () => {
		const actions = (name: string) => {
			const { properties = [] } = descriptions.find((one) => one.name === name) ?? {};
			const lists = properties.filter((one) => one.name === 'operation').flatMap(choicesOf);
			return lists.map(({ action }) => action);
		};
		expect([actions('textGeneration'), actions('mediaTask'), actions('storage')]).toStrictEqual([
			[
				...['Generate text', 'Read document', 'Analyze image', 'Transcribe audio', 'Analyze video'],
				...['Get many text models', 'Get text model'],
			],
			[
				...['Generate image', 'Edit image', 'Generate video', 'Generate music', 'Generate speech'],
				...['Create media task and wait', 'Create media task', 'Wait for media task'],
				...['Get media tasks of this execution', 'Download result of media task'],
				...['Get timed lyrics of song', 'Get many media tasks', 'Delete media task', 'Get media task'],
				...['Archive media task', 'Unarchive media task', 'Restore media task'],
				...['Get many media models', 'Create media session'],
			],
			['Delete file', 'Download file', 'Get file', 'Get many files', 'Upload file'],
		]);
	});

	it('of models are the default of a picker, which also accepts an ID; n8n’s builder is told to invent none', () => {
		const pickers = ofType('resourceLocator');
		expect(pickers.length).toBeGreaterThan(2);
		for (const { property } of pickers) {
			expect(property.default).toMatchObject({ mode: 'list' });
			expect(property.modes?.map(({ displayName }) => displayName)).toStrictEqual(['From List', 'By ID']);
			expect(JSON.stringify(Reflect.get(property, 'builderHint'))).toContain('leave the value empty');
		}
	});
});

describe('panels', () => {
	const operationOf = ({ show = {} }: INodeProperties['displayOptions'] = {}) =>
		JSON.stringify([show.resource, show.operation]);

	it('show resource and operation first, without expressions, and options last', () => {
		const withOperations = descriptions.filter(({ usableAsTool }) => usableAsTool);
		expect(withOperations).toHaveLength(4);
		for (const { properties } of withOperations) {
			const selectors = properties.filter(({ name }) => name === 'resource' || name === 'operation');
			expect(properties.slice(0, selectors.length)).toStrictEqual(selectors);
			expect(selectors.every(({ noDataExpression }) => noDataExpression)).toBe(true);
		}
		const withOptions = descriptions.filter(({ properties }) =>
			properties.some(({ name }) => name === 'options'),
		);
		expect(withOptions).toHaveLength(descriptions.length - 1);
		for (const { properties } of withOptions) {
			const shown = properties.filter(({ name }) => name !== 'resource' && name !== 'operation');
			// The last one of each operation.
			const last = new Map(shown.map(({ name, displayOptions }) => [operationOf(displayOptions), name]));
			expect(new Set(last.values())).toStrictEqual(new Set(['options']));
		}
	});

	it('of triggers have "Trigger On" without a tooltip', () => {
		const triggers = descriptions.filter(({ group }) => group.includes('trigger'));
		expect(triggers).toHaveLength(2);
		for (const { displayName, properties } of triggers) {
			expect(displayName).toMatch(/ Trigger$/);
			const [triggerOn] = properties.filter((property) => property.displayName === 'Trigger On');
			expect([triggerOn?.type, triggerOn?.description]).toStrictEqual(['options', undefined]);
		}
	});

	const requestOptions = ofType('collection').filter(
		({ node, property: { name } }) => name === 'options' && !node.group.includes('trigger'),
	);
	rule(
		'have a timeout once, which names its default, and that of a streamed response',
		requestOptions,
		({ property }) => {
			const [timeout, ...others] = collected(property).filter(({ name }) => name === 'timeout');
			const { description = '', default: seconds } = timeout ?? {};
			const says = [`Defaults to ${Number(seconds)}`, 'to 900 for a streamed response'];
			return others.length === 0 && says.every((words) => description.includes(words));
		},
	);

	const simplify = fields.filter(({ property: { name } }) => name === 'simplify');
	rule('have Simplify with n8n’s description, on by default', simplify, ({ property }) => {
		const { displayName, default: value, description } = property;
		return (
			displayName === 'Simplify' &&
			value === true &&
			description === 'Whether to return a simplified version of the response instead of the raw data'
		);
	});

	it('mark required fields', () => {
		const required = fields.filter(({ property }) => property.required).map(({ property: { name } }) => name);
		expect([...new Set(required)].sort().join(' ')).toBe(
			[
				'audioId base64 binaryPropertyName days fields fileId input inputField inputJson jsonExample jsonSchema',
				'messages messagesJson model name prompt taskId threshold url',
			].join(' '),
		);
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
		text: 22,
		chatModel: 19,
		task: 14,
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
		expect(labels.length).toBeLessThanOrEqual(MOST[resource ?? node] ?? 12);
		expect(new Set(labels).size).toBe(labels.length);
	});

	/** Max Tokens 0, Model Decides, Off, and nothing in JSON. */
	const OPEN: ReadonlySet<unknown> = new Set([0, 'auto', 'off', '{}']);

	// What else is added is sent: nodes/options.
	describe.each(formats)('an option that leaves the value open sends nothing, in %s', (format) => {
		const own = propertiesOf(textOptions)
			.filter((property) => isShown(property, format))
			.filter(
				({ name, type, default: initial }) =>
					type === 'collection' || (OPEN.has(initial) && name !== 'serviceTier'),
			);

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
});

// Hints for n8n's AI workflow builder, which it shows to a language model. They are about names that workflows store.

describe.each(descriptions)('the hint of $name', (description) => {
	const { searchHint } = Reflect.get(description, 'builderHint') as { searchHint: string };

	it('is a few plain sentences, and names options that exist', () => {
		expect(searchHint).toMatch(/^[A-Z].{40,400}\.$/);
		expect(searchHint).not.toMatch(/={{|ai_/);
		const named = [...searchHint.matchAll(/options\.(\w+)/g)].map(([, option = '']) => option);
		const known = new Set(fields.map(({ property }) => property.name));
		expect(named.filter((option) => !known.has(option))).toStrictEqual([]);
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

rule('an action is a sentence that begins with the verb of the name', operations, ({ choice }) => {
	const { name, action = '' } = choice;
	return /^[A-Z][a-z]+( [a-z]+)+$/.test(action) && action.split(' ')[0] === name.split(' ')[0];
});

rule('a description begins with a verb and says more than the action', operations, ({ choice }) => {
	const { name, action = '', description = '' } = choice;
	const isSentence = /^[A-Z][a-z]+ /.test(description) && description.length > action.length;
	return isSentence && (VOCABULARY[name] ?? /./).test(description);
});

test('actions have different names', () => {
	const actions = operations.map(({ choice }) => choice.action);
	expect(new Set(actions).size).toBe(actions.length);
});

rule(
	'the events of triggers are in sentence case, without articles',
	events,
	({ choice: { action = '' } }) => /^On( [a-z]+)+$/.test(action) && !/\b(a|an|the)\b/.test(action),
);

// Texts of the nodes by n8n's UX guidelines: names of fields are in single quotation marks and exist, and error texts
// avoid the words that the guidelines advise against.

const labels = new Set([
	...fields.map(({ property }) => property.displayName),
	...choices.flatMap(({ choice: { name, action = name } }) => [name, action]),
	...new AiGatewayApi().properties.map(({ displayName }) => displayName),
]);

/** Names of n8n, of output fields, of the gateway's fields, and of a setting of n8n's workflows. */
const OTHER_NAMES = new Set([
	...['Batch Size', 'Chat Model', 'Retry', 'Retry On Fail', 'Webhook URLs'],
	...['Refresh Field List', 'Add field to send', 'Execution Logic', 'On Error', 'Continue'],
	...['data', 'lowBalance', 'timedOut', 'toolCalls', 'tracks', 'id'],
	...['raw', 'subtitles', 'RUB', 'amount', 'content', 'output', 'stream'],
]);

const quoted = (text: string) => [...text.matchAll(/'([^'…]+)'/g)].map(([, name = '']) => name);

it('finds the texts of the source', () => {
	expect(sourceTexts.length).toBeGreaterThan(600);
});

const unknownNames = (known: ReadonlySet<string>, text = '') =>
	quoted(text).filter((name) => !known.has(name) && !OTHER_NAMES.has(name));

rule(
	'names in single quotation marks exist',
	sourceTexts,
	({ text }) => unknownNames(labels, text).length === 0,
);

rule(
	'names of fields are in no other quotation marks',
	sourceTexts,
	({ text }) => ![...text.matchAll(/["“]([^"”…]+)["”]/g)].some(([, name = '']) => labels.has(name)),
);

const tooltips = [
	...fields.map(({ property: { description }, ...field }) => ({ ...field, description })),
	...choices.map(({ choice: { description }, ...field }) => ({ ...field, description })),
];
rule(
	'tooltips name only fields and choices of their panel',
	tooltips,
	({ node, operations, description }) => {
		const isNear = (other: { node: unknown; operations: string[] }) =>
			other.node === node &&
			(operations.length === 0 ||
				other.operations.length === 0 ||
				operations.some((operation) => other.operations.includes(operation)));
		const near = new Set([
			...fields.filter(isNear).map(({ property }) => property.displayName),
			...choices.filter(isNear).map(({ choice }) => choice.name),
		]);
		return unknownNames(near, description).length === 0;
	},
);

rule(
	'no text has the words error, problem, failure or mistake',
	sourceTexts,
	({ text }) => !/\b(errors?|problems?|failures?|mistakes?)\b/i.test(text.replace("'On Error'", '')),
);

describe('error texts', () => {
	const inGateway = sourceTexts.filter(({ place }) => place.includes('/gateway/'));

	rule(
		'have messages without a full stop',
		inGateway.filter(({ role }) => role === 'message'),
		({ text }) => !text.endsWith('.'),
	);

	rule(
		'have descriptions with a full stop',
		inGateway.filter(({ role, place }) => role === 'description' && !place.includes('formats/')),
		({ text }) => /[.”…]$/.test(text),
	);

	const internal = fields.map(({ property: { name } }) => name).filter((name) => /[a-z][A-Z]/.test(name));
	const roles = ['message', 'description', 'InvalidInputError', 'row.invalid', 'hint'];
	rule(
		'have no internal names',
		sourceTexts.filter(({ role }) => roles.includes(role)),
		({ text }) => {
			const words = text.replace(/{{.*?}}/g, '').split(/\W+/);
			return !internal.some((name) => words.includes(name));
		},
	);
});

it('descriptions of nodes are one sentence', () => {
	for (const { description } of descriptions) expect(description).toMatch(/^[A-Z][^.]+[^.]$/);
});
