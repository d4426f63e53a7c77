import type { INodeExecutionData } from 'n8n-workflow';

import type { FaultRule, RequestRecord } from '../../sandbox/gateway/gateway';
import { TEXT_MODEL } from '../contract/support';
import { eventually } from '../helpers/time';
import { form, locator } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import { useReports } from './support';

// What an error says, and what it says to do.

const { gateway, run } = useReports();

type Node = ['textGeneration' | 'mediaTask' | 'storage' | 'balance', object];

const text = (parameters: object = {}): Node => [
	'textGeneration',
	{ resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Hello', ...parameters },
];
const image = (parameters: object = {}): Node => [
	'mediaTask',
	{
		resource: 'image',
		operation: 'generate',
		model: locator('aurora/canvas-1'),
		prompt: 'A cat',
		input: form({ quality: 'draft', size: '512x512' }),
		...parameters,
	},
];
const edit = image({
	operation: 'edit',
	model: locator('aurora/retouch-1'),
	input: form({}),
	inputFiles: { files: [{ inputField: 'image_urls' }] },
});
const task = (operation: string, parameters: object): Node => [
	'mediaTask',
	{ resource: 'task', operation, ...parameters },
];
const upload = (parameters: object = {}): Node => [
	'storage',
	{ resource: 'file', operation: 'upload', ...parameters },
];
const read = (source: object) =>
	text({ resource: 'document', operation: 'read', prompt: 'Sum it up', ...source });
const balance: Node = ['balance', { resource: 'balance', operation: 'get' }];
const JSON_INPUT = {
	model: locator('aurora/canvas-1'),
	inputMode: 'json',
	inputJson: '{ "prompt": "a cat", "quality": "draft", "size": "512x512" }',
};

const files = async (isThere = true): Promise<INodeExecutionData[]> => {
	const content = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
	const item = await withFiles({ name: 'data', content, mimeType: 'image/png', fileName: 'a.png' });
	const { data } = item.binary ?? {};
	if (data && !isThere) data.id = `${data.id}-gone`;
	return [item];
};
const gone = async () => await files(false);

const POST = { method: 'POST' };
const FILES = { host: 'files' } as const;
const POLLS = '/async/media/tasks/*';
const page = (status: number) => ({ kind: 'raw', status, body: 'html' }) as const;
const json = (body: object) =>
	({
		kind: 'raw',
		status: 200,
		body: { text: JSON.stringify(body), contentType: 'application/json' },
	}) as const;
const refusal = (message: string) => ({ kind: 'error', code: 'invalid_input', message }) as const;
/** The catalogue has a picture model with these fields, and these prices. */
const fields = (properties: object, tiers = [{ params: {}, price: '6.00' }]): FaultRule => {
	const pricing = { currency: 'RUB', type: 'tiered', tiers };
	const model = { id: 'aurora/canvas-1', object: 'model', media_type: 'image', pricing };
	const data = [{ ...model, input_schema: { properties } }];
	return { match: { path: '/media/models' }, action: json({ object: 'list', data }), times: 0 };
};

/** The gateway has this task. */
const task1 = (data: object): FaultRule => ({
	match: { path: POLLS },
	action: json({ code: 200, msg: 'success', data }),
	times: 0,
});
const NO_FILE: FaultRule = {
	match: { path: `${POLLS}/download` },
	action: { kind: 'error', code: 'not_found' },
};
/** The gateway responds with an error (§7.1). */
const openAi = (status: number, code: string, message: string, retryAfter?: number): FaultRule => ({
	match: { method: 'POST' },
	action: {
		...json({ error: { message, type: 'x', param: null, code } }),
		status,
		...(retryAfter === undefined ? {} : { retryAfter }),
	},
});
const media = (status: number, msg: string): FaultRule => ({
	match: { method: 'POST', path: '/async/media/tasks' },
	action: { ...json({ code: status, msg, data: null }), status },
});

/** An error of Messages (§7.1). */
const typed = (status: number): FaultRule => ({
	match: POST,
	action: { ...json({ type: 'error', error: { type: 'some_error', message: 'words' } }), status },
});
/** An error of the storage (§7.5). */
const stored = (status: number): FaultRule => ({
	match: POST,
	action: { ...json({ error: { message: 'words', type: 'invalid_request' } }), status },
});

const NO_FILE_IN_N8N =
	'Execute the node that returns it again: n8n has deleted it, or keeps it on another machine (queue mode, unless N8N_DEFAULT_BINARY_DATA_MODE is database or s3). Nothing was sent.';
const PAGE =
	'The link leads to a page, such as a sign-in page, or a proxy of this network responded. Nothing was sent.';
const FIELD =
	'The gateway did not accept the model or its input. Correct the field that it names. Each media model has its own fields: choose the model from the list again if unsure.';

interface Row {
	title: string;
	node: Node;
	items?: () => Promise<INodeExecutionData[]>;
	faults?: FaultRule[];
	message: string;
	/** A sentence of the description, or all of it. */
	description: string;
	/** What else the error item has. */
	error?: object;
	charges?: number;
	/** How long a task takes, in milliseconds. */
	duration?: number;
	/** What the description does not say. */
	not?: RegExp;
}

const FREE = 'This call was not charged.';
const UNSAID = 'The gateway did not say whether it charged this call: check the balance.';

/** An error (§7.1) under a status that is not that of its code (§7.3). */
const CODES: Array<[status: number, code: string, message: string, right: string, charge: string]> = [
	[429, 'insufficient_quota', 'There is not enough money in the gateway wallet', '402', FREE],
	[429, 'limit_exceeded', 'The limit of the gateway plan is used up', '422', FREE],
	[500, 'model_not_found', 'The gateway does not know this model', '404', UNSAID],
	[503, 'context_length_exceeded', 'The input is longer than the model can read', '400', UNSAID],
];

const ROWS: Row[] = [
	...CODES.map(([status, code, message, httpCode, description]) => ({
		title: `${code} as a ${status}, which is not sent again`,
		node: text(),
		faults: [
			{
				match: { ...POST, nth: 1 },
				action: { ...json({ error: { code, message: 'x', type: 'y', param: null } }), status },
			},
		],
		message,
		description,
		error: { httpCode, code, retryable: false },
	})),
	...(['chat', 'responses', 'messages'] as const).map((format) => ({
		title: `${format}: no money, as an event of a stream, which is not sent again`,
		node: text({ format, options: { stream: true } }),
		faults: [
			{
				match: { ...POST, nth: 1 },
				action: {
					kind: 'raw',
					status: 200,
					body: {
						text: 'data: {"type":"error","error":{"code":"insufficient_quota","message":"Empty"}}\n\n',
						contentType: 'text/event-stream',
					},
				} as const,
			},
		],
		message: 'There is not enough money in the gateway wallet',
		description:
			'Top up the wallet, then try again. A Gateway Balance Trigger can warn you in time. The gateway says: “Empty”.',
		error: { code: 'insufficient_quota', retryable: false },
	})),
	...[502, 503, 504, 520, 522, 524].map((status) => ({
		title: `a text after a ${status} of a proxy`,
		node: text(),
		faults: [{ match: POST, action: page(status) }],
		message: 'A server between n8n and the gateway responded in its place',
		description:
			'The call was not repeated, because it may have been charged: check the balance, then send this item again if you need its response.',
		error: { httpCode: String(status), mayBeCharged: true, retryable: false },
	})),
	...['Promo code already used', 'Session is busy'].map((words) => ({
		title: `a media task after 409 ${words}`,
		node: image(),
		faults: [media(409, words)],
		message: words,
		description:
			"The gateway refused the request because of a conflict. With 'Session ID', another request of the session may be running: use another session, or wait until its task has ended. A promo code may be used up: remove it. This call was not charged.",
		error: { httpCode: '409', code: 'conflict' },
	})),
	...(
		[
			['a media task', image(), media(402, 'No money'), '402', 'insufficient_quota', 'not enough money'],
			['a model of the plan', image(), media(403, 'Not on plan'), '403', 'forbidden', 'denied access'],
			['the input of a task', image(), media(422, 'seed: no'), '422', 'invalid_input', 'seed: no'],
			['Messages', text({ format: 'messages' }), typed(402), '402', 'insufficient_quota', 'not enough money'],
			['Messages', text({ format: 'messages' }), typed(403), '403', 'forbidden', 'denied access'],
			['Messages', text({ format: 'messages' }), typed(400), '400', 'invalid_request', 'words'],
			['an upload', upload(), stored(402), '402', 'insufficient_quota', 'not enough money'],
			['an upload', upload(), stored(400), '400', 'invalid_request', 'did not accept the file'],
		] as const
	).map(([title, node, fault, httpCode, code, message]) => ({
		title: `${title}: ${httpCode} in a format without a code has one`,
		node,
		items: files,
		faults: [fault],
		message,
		description: FREE,
		error: { httpCode, code, retryable: false },
	})),
	...(
		[
			['a task', task('get', { taskId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' })],
			['a file', ['storage', { resource: 'file', operation: 'get', fileId: 'none-1' }]],
		] as Array<[string, Node]>
	).map(([what, node]) => ({
		title: `${what} that the account does not have has a code`,
		node,
		message: 'The gateway has no such',
		description: 'belongs to another account',
		error: { httpCode: '404', code: 'not_found', retryable: false },
	})),
	...(['chat', 'responses', 'messages'] as const).map((format) => ({
		title: `${format}: an unknown model`,
		node: text({ format, model: locator('none/none-1') }),
		message: 'The gateway does not know this model',
		description: 'Choose the model again from the list: IDs change.',
		error: { httpCode: '404', code: 'model_not_found' },
		not: /previous/i,
	})),
	{
		title: 'an unknown previous response',
		node: text({ format: 'responses', options: { context: { previousResponseId: 'resp_none' } } }),
		faults: [openAi(404, 'model_not_found', 'No such response')],
		message: 'The gateway does not know this model or the previous response',
		description: "With 'Previous Response ID', that response may be unknown.",
		error: { httpCode: '404' },
	},
	...[{}, { maxTokens: 500 }].map((options) => ({
		title: `an input that is too large, with the options ${JSON.stringify(options)}`,
		node: text({ options }),
		faults: [openAi(422, 'content_too_large', '9000 + 4096 > 8192')],
		message: 'The input and the space reserved for the response do not fit the model’s context window',
		description:
			"Shorten the input, set the option 'Max Tokens' to no more than the response needs, or choose a model with a larger context window.",
		error: { httpCode: '422', code: 'content_too_large' },
		not: /lower/i,
	})),
	...['The model has no vision. It takes text.', 'logprobs is not supported by this model'].map((words) => ({
		title: `a refusal of the provider: ${words}`,
		node: text(),
		faults: [openAi(400, 'provider_bad_request', words)],
		message: words.replace(/\.$/, ''),
		description:
			'The provider of the model rejected the request. The model does not accept this input or one of the options. Correct what the provider names, or choose another model. This call was not charged.',
		error: { httpCode: '400', code: 'provider_bad_request' },
	})),
	...[false, true].map((stream) => ({
		title: `a JSON Schema that the model does not have, with the option Stream ${stream}`,
		node: text({
			...{ outputFormat: 'jsonSchema', schemaName: 'a', jsonSchema: '{ "type": "object" }' },
			options: { stream },
		}),
		faults: [openAi(400, 'provider_bad_request', 'response_format is not supported')],
		message: 'response_format is not supported',
		description:
			"If the model does not support JSON Schema, set 'Output Format' to 'JSON Object', and describe the fields in the prompt. This call was not charged.",
		error: { httpCode: '400', code: 'provider_bad_request' },
	})),
	{
		title: 'Messages: a refusal',
		node: text({ format: 'messages' }),
		faults: [openAi(400, '', 'Your wallet is empty')],
		message: 'Your wallet is empty',
		description: 'The gateway did not accept the request. In the API format Messages,',
		error: { httpCode: '400' },
	},
	...(
		[
			['a text after a Retry-After of 25 hours', text(), 503, 90_000],
			['a text after a Retry-After of a month', text(), 503, 30 * 86_400],
			['a picture after a Retry-After of 25 hours', image(), 502, 90_000],
			['a text after a 429 with a Retry-After of 25 hours', text(), 429, 90_000],
		] as const
	).map(([title, node, status, retryAfter]) => ({
		title: `${title}, which is not sent again`,
		node,
		faults: [openAi(status, '', 'x', retryAfter)],
		message: status === 429 ? 'The gateway receives too many requests' : 'The provider of this model is not',
		description: 'The gateway asks to wait more than a day before the next try.',
		error: { retryable: true },
	})),
	...['', '{}'].flatMap((resultJson) =>
		[task('wait', { taskId: 't1' }), image()].map((node, isNew) => ({
			title: `a ${isNew ? 'new ' : ''}task that has ended with ${JSON.stringify(resultJson)} as its result`,
			node,
			faults: [NO_FILE, task1({ state: 'success', resultJson })],
			message: 'The gateway has no file of this media task',
			description:
				'The task has succeeded without a file or a result, or its files are deleted: the gateway keeps them for 7 days. If you have waited for it just now, ask the gateway’s support.',
			error: { retryable: false, ...(isNew ? { paid: true } : { taskId: 't1' }) },
			not: /'Get'|'Download'|'Wait'/,
			charges: isNew,
		})),
	),
	...(
		[
			['Not this one', 'MODERATION', 'Task t9 (code MODERATION): “Not this one”.'],
			['', 'TIMEOUT', 'Task t9 (code TIMEOUT): the gateway gives no reason.'],
			['Too long.', null, 'Task t9: “Too long.”'],
		] as const
	).map(([failMsg, failCode, reason]) => ({
		title: `a task that fails: ${reason}`,
		node: image(),
		faults: [
			{ match: { method: 'POST' }, action: { ...json({ data: { taskId: 't9' } }), afterEffect: true } },
			task1({ state: 'fail', failCode, failMsg }),
		],
		message: 'The media task failed',
		description: `${reason} Change the input or the model: in this run of the node, the item keeps its task; a loop back to the node, and a new execution, create another one. It may have been charged ₽1.80: check the balance.`,
		error: { taskId: 't9', state: 'fail', priceRub: 1.8, mayBeCharged: true },
		charges: 1,
	})),
	...[401, 402, 403, 407].flatMap((status) =>
		[text(), image(), balance, upload(), task('get', { taskId: 't1' })].map((node) => ({
			title: `${node[0]} after a page with ${status}, such as of a firewall`,
			node,
			items: files,
			faults: [{ match: {}, action: page(status), times: 0 }],
			message: 'A server between n8n and the gateway responded in its place',
			description: 'A proxy, a firewall or a load balancer probably sent the response.',
			error: { httpCode: String(status), code: 'unreadable_answer', retryable: false },
			not: /plan|wallet|revoked/,
		})),
	),
	{
		title: 'a text after a 403 in a format that the gateway does not have',
		node: text(),
		faults: [{ match: POST, action: { ...json({ message: 'Forbidden' }), status: 403 } }],
		message: 'A server between n8n and the gateway responded in its place',
		description: 'It says: “Forbidden”. This call was not charged.',
		error: { httpCode: '403', retryable: false },
	},
	{
		title: 'a text whose response is lost',
		node: text(),
		faults: [{ match: POST, action: { kind: 'loseResponse' } }],
		message: 'The connection broke before the gateway responded',
		description: 'check the balance, then send this item again if you need its response.',
		error: { mayBeCharged: true, retryable: false },
		charges: 1,
		not: /retry/i,
	},
	{
		title: 'a picture whose responses are lost',
		node: image(),
		faults: [{ match: POST, action: { kind: 'loseResponse' }, times: 0 }],
		message: 'The connection broke before the gateway responded',
		description:
			"The task may have been created and charged anyway. A new execution creates another one, unless 'Idempotency Key' is set.",
		error: { mayBeCharged: true, retryable: false },
		charges: 1,
		not: /retry/i,
	},
	{
		title: 'a picture whose file server is down',
		node: image(),
		faults: [{ match: FILES, action: page(503), times: 0 }],
		message: 'The server of the file responded with status 503',
		description: "is paid for: fetch its result with the operation 'Wait'.",
		error: { paid: true, retryable: false },
		charges: 1,
		not: /retry/i,
	},
	{
		title: 'a picture whose file is gone',
		node: image(),
		faults: [{ match: FILES, action: page(404) }],
		message: 'The file at this link no longer exists',
		description:
			"The operation 'Get' returns the URLs of all files of the task, 'Download' gets them from the gateway.",
		error: { paid: true, retryable: false },
		charges: 1,
		not: /'Wait'/,
	},
	{
		title: 'a task whose files have expired',
		node: task('download', { taskId: 't1' }),
		faults: [
			{ match: { path: `${POLLS}/download` }, action: { kind: 'error', code: 'not_found' } },
			{ match: { path: POLLS }, action: json({ code: 200, msg: 'success', data: { state: 'success' } }) },
		],
		message: 'The gateway has no file of this media task',
		description:
			"It keeps the files of a task for 7 days. The task may also have ended without a file, or not have ended yet: see its state with the operation 'Get'.",
	},
	{
		title: 'the download of a task that has failed with a part of its result',
		node: task('download', { taskId: 't1' }),
		faults: [NO_FILE, task1({ taskId: 't1', state: 'fail', failMsg: 'No', resultJson: '{"score": 1}' })],
		message: 'The media task failed',
		description: 'Task t1: “No”.',
		error: { state: 'fail' },
	},
	{
		title: 'a task that cannot be polled at the end of *Max Wait*',
		node: image({ options: { maxWait: 0.5 } }),
		faults: [{ match: { path: POLLS, nth: 3 }, action: { kind: 'error', code: 'internal_error' }, times: 0 }],
		message: 'The media task did not finish within the maximum wait',
		description:
			"after 30 seconds. It continues at the gateway: get its result later with its ID, and raise the option 'Max Wait (Minutes)' for such tasks.",
		error: { state: 'waiting', paid: true, code: 'wait_timeout' },
		duration: 10_000_000,
		charges: 1,
	},
	{
		title: 'a page at the URL of a document',
		node: read({ source: 'url', url: '={{ $json.url }}' }),
		faults: [{ match: FILES, action: page(200) }],
		message: 'the file could not be fetched from its URL',
		description: `The server returned a web page instead of the file. ${PAGE}`,
	},
	{
		title: 'a page at the URL of an upload',
		node: upload({ uploadSource: 'url', url: '={{ $json.url }}' }),
		faults: [{ match: FILES, action: page(200) }],
		message: 'The server returned a web page instead of the file',
		description: PAGE,
	},
	{
		title: 'a URL of a document at which nothing is',
		node: read({ source: 'url', url: '={{ $json.url }}' }),
		faults: [{ match: FILES, action: page(404) }],
		message: 'the file could not be fetched from its URL',
		description:
			'The server responded with status 404. Check the URL: it must be readable without signing in. Nothing was sent.',
	},
	...(
		[
			['an upload', upload()],
			['a document', read({})],
			['a picture to edit', edit],
		] as Array<[string, Node]>
	).map(([what, node]) => ({
		title: `${what} that n8n no longer has`,
		node,
		items: gone,
		message: 'n8n cannot read the file "a.png": File not found',
		description: NO_FILE_IN_N8N,
	})),
	{
		title: 'a task in a session that the account does not have',
		node: task('create', { ...JSON_INPUT, options: { sessionId: 'none' } }),
		message: 'The gateway does not know the model or the session of the task',
		description: "'Session ID'",
		error: { httpCode: '404' },
		not: /task ID/i,
	},
	{
		title: 'the refusal of a prompt, where the model has a field like top-p',
		node: image({ input: form({ 'top-p': 1 }) }),
		faults: [
			fields({ 'top-p': {}, prompt: { type: 'string' } }),
			{ match: POST, action: refusal('input.prompt is too long') },
		],
		message: "'Prompt': input.prompt is too long",
		description: `${FIELD} This call was not charged.`,
		error: { httpCode: '422' },
	},
	...(['task', 'file'] as const).map((resource) => ({
		title: `a gateway without a list: ${resource}`,
		node: [resource === 'task' ? 'mediaTask' : 'storage', { resource, operation: 'getMany' }] as Node,
		faults: [
			{ match: { method: 'GET' }, action: { ...json({ code: 404, msg: 'x', data: null }), status: 404 } },
		],
		message: 'The gateway does not offer this list',
		description: "Keep the IDs that 'Create' and 'Upload' return.",
		error: { httpCode: '404' },
	})),
	...[{}, { dryRun: true }].map((options) => ({
		title: `a picture without a price under *Max Cost per Execution*, with ${JSON.stringify(options)}`,
		node: image({ options: { ...options, maxCostRub: 100 } }),
		faults: [fields({ prompt: { type: 'string' } }, [])],
		message: "The price of the task is unknown, so 'Max Cost per Execution (₽)' cannot be kept",
		description: 'The catalogue has no price per task in rubles for this model.',
	})),
	{
		title: 'a video of a model that the gateway does not have',
		node: image({ resource: 'video', model: locator('none/none-1'), input: form({}) }),
		message: 'The gateway has no media model "none/none-1"',
		description: 'Choose the model again from the list: IDs change.',
		error: { param: 'model' },
	},
	{
		title: 'the refusal of a prompt that the model calls text',
		node: image({ input: form({}) }),
		faults: [
			fields({ text: { type: 'string' } }),
			{ match: POST, action: refusal('input.text is too long') },
		],
		message: "'Prompt': input.text is too long",
		description: `${FIELD} This call was not charged.`,
	},
	{
		title: 'the refusal of a task without a prompt',
		node: image({ prompt: '' }),
		faults: [{ match: POST, action: refusal('input.prompt: is required') }],
		message: "'Prompt': input.prompt: is required",
		description: `${FIELD} This call was not charged.`,
	},
	{
		title: 'a refusal that names two fields',
		node: image(),
		faults: [{ match: POST, action: refusal('seed is needed for this prompt') }],
		message: "'Seed': seed is needed for this prompt",
		description: `${FIELD} To enter it, use 'Add field to send'. This call was not charged.`,
	},
	{
		title: 'a list of pictures to edit with a missing one',
		node: image({
			operation: 'edit',
			model: locator('aurora/retouch-1'),
			input: form({ image_urls: '={{ [$json.url, $json.none] }}' }),
		}),
		message: "'Images': input.image_urls.1: must be string",
		description: `${FIELD} This call was not charged.`,
	},
	{
		title: 'the refusal of a file of *Input Files*',
		node: edit,
		items: files,
		faults: [
			{
				match: { method: 'POST', path: '/async/media/tasks' },
				action: refusal('image_urls[0]: is no image'),
			},
		],
		message: "'Images': image_urls[0]: is no image",
		description: `${FIELD} This call was not charged.`,
	},
];

test.each(ROWS)('$title', async (row) => {
	const { node, items, faults = [], message, description, error = {}, charges = 0, duration = 0, not } = row;
	gateway.control.configure({ taskDuration: { image: duration } });
	const { url } = gateway.control.createBigFile({ size: 2_000, mimeType: 'application/pdf' });
	for (const fault of faults) gateway.control.addFault(fault);
	const { json } = await run(...node, (await items?.()) ?? [{ json: { url } }]);
	expect(json.error).toMatchObject({
		message: expect.stringContaining(message) as string,
		description: expect.stringContaining(description) as string,
		...error,
	});
	expect((json.error as { description: string }).description).not.toMatch(not ?? /^$/);
	expect(gateway.charges()).toBe(charges);
});

const CREATION = { method: 'POST', path: '/async/media/tasks' };
const REPEATED: Array<[string, Node, FaultRule['match'], charges: number]> = [
	['a creation', image(), CREATION, 1],
	['a poll', image(), { path: POLLS }, 1],
	['the download of a result', image(), FILES, 1],
	['a read', balance, { path: '/balance' }, 0],
];

describe.each([200, 502, 520, 522, 524])('after a page with status %i of a proxy', (status) => {
	const rows = REPEATED.filter(([, , match]) => status !== 200 || match !== FILES);
	test.each(rows)('%s is sent again, which costs nothing', async (_, node, match = {}, charges) => {
		gateway.control.addFault({ match, action: page(status), times: 2 });
		const { json } = await run(...node);
		expect(json).not.toHaveProperty('error');
		const statuses = gateway.control.requests(match).map((request) => request.status);
		expect(statuses.slice(0, 2)).toStrictEqual([status, status]);
		expect(statuses.length).toBeGreaterThan(2);
		expect(gateway.charges()).toBe(charges);
	});
});

test('a *Callback URL* without https:// in the last item is found before anything is sent', async () => {
	const callbackUrl = '={{ $itemIndex ? "n8n.example.com/done" : "https://n8n.example.com/done" }}';
	const [node, parameters] = task('create', { ...JSON_INPUT, options: { callbackUrl } });
	const items = [{ json: {} }, { json: {} }];
	const { error } = await gateway.run({ node, parameters: { ...parameters }, items });
	expect(error?.message).toContain('"n8n.example.com/done" is no web address');
	expect(error?.context?.itemIndex).toBe(1);
	expect(gateway.control.requests(POST)).toStrictEqual([]);
});

// An error that nobody can read says nothing.
test.each<[string, Node, FaultRule['action'], RegExp]>([
	[
		'tasks',
		task('create', {
			...JSON_INPUT,
			inputJson: '={{ { "prompt": $json.prompt, quality: "draft", size: "512x512" } }}',
		}),
		{ kind: 'pass' },
		/99 other items cost .*also gets the results of tasks: [\w-]{36}(, [\w-]{36}){19}, and 79 more\.$/s,
	],
	[
		'texts whose outcome is unknown',
		text({ prompt: '={{ $json.prompt }}' }),
		{ kind: 'loseResponse' },
		/The outcome of items (\d+, ){20}and 78 more is unknown: they may have been charged\.$/,
	],
])('the error of a node with 99 other %s is short', async (_, [node, parameters], action, words) => {
	const isLast = ({ body }: RequestRecord) => JSON.stringify(body.json).includes('Number 99.');
	const others = gateway.control.hold({ which: isLast });
	gateway.control.addFault({ match: { which: isLast }, action: { kind: 'error', code: 'invalid_request' } });
	gateway.control.addFault({ match: POST, action, times: 0 });
	void eventually(() => gateway.charges() === 99).then(others.release, others.release);
	const items = Array.from({ length: 100 }, (__, n) => ({ json: { prompt: `Number ${n}.` } }));
	const options = { node, parameters: { ...parameters, options: { concurrency: 100 } }, items };
	const { error } = await gateway.run(options);
	expect(error?.description).toMatch(words);
	expect(error?.description?.length).toBeLessThan(2_000);
	expect(gateway.charges()).toBe(99);
});
