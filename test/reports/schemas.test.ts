import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { TEXT_MODEL } from '../contract/support';
import { repository } from '../helpers/markdown';
import { locator } from '../helpers/values';
import { useReports } from './support';

// The output schema of an operation has all fields of its items: the editor offers them before the first run.

const { gateway, run } = useReports();

const json = (body: object) => ({ text: JSON.stringify(body), contentType: 'application/json' });
const respond = (path: string, body: object, nth = 1) =>
	gateway.control.addFault({
		match: { path, nth },
		action: { kind: 'raw', status: 200, body: json(body) },
		times: 0,
	});

function fieldsOf(schema: string): string[] {
	const text = readFileSync(resolve(repository, 'nodes', schema), 'utf8');
	return Object.keys((JSON.parse(text) as { properties: object }).properties);
}

const text = { resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Go' };
const annotation = { type: 'url_citation', url_citation: { url: 'https://example.com', title: 'A' } };
const message = { content: 'Hi', reasoning: 'Hm', refusal: 'No', annotations: [annotation] };
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost_rub: 0.5 };
const choice = { message, finish_reason: 'length' };
const chat = { id: 'c1', model: 'm', provider: 'p', choices: [choice, { ...choice, index: 1 }], usage };
const task = { taskId: 't1', model: 'm', createTime: 1, resultJson: '{"tracks":[{"id":"a"}],"seed":7}' };

const ROWS: Array<[string, Parameters<typeof run>[0], object, path: string, body: object, has: string[]]> = [
	[
		'TextGeneration/__schema__/v1.0.0/text/generate.json',
		'textGeneration',
		text,
		'/chat/completions',
		chat,
		['isComplete', 'refusal', 'sources', 'reasoning', 'provider', 'raw'],
	],
	[
		'TextGeneration/__schema__/v1.0.0/text/generate.json',
		'textGeneration',
		{ ...text, format: 'messages' },
		'/none',
		{},
		['costIsComputed'],
	],
	[
		'MediaTask/__schema__/v1.1.0/task/get.json',
		'mediaTask',
		{ resource: 'task', operation: 'get', taskId: 't1' },
		'/async/media/tasks/*',
		{ code: 200, msg: 'success', data: { ...task, state: 'fail', failCode: 'X', failMsg: 'No' } },
		['failCode', 'failMsg', 'result', 'tracks'],
	],
	[
		'MediaTask/__schema__/v1.1.0/task/wait.json',
		'mediaTask',
		{ resource: 'task', operation: 'wait', taskId: 't1', downloadResults: false, options: {} },
		'/async/media/tasks/*',
		{ code: 200, msg: 'success', data: { ...task, state: 'success' } },
		['result', 'tracks'],
	],
	[
		'Balance/__schema__/v1.0.0/balance/get.json',
		'balance',
		{ resource: 'balance', operation: 'get', options: { threshold: 5 } },
		'/balance',
		{ RUB: '10', USD: '0.1' },
		['amountUsd', 'lowBalance'],
	],
];

test.each(ROWS)('%s has the fields of items of %s', async (schema, node, parameters, path, body, has) => {
	respond(path, body);
	const { json: item } = await run(node, parameters);
	expect(Object.keys(item)).toStrictEqual(expect.arrayContaining(has));
	expect(fieldsOf(schema)).toStrictEqual(expect.arrayContaining(Object.keys(item)));
});

test('a text of a fallback model', async () => {
	gateway.control.addFault({
		match: { method: 'POST' },
		action: { kind: 'error', code: 'no_providers' },
		times: 4,
	});
	const options = { fallbackModels: 'sandbox/swift-1', maxRetries: 3 };
	const { json: item } = await run('textGeneration', { ...text, options });
	expect(item.fallbackFrom).toStrictEqual([TEXT_MODEL]);
	const fields = fieldsOf('TextGeneration/__schema__/v1.0.0/text/generate.json');
	expect(fields).toStrictEqual(expect.arrayContaining(Object.keys(item)));
});
