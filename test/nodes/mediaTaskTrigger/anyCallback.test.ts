import { createHash } from 'node:crypto';

import fc from 'fast-check';
import nock from 'nock';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import type { IncomingRequest } from '../../helpers/contexts';
import { envelope } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { callbackContext, freshTask, sendCallback, task, type CallbackOptions } from './support';

// Whatever a callback contains, the webhook responds, and no failing execution starts.

useNock();

const parameters = { downloadResults: false, options: { includeCallback: true } };

/** Sends a callback; returns the status of the response and whether the workflow starts. */
async function outcomeOf(request: IncomingRequest, options: CallbackOptions = {}) {
	const { context, response } = callbackContext(parameters, request, options);
	const result = await new MediaTaskTrigger().webhook.call(context);
	const item = result.workflowData?.[0]?.[0];
	return { status: response.find((value) => typeof value === 'number'), result, item };
}

/** A value nested in this many lists. */
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as object;

it.each<[string, () => object]>([
	['a list of 150,000 objects', () => Array.from({ length: 150_000 }, () => ({}))],
	[
		'an object of 150,000 objects',
		() => Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`k${index}`, {}])),
	],
	['150,000 lists', () => Array.from({ length: 150_000 }, () => [{}])],
	['500,000 lists within lists', () => nested(500_000)],
	['10 MB of text', () => ({ taskId: 'x'.repeat(10_000_000) })],
])('%s as a body get status 400', async (_, make) => {
	const { status, result } = await outcomeOf({ body: make() });
	expect([status, result]).toStrictEqual([400, { noWebhookResponse: true }]);
});

it('any callback gets status 200, 400 or 429, and starts nothing', async () => {
	nock('https://gateway.test').persist().get(/./).optionally().reply(404, envelope(null, 404));
	const key = fc.oneof(fc.constantFrom('taskId', 'id', 'data', '__proto__', 'toString'), fc.string());
	const value = fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue()));
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(value, fc.constantFrom(undefined, null)),
			fc.dictionary(key, value),
			fc.dictionary(fc.string(), fc.string()),
			fc.option(fc.string(), { nil: undefined }),
			async (body, query, headers, ip) => {
				const request = { body, query, headers } as IncomingRequest;
				const nodeId = createHash('sha256')
					.update(JSON.stringify([body, query]))
					.digest('hex');
				const { status, result } = await outcomeOf(request, { nodeId, ...(ip === undefined ? {} : { ip }) });
				expect([200, 400, 429]).toContain(status);
				expect(result).toStrictEqual({ noWebhookResponse: true });
			},
		),
		{ numRuns: 200 },
	);
});

it.each(['getBodyData', 'getQueryData', 'getRequestObject', 'getNode', 'getMode'] as const)(
	'leaves the response to n8n when %s throws',
	async (name) => {
		const { context, response } = callbackContext(parameters, { body: { taskId: freshTask() } });
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		Object.assign(context, {
			[name]: () => {
				throw new RangeError('Maximum call stack size exceeded');
			},
		});
		expect(await new MediaTaskTrigger().webhook.call(context)).toStrictEqual({});
		expect([response, warn.mock.calls.length]).toStrictEqual([[], 1]);
		warn.mockRestore();
	},
);

it('starts nothing when the response cannot be sent', async () => {
	const options = {
		nodeId: 'without a response',
		onResponse: () => {
			throw new Error('write after end');
		},
	};
	const { result, warnings } = await sendCallback(parameters, { body: { taskId: freshTask() } }, options);
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect(warnings).toBe(1);
});

describe('a body that n8n has not parsed, because it does not know its media type,', () => {
	/** Sends a callback with a body that n8n reads only when it is asked to. */
	async function outcomeOfUnparsed(rawBody: Buffer, body: unknown) {
		const { context, response } = callbackContext(parameters, { body });
		const request = context.getRequestObject() as object;
		const readRawBody = async () => await Promise.resolve(void Object.assign(request, { rawBody }));
		Object.assign(request, { readRawBody });
		const result = await new MediaTaskTrigger().webhook.call(context);
		return { item: result.workflowData?.[0]?.[0], response };
	}

	it.each([undefined, null, {}])('starts the workflow when it is JSON (n8n has %j)', async (body) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const bytes = Buffer.from(`\ufeff{"data":{"taskId":"${taskId}","state":"success"}}`);
		const { item } = await outcomeOfUnparsed(bytes, body);
		expect(item?.json).toMatchObject({ taskId, callback: { body: { data: { taskId } } } });
	});

	it.each([
		['empty', Buffer.alloc(0)],
		['not JSON', Buffer.from([0xff, 0xfe, 0x00])],
		['larger than 256 KiB', Buffer.from(JSON.stringify({ taskId: 'a', rest: 'x'.repeat(256 * 1024) }))],
	])('gets status 400 when it is %s', async (_, bytes) => {
		const { item, response } = await outcomeOfUnparsed(bytes, undefined);
		expect([item, response]).toStrictEqual([undefined, [400, { message: 'The call names no media task' }]]);
	});

	it('leaves the response to n8n when it cannot be read', async () => {
		const { context, response } = callbackContext(parameters, { body: undefined });
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		const readRawBody = async () => await Promise.reject(new Error('request aborted'));
		Object.assign(context.getRequestObject(), { readRawBody });
		expect(await new MediaTaskTrigger().webhook.call(context)).toStrictEqual({});
		expect([response, warn.mock.calls.length]).toStrictEqual([[], 1]);
		warn.mockRestore();
	});
});

it('the names of a large body, of which there may be millions, are not listed', async () => {
	const ownKeys = jest.fn(() => []);
	const request = { body: new Proxy({}, { ownKeys }) };
	const { status } = await outcomeOf(request, { rawBody: Buffer.alloc(256 * 1024 + 1) });
	expect([status, ownKeys.mock.calls.length]).toStrictEqual([400, 0]);
});

describe('a body that n8n cannot store is left out of the output', () => {
	it.each<[string, object, Buffer | undefined, Record<string, string>, boolean]>([
		['with 100 levels', nested(100), undefined, {}, true],
		['with 101 levels', nested(101), undefined, {}, false],
		['with 10,000 levels', nested(10_000), undefined, {}, false],
		['of 256 KiB', [], Buffer.alloc(256 * 1024), {}, true],
		['of more than 256 KiB', [], Buffer.alloc(256 * 1024 + 1), {}, false],
		['of more than 256 KiB by its header', [], undefined, { 'content-length': '262145' }, false],
		['of unknown length', [], undefined, { 'transfer-encoding': 'chunked' }, false],
		[
			'of unknown length, compressed',
			[],
			undefined,
			{ 'content-encoding': 'gzip', 'content-length': '9' },
			false,
		],
	])('%s', async (_, body, rawBody, headers, isKept) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const request = { body, query: { taskId }, headers };
		const { item } = await outcomeOf(request, rawBody ? { rawBody } : {});
		expect(item?.json.callback).toStrictEqual({ body: isKept ? body : null, query: { taskId }, headers });
	});
});
