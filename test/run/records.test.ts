import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	ApiError,
	InvalidInputError,
	StoppedError,
	type ApiErrorDetails,
} from '../../nodes/shared/gateway/errors/errors';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import { Records } from '../../nodes/shared/run/charge/records';

// What is known of the items of a node, in its later tries.

const OUTPUTS: INodeExecutionData[] = [{ json: { text: 'a' } }];
const ACCOUNT = 'account';

interface Try {
	executionId?: string;
	run?: string;
	nodeId?: string;
	parameters?: object;
	/** The token of the execution, which its retries share. */
	token?: string;
	redactionPolicy?: string;
	/** The stored files that are still there. */
	files?: string[];
}

/** Begins tries of a node, between which n8n stores its context. */
function newNode() {
	let store: Record<string, unknown> = {};
	const begin = (options: Try = {}): Records => {
		const {
			executionId = 'e1',
			run = '0',
			nodeId = 'n1',
			parameters = {},
			token = 't',
			files = [],
		} = options;
		store = JSON.parse(JSON.stringify(store)) as typeof store;
		const context = {
			getContext: () => store,
			getNode: () => ({ id: nodeId, parameters }),
			getExecutionId: () => executionId,
			getWorkflowDataProxy: () => ({
				$execution: { resumeUrl: `https://n8n.test/${executionId}?token=${token}` },
			}),
			getWorkflowSettings: () => ({ redactionPolicy: options.redactionPolicy }),
			helpers: {
				getBinaryMetadata: async (id: string) =>
					await (files.includes(id) ? Promise.resolve({}) : Promise.reject(new Error('no such file'))),
			},
		};
		return new Records(context as unknown as IExecuteFunctions, run);
	};
	return begin;
}

const details: ApiErrorDetails = { message: 'no', description: 'why', outcome: 'rejected', retryable: true };
const REFUSED = new ApiError(details);
const LOST = new ApiError({ ...details, outcome: 'unknown' });
const FAILED = new ApiError({ ...details, outcome: 'unknown', taskId: 't1', extra: { state: 'fail' } });

const text = (records: Records) => records.sent(0, ACCOUNT, undefined);
const creation = (records: Records) => records.sent(0, ACCOUNT, records.key(0));
const task = (records: Records) =>
	Object.assign(creation(records), { state: 'charged', taskId: 't1', response: { code: 201 }, costRub: '6' });

/** What is known, without the values. */
function known(record: ItemRecord | undefined): string {
	if (!record) return 'nothing';
	const { state, account, response, ...more } = record;
	expect(account ?? ACCOUNT).toBe(ACCOUNT);
	expect(response === undefined).toBe(more.taskId === undefined);
	return [state, ...Object.keys(more).sort()].join(' ');
}

type Made = (records: Records) => unknown;
describe.each<[string, Made, again: string, retried: string, otherOutput: string]>([
	['a free result', (all) => all.done(0, OUTPUTS), 'done outputs', 'done isBefore outputs', 'nothing'],
	['a text', (all) => [text(all), all.done(0, OUTPUTS)], 'done outputs', 'done isBefore outputs', 'nothing'],
	['a text that was refused', (all) => [text(all), all.failed(0, REFUSED)], 'nothing', 'nothing', 'nothing'],
	['a text in flight', text, 'sent', 'nothing', 'nothing'],
	['a lost text', (all) => [text(all), all.failed(0, LOST)], 'unknown error', 'nothing', 'nothing'],
	['a creation in flight', creation, 'sent key', 'sent isBefore key', 'sent isBefore key'],
	[
		'a lost creation',
		(all) => [creation(all), all.failed(0, LOST)],
		'unknown error key',
		'unknown error isBefore key',
		'unknown error isBefore key',
	],
	[
		'a task',
		task,
		'charged costRub key taskId',
		'charged isBefore key taskId',
		'charged isBefore key taskId',
	],
	[
		'a task that has ended',
		(all) => [task(all), all.done(0, OUTPUTS)],
		'done costRub key outputs taskId',
		'done isBefore key outputs taskId',
		'charged isBefore key taskId',
	],
	[
		'a task that has failed',
		(all) => [task(all), all.failed(0, FAILED)],
		'charged costRub error key taskId',
		'failed failedTask',
		'failed failedTask',
	],
])('after %s', (_, make, again, retried, otherOutput) => {
	it.each<[string, string, Try]>([
		['Retry On Fail', again, {}],
		['a retry of the execution', retried, { executionId: 'e2' }],
		['one with another output', otherOutput, { executionId: 'e2', parameters: { simplify: false } }],
		['one of an edited node', 'nothing', { executionId: 'e2', parameters: { prompt: 'b' } }],
		['another run', 'nothing', { run: '1' }],
	])('%s knows: %s', (_try, expected, options) => {
		const begin = newNode();
		make(begin());
		expect(known(begin(options).get(0))).toBe(expected);
	});
});

it.each<[string, Try]>([
	['execution', { token: 'other' }],
	['node', { nodeId: 'n2' }],
	['run', { run: '1' }],
	['prompt', { parameters: { prompt: 'b' } }],
])('the idempotency key of an item is different for another %s', (_, other) => {
	expect(newNode()(other).key(0)).not.toBe(newNode()().key(0));
});

describe('outputs', () => {
	const sized = (size: number): INodeExecutionData[] => [{ json: { text: 'x'.repeat(size - 20) } }];
	const MIB = 1024 * 1024;

	it('are kept up to 16 MB of a node; the others are known to have succeeded', async () => {
		const begin = newNode();
		for (const [index, size] of [9, 8, 6].entries()) begin().done(index, sized(size * MIB));
		const kept = await Promise.all([0, 1, 2].map(async (index) => await begin().outputs(index)));
		expect(kept.map((outputs) => outputs !== undefined)).toStrictEqual([true, false, true]);
		expect(begin().get(1)).toStrictEqual({ state: 'done' });
	});

	it('are not kept where n8n redacts them', () => {
		const begin = newNode();
		begin({ redactionPolicy: 'all' }).done(0, OUTPUTS);
		expect(begin().get(0)).toStrictEqual({ state: 'done' });
	});

	it.each<[string, Try, boolean]>([
		['a retry takes them with their files', { executionId: 'e2', files: ['f1', 'f2'] }, true],
		['a retry does not take them when n8n has deleted a file', { executionId: 'e2', files: ['f1'] }, false],
		['Retry On Fail does not look for files', {}, true],
	])('%s', async (_, options, areTaken) => {
		const begin = newNode();
		const file = (id?: string) => ({ data: '', mimeType: 'image/png', ...(id && { id }) });
		const outputs = [{ json: {}, binary: { a: file('f1'), b: file('f2'), inMemory: file() } }];
		begin().done(0, outputs);
		expect(await begin(options).outputs(0)).toStrictEqual(areTaken ? outputs : undefined);
	});
});

describe('the error of an item', () => {
	const inFlight = new StoppedError('other item failed', 'unknown');
	const invalid = new InvalidInputError('no', '');

	it.each<[string, Made, error: Error, told: object, record: string]>([
		['was not sent', () => undefined, invalid, invalid, 'nothing'],
		['was refused', text, REFUSED, details, 'nothing'],
		['was stopped before', text, new StoppedError('cancelled'), new StoppedError('cancelled'), 'nothing'],
		['was lost', text, LOST, LOST.details, 'unknown error'],
		['was stopped in flight', text, inFlight, inFlight, 'unknown error'],
		[
			'was lost, and invalid in the next try',
			(all) => [creation(all), all.failed(0, LOST)],
			invalid,
			{ outcome: 'unknown', kind: 'keyed', code: 'invalid_input' },
			'unknown error key',
		],
		[
			'was stopped in flight, and refused in the next try',
			(all) => [creation(all), all.failed(0, inFlight)],
			REFUSED,
			{ outcome: 'unknown', kind: 'keyed' },
			'unknown error key',
		],
		['has a task', task, LOST, { outcome: 'charged', taskId: 't1' }, 'charged costRub error key taskId'],
		['has a failed task', task, FAILED, FAILED.details, 'charged costRub error key taskId'],
		// An equal call of an agent, at the same time, has removed its record.
		['is no longer known', () => undefined, LOST, LOST.details, 'unknown error'],
	])('that %s', (_, make, error, told, record) => {
		const records = newNode()();
		make(records);
		const shown = records.failed(0, error);
		expect(shown instanceof ApiError ? shown.details : shown).toMatchObject(told);
		expect(known(records.get(0))).toBe(record);
	});
});

describe('the end', () => {
	it('of a tool keeps tasks, and what may be charged, without outputs', () => {
		const records = newNode()();
		records.done(1, OUTPUTS);
		records.put(2, { state: 'unknown', error: details });
		task(records);
		records.done(0, OUTPUTS);
		records.endTool();
		expect(records.others().map(([index, record]) => `${index} ${known(record)}`)).toStrictEqual([
			'0 done costRub key taskId',
			'2 unknown error',
		]);
	});

	it('knows what the run has cost, and what others have', () => {
		const records = newNode()();
		task(records);
		records.put(1, { state: 'done', costRub: '0.5' });
		expect([records.costRub, records.others(0).map(([index]) => index)]).toStrictEqual(['6.5', ['1']]);
	});
});
