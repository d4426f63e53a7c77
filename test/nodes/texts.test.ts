import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { choices, descriptions, fields } from '../helpers/panel';
import { sourceTexts } from '../helpers/sourceTexts';

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

it('names of several words, and Simplify, are in quotation marks', () => {
	const names = fields.map(({ property }) => property.displayName).filter((name) => / /.test(name));
	// These are also words of the gateway or of n8n.
	const own = new Set([...names, 'Simplify']);
	for (const name of ['Task ID', 'Callback URL', 'JSON Schema', 'Output Format']) own.delete(name);
	const wrong = sourceTexts.filter(({ text, role }) => {
		const words = text.replace(/'[^']*'/g, '');
		return (
			role !== 'displayName' &&
			role !== 'label' &&
			[...own].some((name) => words !== name && words.includes(name))
		);
	});
	expect(wrong.map(({ place, text }) => `${place} ${text}`)).toStrictEqual([]);
});

it('a format is called API format, output format, response format, audio format, subtitle format or file format', () => {
	const wrong = sourceTexts.filter(({ text }) =>
		/(?<!API |Output |Response |Audio |Subtitle |file )\bformats?\b/i.test(text),
	);
	expect(wrong.map(({ place, text }) => `${place} ${text}`)).toStrictEqual([]);
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
