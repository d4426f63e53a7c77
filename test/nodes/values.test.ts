import { type INode, type INodeParameters, Workflow } from 'n8n-workflow';
import nock from 'nock';

import { optionRows } from '../fixtures/spec/textOptions';
import { runNode, type RunOptions } from '../helpers/engine';
import { catalogue, model } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { type Field, fields, nodesByName, wrong } from '../helpers/panel';
import { form, locator } from '../helpers/values';

describe('numbers', () => {
	// The numbers that the panel accepts.

	const numbers = fields.filter(({ property: { type } }) => type === 'number');
	/** Fields that may be fractions: money, times, and options of texts. */
	const fractions = Object.values(optionRows)
		.flat()
		.filter(([, , kind]) => kind === 'number');
	const isFraction = (name: string) =>
		/^(threshold|maxPriceRub|maxCostRub|timeout|maxWait|rateLimitWait)$/.test(name) ||
		fractions.some(([option]) => option === name);

	/** Fields that may be negative: a wallet may be overdrawn, and §4.1 and §4.3 have no ranges for options of texts. */
	const NEGATIVE = /^(threshold|\w+Penalty|seed|temperature|topK|topP|reasoningMaxTokens)$/;

	it('finds the fields', () => {
		expect(numbers.length).toBeGreaterThan(50);
		const names = numbers.map(({ property: { name } }) => name);
		expect([names.some(isFraction), names.some((name) => NEGATIVE.test(name))]).toStrictEqual([true, true]);
	});

	const fits = (number: number, precision = 10) => Number(number.toFixed(precision)) === number;

	it.each<[string, (field: Field) => boolean]>([
		[
			'counts are whole numbers',
			({ property: { name, typeOptions } }) => (typeOptions?.numberPrecision === 0) !== isFraction(name),
		],
		[
			'every field has a minimum, unless it may be negative',
			({ property: { name, typeOptions } }) => typeOptions?.minValue !== undefined || NEGATIVE.test(name),
		],
		[
			'defaults are within range; they and minimums can be entered with the precision of their field',
			({ property: { default: value, typeOptions = {} } }) => {
				const { minValue, maxValue = Infinity, numberPrecision } = typeOptions;
				const number = Number(value);
				const isInRange = number >= (minValue ?? -Infinity) && number <= maxValue;
				return isInRange && fits(number, numberPrecision) && fits(minValue ?? 0, numberPrecision);
			},
		],
	])('%s', (_, isRight) => expect(wrong(numbers, isRight)).toStrictEqual([]));
});

describe('empty expressions', () => {
	// An expression that returns nothing is a mistake in the workflow: its parameter's default must not be sent, and
	// charged, in its place.

	useNock();

	const text = { model, prompt: 'x' };
	const media = { resource: 'task', operation: 'create', model, input: form({ prompt: 'x' }) };
	const upload = { resource: 'file', operation: 'upload' };

	const cases: Array<[RunOptions['node'], string, object]> = [
		['textGeneration', 'format', text],
		['textGeneration', 'inputMode', { ...text, messages: { message: [{ role: 'user', content: 'x' }] } }],
		['textGeneration', 'outputFormat', text],
		['textGeneration', 'schemaName', { ...text, outputFormat: 'jsonSchema', jsonSchema: '{}' }],
		['textGeneration', 'jsonSchema', { ...text, outputFormat: 'jsonSchema' }],
		['textGeneration', 'messagesJson', { ...text, inputMode: 'json' }],
		['mediaTask', 'model', media],
		['mediaTask', 'inputJson', { ...media, inputMode: 'json' }],
		['mediaTask', 'limit', { resource: 'model', operation: 'getMany' }],
		['mediaTask', 'sessionJson', { resource: 'session', operation: 'create' }],
		['mediaTask', 'taskId', { resource: 'task', operation: 'get' }],
		['storage', 'uploadSource', { ...upload, base64: 'QUJD' }],
		['storage', 'binaryPropertyName', upload],
		['storage', 'storagePolicy', { ...upload, uploadSource: 'base64', base64: 'QUJD' }],
		['storage', 'binaryPropertyName', { resource: 'file', operation: 'download', fileId: 'f1' }],
	];

	describe.each(['null', '""', 'undefined'])('an expression that returns %s', (nothing) => {
		it.each(cases)('%s %s is an error, and nothing is sent', async (node, name, parameters) => {
			catalogue();
			const sent: string[] = [];
			nock.emitter.on('no match', ({ method }: { method?: string }) => sent.push(method ?? 'request'));
			const { error, items } = await runNode({
				node,
				parameters: { ...parameters, [name]: `={{ ${nothing} }}` },
			});
			nock.emitter.removeAllListeners('no match');
			expect({ message: error?.message, items, sent }).toStrictEqual({
				message: expect.stringMatching(/'.+' (is empty|is not|has a value that is not allowed)/) as string,
				items: [],
				sent: [],
			});
		});
	});

	it.each([
		['maxPriceRub', 'null'],
		['maxPriceRub', '""'],
		['idempotencyKey', 'null'],
		['idempotencyKey', '" "'],
		['dryRun', 'null'],
		['dryRun', '""'],
	])(
		'the option %s, which protects money, is not dropped when its expression returns %s',
		async (name, nothing) => {
			catalogue();
			const options = { [name]: `={{ ${nothing} }}` };
			const task = {
				resource: 'task',
				operation: 'create',
				model,
				inputMode: 'json',
				inputJson: '{"prompt":"x"}',
			};
			const { error } = await runNode({ node: 'mediaTask', parameters: { ...task, options } });
			expect(error?.message).toMatch(
				/^(The option '.+' (is empty|has a value that is not allowed)|An expression is empty: )/,
			);
		},
	);

	it.each(['null', '""', 'undefined'])(
		'an option whose expression returns %s counts as not added',
		async (nothing) => {
			const body = { model: 'acme/painter', messages: [{ role: 'user', content: 'x' }] };
			nock('https://gateway.test')
				.post('/api/v1/chat/completions', body)
				.reply(200, { choices: [{ message: { content: 'y' }, finish_reason: 'stop' }] });
			const names = ['temperature', 'extraBody', 'stop', 'maxRetries', 'concurrency', 'timeout', 'stream'];
			const options = Object.fromEntries(names.map((name) => [name, `={{ ${nothing} }}`]));
			const { items, error } = await runNode({ node: 'textGeneration', parameters: { ...text, options } });
			expect([error, items[0]?.json.text]).toStrictEqual([undefined, 'y']);
		},
	);
});

// The subtitles of nodes on the canvas, evaluated as the editor does.

function subtitleOf(name: string, parameters: INodeParameters): unknown {
	const type = nodesByName[name];
	if (type === undefined) throw new Error(`There is no node ${name}`);
	const node: INode = { id: '1', name, type: name, typeVersion: 1, position: [0, 0], parameters };
	const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const stored = workflow.getNode(name);
	if (!stored) throw new Error('The node is missing');
	return workflow.expression.getSimpleParameterValue(stored, type.description.subtitle, 'internal', {});
}

test.each<[string, INodeParameters, string]>([
	['textGeneration', {}, 'Generate: Text'],
	['mediaTask', {}, 'Generate: Image'],
	['mediaTask', { resource: 'model', operation: 'getMany' }, 'Get Many: Model'],
	['mediaTask', { resource: 'image', operation: 'generate' }, 'Generate: Image'],
	['storage', {}, 'Upload: File'],
	['balance', {}, 'Get: Balance'],
	['mediaTaskTrigger', {}, 'Task Ended'],
	['mediaTaskTrigger', { events: 'fail' }, 'Task Failed'],
	['balanceTrigger', {}, 'Below ₽100'],
	['balanceTrigger', { fireOn: 'change' }, 'On Change'],
	['chatModel', { model: locator('vendor/model') }, 'vendor/model'],
])('%s with %j has the subtitle %s', (name, parameters, subtitle) => {
	expect(subtitleOf(name, parameters)).toBe(subtitle);
});
