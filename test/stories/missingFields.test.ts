import type { INode } from 'n8n-workflow';

import { text as words } from '../../nodes/shared/params/kinds';
import { NodeParameters } from '../../nodes/shared/params/nodeParameters';
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
	[
		'JSON',
		image({ prompt: '', inputMode: 'json', inputJson: '={ "prompt": "A {{ $json.product }}" }' }),
		NO_FIELD,
	],
	['a dry run', image({ prompt: '=A {{ $json.product }}', options: { dryRun: true } }), NO_FIELD],
	['a part beside another', photo('=Photo {{ $json.id }}{{ $json.product }}'), NO_FIELD],
	['one of two expressions', photo('={{ $json.id }} {{ $json.product }}'), NO_FIELD],
])('%s without its field is refused for one item that is executed by hand', async (_, node, words) => {
	const { errorText } = await execute(node, rows(undefined));
	expect(errorText).toContain(words);
	expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
});

const task = (options: object) => image({ resource: 'task', operation: 'create', prompt: 'a', options });
const OPTIONAL: Array<[string, StoryNode, string]> = [
	['System Prompt', text({ prompt: 'a', systemPrompt: '={{ $json.product }}' }), '"role":"system"'],
	['Temperature', text({ prompt: 'a', options: { temperature: '={{ $json.product }}' } }), '"temperature"'],
	['Session ID', task({ sessionId: '={{ $json.product }}' }), '"session'],
	[
		'Reasoning Summary',
		text({ prompt: 'a', options: { reasoning: { reasoningSummary: '={{ $json.product }}' } } }),
		'"reasoning"',
	],
	['Model Fields', image({ prompt: 'a', input: form({ quality: '={{ $json.product }}' }) }), '"quality"'],
];

it('the word "undefined" in a text of another node is sent', async () => {
	const before = text({ prompt: 'a' });
	const topic = rows('undefined in JavaScript');
	for (const prompt of [
		"={{ 'Explain: ' + $('Source').item.json.product }}",
		"={{ 'Explain: ' + $('Source').item.json.product + ($json.note || '') }}",
		"={{ $json.note == null ? $('Source').item.json.product : '' }}",
		"=Explain {{ $('Source').item.json.product }} {{ $json.note ?? '' }}",
	])
		expect((await execute([before, text({ prompt })], topic)).error).toBeUndefined();
	expect(gateway.charges()).toBe(8);
});

it('a text that is joined with a value that is not there is an error beside the word "undefined"', async () => {
	const prompt = "={{ $json.product + ', ' + $('Source').item.json.note }}";
	const { errorText } = await execute(text({ prompt }), rows('undefined in JavaScript'));
	expect(errorText).toContain(
		"If it may be missing: {{ ($json.product ?? '') + ', ' + ($('Source').item.json.note ?? '') }}.",
	);
	expect(gateway.charges()).toBe(0);
});

describe('an expression that stands alone in a field that may be empty, and that no item has', () => {
	it.each(OPTIONAL)('is an error when somebody executes the workflow: *%s*', async (label, node) => {
		for (const items of [rows(undefined), rows(undefined, undefined)]) {
			const { errorText } = await execute(node, items);
			expect(errorText).toContain(`the field "product", which '${label}' refers to`);
			expect(errorText).toContain("If it may be missing: {{ $json.product ?? '' }}. Nothing was sent.");
		}
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	it.each(OPTIONAL)('is left out of a published workflow, with a hint: *%s*', async (label, node, field) => {
		const execution = await execute(node, rows(undefined, undefined), { isPublished: true });
		const where = 'in 2 of 2 items (first: item 0)';
		expect(execution.hints()).toContain(`{{ $json.product }} in '${label}' is empty ${where}.`);
		expect([execution.error, gateway.charges()]).toStrictEqual([undefined, 2]);
		const bodies = gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body.json));
		expect(bodies.filter((body) => body.includes(field))).toStrictEqual([]);
	});

	it.each([
		['a default', "={{ $json.product ?? '' }}", undefined],
		['null in the data', '={{ $json.product }}', null],
		['an empty text in the data', '={{ $json.product }}', ''],
		['an expression that says it', "={{ $json.id > 1 ? 'a' : undefined }}", undefined],
	])('is meant with %s', async (_, expression, product) => {
		const nodes = [text({ prompt: 'a', systemPrompt: expression }), task({ sessionId: expression })];
		for (const node of nodes) expect((await execute(node, rows(product))).error).toBeUndefined();
		expect(gateway.charges()).toBe(2);
	});

	it.each(OPTIONAL)('has a hint where it is null in another item: *%s*', async (label, node) => {
		const execution = await execute(node, rows(undefined, null));
		const where = 'in 1 of 2 items (first: item 0)';
		expect(execution.hints()).toContain(`{{ $json.product }} in '${label}' is empty ${where}.`);
		expect([execution.error, gateway.charges()]).toStrictEqual([undefined, 2]);
	});
});

describe.each<[string, (value: string) => StoryNode, valid?: unknown]>([
	['Idempotency Key', (idempotencyKey) => task({ idempotencyKey }), 'a'],
	['Callback URL', (callbackUrl) => task({ callbackUrl }), 'https://n8n.example.com/webhook/a'],
	['Max Price (₽)', (maxPriceRub) => task({ maxPriceRub })],
	['Max Cost per Execution (₽)', (maxCostRub) => task({ maxCostRub })],
	['Max Cost per Execution (₽)', (maxCostRub) => text({ prompt: 'a', options: { maxCostRub } })],
	['Max Tokens', (maxTokens) => text({ prompt: 'a', options: { maxTokens } })],
	[
		'Max Calls of Built-In Tools',
		(maxToolCalls) => text({ prompt: 'a', format: 'responses', options: { builtIn: { maxToolCalls } } }),
	],
	[
		'Reasoning Max Tokens',
		(reasoningMaxTokens) => text({ prompt: 'a', options: { reasoning: { reasoningMaxTokens } } }),
	],
])('*%s*', (label, nodeWith, valid = 100) => {
	it.each([
		['undefined', undefined],
		['null', null],
		['empty', ''],
	])('is not %s in one of three items, by hand or published: nothing is sent', async (_, nothing) => {
		const items = [valid, nothing, valid].map((limit) => ({ json: limit === undefined ? {} : { limit } }));
		for (const isPublished of [false, true]) {
			const { errorText } = await execute(nodeWith('={{ $json.limit }}'), items, { isPublished });
			expect(errorText).toContain(`'${label}'`);
			expect(errorText).toContain('Nothing was sent.');
		}
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});
});

it.each([
	['a part', '=order-{{ $json.product }}'],
	['one of two parts', '={{ $json.id }}-{{ $json.product }}'],
	['a part that is joined', "={{ 'order-' + $json.product }}"],
	['a part of a template', '={{ `order-${$json.product}` }}'],
])('*Idempotency Key* that lacks %s in one of two items: nothing is sent', async (_, idempotencyKey) => {
	for (const missing of [undefined, null]) {
		const { errorText } = await execute(task({ idempotencyKey }), rows('lamp', missing));
		expect(errorText).toMatch(/An expression is empty: .*product.* in 'Idempotency Key'.*Nothing was sent/s);
	}
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
	['braces behind a backslash', '=What is \\{{ product }} in {{ $json.id }}?', 'a'],
])('the word "undefined" of %s is sent', async (_, prompt, product) => {
	expect((await execute(text({ prompt }), rows(product))).error).toBeUndefined();
});

/**
 * Reads a prompt for items with these fields, and returns what is wrong with it.
 *
 * @param evaluate what n8n evaluates
 * @param value what n8n makes of the prompt
 */
async function problemOf(
	prompt: string,
	evaluate: (expression: string, index: number) => unknown,
	{ items = [{}], value = 'A ' } = {},
) {
	const context = {
		evaluateExpression: (expression: string, index: number) => evaluate(expression, index) as never,
		getInputData: () => items.map((json) => ({ json })),
		getMode: () => 'manual' as const,
		getNode: (): INode => ({
			id: '1',
			name: 'Gateway',
			type: 'gateway',
			typeVersion: 1,
			position: [0, 0],
			parameters: { prompt },
		}),
		getNodeParameter: () => value,
		getParentNodes: () => ['Describe', "Ann's rows"].map((name) => ({ name })) as never,
	};
	const parameters = new NodeParameters(context);
	for (const index of items.keys()) parameters.read({ prompt: words({ displayName: 'Prompt' }) }, index);
	const pause = async () => await Promise.resolve();
	return await parameters.emptyExpressions.undefinedInAll(context, () => true, pause);
}

describe('a field that is not there', () => {
	/** What the error says for an item with these fields, where the node *Ann's rows* before the last has any field. */
	async function advice(expression: string, json = {}): Promise<string | undefined> {
		const found = "$('Ann\\'s rows').item.json";
		const evaluate = (asked: string) => (asked.includes(found) ? 'lamp' : undefined);
		return (await problemOf(`=A ${expression}`, evaluate, { items: [json] }))?.description;
	}

	it.each([
		['{{ $json.product }}', "{{ $('Ann\\'s rows').item.json.product }}"],
		['{{ $json["product name"] }}', `{{ $('Ann\\'s rows').item.json["product name"] }}`],
	])('is read from the earlier node that has it, whatever their names: %s', async (expression, earlier) => {
		expect(await advice(expression)).toContain(`For a field of an earlier node: ${earlier}.`);
	});

	it('has up to 20 others listed', async () => {
		const names = Array.from({ length: 23 }, (_, n) => `f${n}`);
		const json = Object.fromEntries(names.map((name) => [name, 1]));
		const listed = names.slice(0, 20).join(', ');
		expect(await advice('{{ $json.product }}', json)).toContain(`The input has ${listed} and 3 others.`);
	});
});

it.each([
	["{{ $fromAI('style', '', 'string') }}", false],
	["{{ $fromai('style', '', 'string') }}", false],
	['{{ $json.style }}', true],
])('%s that a model leaves out of the call of a tool is refused: %s', async (expression, isRefused) => {
	const evaluate = jest.fn(() => undefined);
	expect((await problemOf(`=A ${expression}`, evaluate)) !== undefined).toBe(isRefused);
	expect(evaluate).toHaveBeenCalledTimes(isRefused ? 3 : 0);
});

it('an object that a model gives in place of a text is an error, and n8n does not evaluate it again', async () => {
	const evaluate = jest.fn(() => undefined);
	const read = problemOf("=A {{ $fromAI('style') }}!", evaluate, { value: 'A [object Object]!' });
	await expect(read).rejects.toThrow("'Prompt' has an object in place of a text: {{ $fromAI('style') }}");
	expect(evaluate).not.toHaveBeenCalled();
});

describe('n8n evaluates', () => {
	const items: Array<{ a?: number; b?: number }> = [{}, { b: 1 }, { a: 1, b: 1 }, { a: 1, b: 1 }];
	const evaluations = async (prompt: string, value: string | undefined) => {
		const asked: string[] = [];
		const evaluate = (expression: string, index: number) => {
			asked.push(`${expression.slice(3, 4)} of item ${index}`);
			return expression.includes('a') ? items[index]?.a : items[index]?.b;
		};
		expect(await problemOf(prompt, evaluate, { items, value })).toBeUndefined();
		return asked;
	};

	it('each expression of a text, item by item until one has a value', async () => {
		expect(await evaluations('={{ a }} and {{ b }}', '1 and 1')).toStrictEqual([
			'a of item 0',
			'a of item 1',
			'a of item 2',
			'b of item 0',
			'b of item 1',
		]);
	});

	it.each([
		['is a whole text with a value', '={{ a }}', '1'],
		['makes its text longer', '=A {{ a }}', 'A 1'],
	])('no expression that %s', async (_, prompt, value) => {
		expect(await evaluations(prompt, value)).toStrictEqual([]);
	});
});
