import nock from 'nock';

import { runNode, type RunOptions } from '../helpers/engine';
import { catalogue, form, model } from '../helpers/media';
import { useNock } from '../helpers/nock';

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
		expect(error?.message).toMatch(/^The option '.+' (is empty|has a value that is not allowed)/);
	},
);

it.each(['null', '""'])('a row whose choice is %s is an error', async (nothing) => {
	const message = { role: `={{ ${nothing} }}`, content: 'x' };
	const { error } = await runNode({
		node: 'textGeneration',
		parameters: { model, inputMode: 'messages', messages: { message: [message] } },
	});
	expect(error?.message).toMatch(/'Messages', row 1: 'Role' has a value that is not allowed/);
});

it.each(['null', '""', 'undefined'])(
	'an option whose expression returns %s counts as not added',
	async (nothing) => {
		const body = { model: 'acme/painter', messages: [{ role: 'user', content: 'x' }] };
		nock('https://gateway.test')
			.post('/api/v1/chat/completions', body)
			.reply(200, { choices: [{ message: { content: 'y' }, finish_reason: 'stop' }] });
		const names = [
			'maxTokens',
			'temperature',
			'extraBody',
			'stop',
			'maxRetries',
			'concurrency',
			'timeout',
			'stream',
		];
		const options = Object.fromEntries(names.map((name) => [name, `={{ ${nothing} }}`]));
		const { items, error } = await runNode({ node: 'textGeneration', parameters: { ...text, options } });
		expect([error, items[0]?.json.text]).toStrictEqual([undefined, 'y']);
	},
);
