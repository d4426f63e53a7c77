import type { INode } from 'n8n-workflow';

import { EmptyExpressions } from '../../nodes/shared/params/emptyExpressions';
import { Location } from '../../nodes/shared/params/parameter';
import { CONTINUE, form } from '../helpers/values';
import type { StoryNode } from './execution';
import { image, RETRY_ON_FAIL, says, text, useStories } from './support';

// An expression refers to a field that the input does not have, as of rows that a node before has replaced.

const { gateway, execute, spent } = useStories();
const rows = (...products: unknown[]) =>
	products.map((product) => ({ json: product === undefined ? { id: 1 } : { id: 1, product } }));
const photo = (prompt: string) => image({ prompt });

it('rows become texts and then pictures of nothing: refused for free, and what the error says works', async () => {
	const before = text({ prompt: '=Describe a {{ $json.product }}' });
	const lamps = rows('lamp', 'sofa', 'rug');
	const wrong = await execute([before, photo('=Studio photo of {{ $json.product }}')], lamps);
	const [message, description = ''] = wrong.errorText.split('\n');
	expect(message).toBe(`No item has the field "product", which 'Prompt' refers to`);
	expect(description).toMatch(
		/^The input has text, finishReason, costRub, model, provider, usage, id\. For a field of an earlier node: \{\{ \$\('Source'\)\.item\.json\.product \}\}\. If it may be missing: \{\{ \$json\.product \?\? '' \}\}\. Nothing was sent\.$/,
	);
	expect(gateway.charges()).toBe(3);
	for (const [, expression = ''] of description.matchAll(/: (\{\{.*?\}\})/g)) {
		const corrected = await execute([before, photo(`=Studio photo of ${expression}`)], lamps);
		expect([corrected.error, corrected.hints('Gateway 2')]).toStrictEqual([
			undefined,
			expect.not.stringContaining('empty'),
		]);
	}
	const asked = gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body));
	expect(asked.filter((body) => /Studio photo of (lamp|sofa|rug)"/.test(body))).toHaveLength(3);
});

const messages = { message: [{ role: 'user', content: '=Describe {{ $json.product }} in a word' }] };
const NO_FIELD = 'does not have the field "product"';
const OTHER = 'is undefined';

it.each<[string, StoryNode, string]>([
	['a prompt', photo('=Studio photo of {{ $json.product }}'), NO_FIELD],
	['a field with another name', photo('=Photo of {{ $json["product"] }}'), NO_FIELD],
	['a field of an object', photo('=Photo of {{ $json.product?.name }}'), OTHER],
	['texts that are joined', photo("={{ 'Photo of ' + $json.product }}"), OTHER],
	['a joined text in a text', photo("=Draw {{ 'a ' + $json.product }}, big"), OTHER],
	['a template literal', photo('={{ `Photo of ${$json.product}` }}'), OTHER],
	['a message', text({ inputMode: 'messages', messages }), NO_FIELD],
	['a system prompt', text({ prompt: 'a', systemPrompt: '=You sell {{ $json.product }}' }), NO_FIELD],
	[
		'a prompt after a system prompt that is the same expression',
		text({ systemPrompt: '={{ $json.product }}', prompt: '=Describe {{ $json.product }}' }),
		NO_FIELD,
	],
	['a field of a form', image({ prompt: 'a', input: form({ style: '=As {{ $json.product }}' }) }), NO_FIELD],
	['JSON', image({ inputMode: 'json', inputJson: '={ "prompt": "A {{ $json.product }}" }' }), NO_FIELD],
	['a dry run', image({ prompt: '=A {{ $json.product }}', options: { dryRun: true } }), NO_FIELD],
])('%s without its field is refused for one item that is executed by hand', async (_, node, words) => {
	const { errorText } = await execute(node, rows(undefined));
	expect(errorText).toContain(words);
	expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
});

it('all items are error items where the node continues', async () => {
	const node = image({ prompt: '=A {{ $json.product }}' }, CONTINUE);
	const errors = (await execute(node, rows(undefined, undefined))).errors();
	expect(errors.map(({ code, param, retryable }) => [code, param, retryable])).toStrictEqual([
		['invalid_input', 'prompt', false],
		['invalid_input', 'prompt', false],
	]);
	expect(spent()).toBe('0');
});

it.each<[string, unknown[], object, string]>([
	['the only item of a published workflow', [undefined], { isPublished: true }, ''],
	['some items', ['lamp', undefined, 'rug', undefined], {}, ' in 2 of 4 items (first: item 1)'],
	['all items, which have the field', ['', null], {}, ' in 2 of 2 items (first: item 0)'],
	['one item, where the field is there in another', [undefined, ''], {}, ' in 2 of 2 items (first: item 0)'],
])('a field that is empty for %s is named in a hint', async (_, products, more, where) => {
	const execution = await execute(photo('=A {{ $json.product }}'), rows(...products), more);
	expect(execution.hints()).toContain(`{{ $json.product }} in 'Prompt' is empty${where}.`);
	expect([execution.error, gateway.charges()]).toStrictEqual([undefined, products.length]);
});

it('is sent in the next try, too, for an item of which others have the field', async () => {
	gateway.control.addFault({
		match: { method: 'POST', which: says('[]') },
		action: { kind: 'error', code: 'service_unavailable' },
	});
	const node = text({ prompt: '=A [{{ $json.product }}]', options: { maxRetries: 0 } }, RETRY_ON_FAIL);
	const execution = await execute(node, rows('lamp', undefined));
	expect([execution.error, gateway.charges()]).toStrictEqual([undefined, 2]);
});

it.each(['?? ""', "|| ''", '?? ``'])('a field that may be missing has no hint: %s', async (or) => {
	const execution = await execute(text({ prompt: `=A {{ $json.product ${or} }}` }), rows('lamp', undefined));
	expect([execution.error, execution.hints()]).toStrictEqual([
		undefined,
		expect.not.stringContaining('empty'),
	]);
});

it.each([
	['a text that is about it', "={{ $json.product + ' in JavaScript' }}", 'undefined'],
	['an expression that names it', "={{ 'What is undefined, ' + $json.id }}", 'a'],
	['a path', '=What is {{ $json.product }}?', 'undefined'],
])('the word "undefined" of %s is sent', async (_, prompt, product) => {
	expect((await execute(text({ prompt }), rows(product))).error).toBeUndefined();
});

describe('a field that is not there', () => {
	/** What the error says for an item with these fields, where the node *Ann's rows* before the last has any field. */
	function advice(expression: string, json = {}): string | undefined {
		const found = "$('Ann\\'s rows').item.json";
		const context = {
			evaluateExpression: (asked: string) => (asked.includes(found) ? 'lamp' : undefined) as never,
			getInputData: () => [{ json }],
			getMode: () => 'manual' as const,
			getNode: () => ({ name: 'Gateway' }) as INode,
			getParentNodes: () => ['Describe', "Ann's rows"].map((name) => ({ name })) as never,
		};
		const empty = new EmptyExpressions();
		empty.add(0, { expression, at: new Location('prompt', "'Prompt'"), isPart: true });
		return empty.undefinedInAll(context, () => true)?.description;
	}

	it.each([
		['{{ $json.product }}', "{{ $('Ann\\'s rows').item.json.product }}"],
		['{{ $json["product name"] }}', `{{ $('Ann\\'s rows').item.json["product name"] }}`],
	])('is read from the earlier node that has it, whatever their names: %s', (expression, earlier) => {
		expect(advice(expression)).toContain(`For a field of an earlier node: ${earlier}.`);
	});

	it('has up to 20 others listed', () => {
		const names = Array.from({ length: 23 }, (_, n) => `f${n}`);
		const json = Object.fromEntries(names.map((name) => [name, 1]));
		const listed = names.slice(0, 20).join(', ');
		expect(advice('{{ $json.product }}', json)).toContain(`The input has ${listed} and 3 others.`);
	});
});

it.each([
	["{{ $fromAI('style', '', 'string') }}", false],
	["{{ $fromai('style', '', 'string') }}", false],
	['{{ $json.style }}', true],
])('%s that a model leaves out of the call of a tool is refused: %s', (expression, isRefused) => {
	const context = {
		evaluateExpression: () => undefined as never,
		getInputData: () => [{ json: {} }],
		getMode: () => 'manual' as const,
		getNode: () => ({ name: 'Gateway' }) as INode,
		getParentNodes: () => [],
	};
	const empty = new EmptyExpressions();
	empty.add(0, { expression, at: new Location('prompt', "'Prompt'"), isPart: true });
	expect(empty.undefinedInAll(context, () => true) !== undefined).toBe(isRefused);
});
