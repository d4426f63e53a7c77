import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import {
	ApiError,
	type ApiErrorDetails,
	InvalidInputError,
	StoppedError,
} from '../../nodes/shared/gateway/errors/errors';
import { simplify } from '../../nodes/shared/fields/results';
import type { Json } from '../../nodes/shared/gateway/util/json';
import { executionRoot, idempotencyKey, writtenDigest } from '../../nodes/shared/run/charge/keys';
import { Ledger, type LedgerContext } from '../../nodes/shared/run/charge/ledger';
import { checkKey, OwnKeys } from '../../nodes/shared/run/charge/ownKeys';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import { Records } from '../../nodes/shared/run/charge/records';
import { callerOf } from '../../nodes/shared/run/caller';
import { RunContext } from '../../nodes/shared/run/runContext';
import { scriptedClient, slots } from '../helpers/client';
import { invalidInput } from '../helpers/invalidInput';
import { form } from '../helpers/values';

// What is known of the items of a node, in its later tries.

const OUTPUTS: INodeExecutionData[] = [{ json: { text: 'a' } }];
const ACCOUNT = 'account';

interface Try {
	executionId?: string;
	run?: string;
	name?: string;
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
	const ledgers = new Map<string, Ledger>();
	const begin = (options: Try = {}) => {
		const {
			executionId = 'e1',
			run = '0',
			name = 'Gateway',
			parameters = {},
			token = 't',
			files = [],
		} = options;
		store = JSON.parse(JSON.stringify(store)) as typeof store;
		const context = {
			getContext: () => store,
			getNode: () => ({ name, parameters }),
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
		const ledger = new Ledger(context as unknown as LedgerContext, run);
		ledgers.set(run, ledger);
		return new Records(context as unknown as IExecuteFunctions, { simplify }, run, ledger);
	};
	/** That of the last try of the first run. */
	const ledger = () => ledgers.get('0') as Ledger;
	return Object.assign(begin, { ledger });
}

const details: ApiErrorDetails = {
	message: 'no',
	description: 'why',
	outcome: 'rejected',
	kind: 'charge',
	retryable: true,
};
const REFUSED = new ApiError(details);
const LOST = new ApiError({ ...details, outcome: 'unknown' });
const FAILED = new ApiError({ ...details, outcome: 'unknown', taskId: 't1', extra: { state: 'fail' } });

const CLIENT = { account: ACCOUNT, settings: { secrets: ['secret'] } } as unknown as GatewayClient;
const keyOf = (records: Records) => records.taskKey(0, undefined, CLIENT);
const text = (records: Records, index = 0) => records.sent(index, ACCOUNT, undefined);
const creation = (records: Records) => records.sent(0, ACCOUNT, keyOf(records));
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
describe.each<[string, Made, again: string, retried: string]>([
	['a free result', (all) => all.done(0, OUTPUTS), 'done outputs', 'done isBefore outputs'],
	['a text', (all) => [text(all), all.done(0, OUTPUTS)], 'done outputs', 'done isBefore outputs'],
	['a text that was refused', (all) => [text(all), all.failed(0, REFUSED)], 'nothing', 'nothing'],
	['a text in flight', text, 'sent', 'nothing'],
	['a lost text', (all) => [text(all), all.failed(0, LOST)], 'unknown error', 'nothing'],
	['a creation in flight', creation, 'sent key', 'unknown isBefore key'],
	[
		'a lost creation',
		(all) => [creation(all), all.failed(0, LOST)],
		'unknown error key',
		'unknown error isBefore key',
	],
	['a task', task, 'charged costRub key taskId', 'charged isBefore key taskId'],
	[
		'a task that has ended',
		(all) => [task(all), all.done(0, OUTPUTS)],
		'done costRub key outputs taskId',
		'done isBefore key outputs taskId',
	],
	[
		'a task that has failed',
		(all) => [task(all), all.failed(0, FAILED)],
		'charged costRub error key taskId',
		'nothing',
	],
])('after %s', (_, make, again, retried) => {
	it.each<[string, string, Try]>([
		['Retry On Fail', again, {}],
		['a retry of the execution', retried, { executionId: 'e2' }],
		['one with another output', retried, { executionId: 'e2', parameters: { simplify: false } }],
		['one of an edited node', 'nothing', { executionId: 'e2', parameters: { prompt: 'b' } }],
		['another run', 'nothing', { run: '1' }],
	])('%s knows: %s', (_try, expected, options) => {
		const begin = newNode();
		make(begin());
		expect(known(begin(options).get(0))).toBe(expected);
	});
});

describe('the idempotency key of an item', () => {
	const isSent = async (ledger: Ledger, key: string) =>
		await ledger.begin({ model: 'm', account: ACCOUNT, key }, { run: new RunSignal() });

	it('of a task that has failed is used up, in each retry, where n8n redacts what it stores, too', async () => {
		const begin = newNode();
		const keys: string[] = [];
		for (const executionId of ['e1', 'e2', 'e3']) {
			const records = begin({ redactionPolicy: 'all', executionId });
			const key = keyOf(records).ledger;
			Object.assign(creation(records), { taskId: 't1' });
			await isSent(begin.ledger(), key);
			begin.ledger().created(key, executionId);
			records.failed(0, FAILED);
			begin.ledger().taskFailed(executionId);
			keys.push(keyOf(records).sent);
		}
		expect(new Set(keys).size).toBe(3);
	});

	it.each<[string, taskId: string | undefined, string]>([
		['its task', 't1', 'charged isBefore key taskId'],
		['that it may exist', undefined, 'unknown isBefore key'],
	])('that an edited node has again finds %s, without the former output', async (_, taskId, expected) => {
		const begin = newNode();
		const records = begin();
		records.assignKey(0, 'a cat');
		await isSent(begin.ledger(), keyOf(records).ledger);
		if (taskId !== undefined) begin.ledger().created(keyOf(records).ledger, taskId);
		const edited = begin({ executionId: 'e2', parameters: { prompt: 'b' } });
		edited.assignKey(0, 'a cat');
		const { state, ...more } = edited.get(0) ?? { state: 'nothing' };
		expect([state, ...Object.keys(more).sort()].join(' ')).toBe(expected.replace(' ', ' account '));
		const refused = edited.failed(0, new InvalidInputError('no', ''));
		expect(refused).toMatchObject({ details: { outcome: taskId === undefined ? 'unknown' : 'charged' } });
	});

	describe('that is the user’s', () => {
		it.each([
			['is the same in each attempt', 'order 7', 'secret', 'order 7'],
			['is that of the lost creation, also if it evaluates to another one', 'order 8', 'secret', 'order 7'],
			['cannot be read with the API key of another account', 'order 8', 'other', 'order 8'],
		])('%s', (_, own, secret, expected) => {
			const begin = newNode();
			const client = { ...CLIENT, settings: { secrets: [secret] } } as unknown as GatewayClient;
			const records = begin();
			records.sent(0, ACCOUNT, records.taskKey(0, 'order 7', CLIENT));
			expect(begin().taskKey(0, own, client).sent).toBe(expected);
		});

		it('is not in what n8n stores, and not even encrypted when there is a task', () => {
			const records = newNode()();
			const taskKey = records.taskKey(0, 'order 7', CLIENT);
			records.sent(0, ACCOUNT, taskKey);
			expect(JSON.stringify(records.get(0))).not.toContain('order');
			records.created(0, taskKey, 't1', {});
			expect(Object.keys(records.get(0) ?? {}).sort()).toStrictEqual([
				'account',
				'key',
				'response',
				'state',
				'taskId',
			]);
		});
	});
});

describe('outputs', () => {
	const sized = (size: number): INodeExecutionData[] => [{ json: { text: 'x'.repeat(size - 20) } }];
	const MIB = 1024 * 1024;

	it('are kept where n8n redacts nothing', async () => {
		const begin = newNode();
		begin({ redactionPolicy: 'none' }).done(0, OUTPUTS);
		expect(await begin().outputs(0)).toStrictEqual(OUTPUTS);
	});

	it.each(['all', 'non-manual', 'manual-only'])(
		'are not kept, nor the text that an error has, where n8n redacts them: %s',
		(redactionPolicy) => {
			const begin = newNode();
			const records = begin({ redactionPolicy });
			records.done(0, OUTPUTS);
			text(records, 1);
			records.failed(1, new ApiError({ ...details, outcome: 'charged', extra: { text: 'a' } }));
			expect(begin().get(0)).toStrictEqual({ state: 'done' });
			expect(begin().get(1)?.error?.extra).toStrictEqual({});
		},
	);

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

	it('that have expired are replaced by those of the retry, also by some that are not stored', async () => {
		const begin = newNode();
		begin().done(0, [{ json: {} }, { json: { expiresAt: '2020-01-01T00:00:00Z' } }]);
		const retried = begin({ executionId: 'e2' });
		expect(await retried.outputs(0)).toBeUndefined();
		const large = sized(17 * MIB);
		retried.done(0, large);
		expect(await retried.outputs(0)).toBe(large);
	});
});

describe('the error of an item', () => {
	const inFlight = new StoppedError('other item failed', 'unknown');
	const invalid = new InvalidInputError('no', '');

	it.each<[string, Made, error: Error, told: object, record: string]>([
		['was not sent', () => undefined, invalid, invalid, 'nothing'],
		['has an expression that fails', () => undefined, new Error('no data'), new Error('no data'), 'nothing'],
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

	it('knows what others have', () => {
		const records = newNode()();
		task(records);
		records.put(1, { state: 'done', costRub: '0.5' });
		expect(records.others(0).map(([index]) => index)).toStrictEqual(['1']);
	});
});

const written = (parameters: object) => writtenDigest(parameters, {});

describe('a parameter is the same', () => {
	const locator = { __rl: true, mode: 'list', value: 'a', cachedResultName: 'A', cachedResultUrl: '' };
	const mapper = form({ size: 1 });

	it.each<[string, object, object]>([
		['if a model is chosen by its ID', { model: locator }, { model: { ...locator, mode: 'id' } }],
		['in any order', { prompt: 'a', model: 'b' }, { model: 'b', prompt: 'a' }],
		['when the editor opens a node without a form', {}, { input: form({}) }],
		['with an empty list of options', {}, { options: {} }],
	])('%s', (_, one, other) => {
		expect(written(other)).toStrictEqual(written(one));
	});

	it.each<[string, object, object]>([
		['with another model', { model: locator }, { model: { ...locator, value: 'b' } }],
		['with another value in a form', { input: mapper }, { input: form({ size: 2 }) }],
		['with another expression', { prompt: '={{ $json.a }}' }, { prompt: '={{ $json.b }}' }],
	])('but not %s', (_, one, other) => {
		expect(written(other)).not.toBe(written(one));
	});
});

describe('the root of an execution', () => {
	const rootOf = (resumeUrl?: string, store = {}) => executionRoot({ resumeUrl }, store);
	const URL_1 = 'https://n8n.test/webhook-waiting/1?signature=secret';

	it('is the same in its retries, which have another ID, and does not tell the token', () => {
		expect(rootOf(URL_1.replace('/1?', '/2?'))).toBe(rootOf(URL_1));
		expect(rootOf(URL_1)).toMatch(/^[0-9a-f]{64}$/);
		expect(rootOf(URL_1.replace('secret', 'other'))).not.toBe(rootOf(URL_1));
	});

	it.each([undefined, '', 'no URL', 'https://n8n.test/webhook-waiting/1'])(
		'is random without a token, and kept with the execution: %j',
		(url) => {
			const store = {};
			expect(rootOf(url, store)).toBe(rootOf(url, store));
			expect(rootOf(url)).not.toBe(rootOf(url, store));
		},
	);
});

it('an idempotency key (§4.6) is ASCII, and the same only for another order of fields', () => {
	const keys = [{ a: { b: 1, c: 'заказ' } }, { a: { c: 'заказ', b: 1 } }].map((parts) =>
		idempotencyKey(parts),
	);
	expect(keys[0]).toMatch(/^n8n-gw-[0-9a-f]{64}$/);
	expect(keys[1]).toBe(keys[0]);
	const others: Json[] = [['a', 'b'], ['b', 'a'], ['ab', ''], { a: null }, {}];
	expect(new Set(others.map(idempotencyKey)).size).toBe(others.length);
});

describe('a key of the user', () => {
	// report: of two items with one key and different plans, neither is sent.
	it.each<[string, Array<[key: string, content: string, account?: string]>, wrong: number[]]>([
		['no items', [], []],
		[
			'different plans',
			[
				['k', 'a'],
				['k', 'b'],
			],
			[0, 1],
		],
		[
			'equal plans',
			[
				['k', 'a'],
				['k', 'a'],
			],
			[],
		],
		[
			'different plans with different keys',
			[
				['k', 'a'],
				['l', 'b'],
			],
			[],
		],
		[
			'two equal plans and another one',
			[
				['k', 'a'],
				['l', 'c'],
				['k', 'a'],
				['k', 'b'],
			],
			[0, 2, 3],
		],
		[
			'two groups',
			[
				['k', 'a'],
				['l', 'a'],
				['l', 'b'],
				['k', 'b'],
				['m', 'a'],
			],
			[0, 1, 2, 3],
		],
		[
			'different accounts',
			[
				['k', 'a', 'x'],
				['k', 'b', 'y'],
			],
			[],
		],
		[
			'accounts of which one has both',
			[
				['k', 'a', 'x'],
				['k', 'b', 'y'],
				['k', 'c', 'x'],
			],
			[0, 2],
		],
		[
			'names that objects inherit',
			[
				['__proto__', 'a'],
				['__proto__', 'b'],
				['toString', 'a'],
			],
			[0, 1],
		],
	])('%s: the items that are refused', async (_, rows, wrong) => {
		const ownKeys = new OwnKeys({ get: () => undefined });
		for (const [index, [key, request]] of rows.entries()) ownKeys.note(index, { key, request });
		const read: number[] = [];
		const accountOf = async (index: number) => {
			read.push(index);
			return await Promise.resolve(rows[index]?.[2] ?? '');
		};
		expect(await ownKeys.inConflict(() => true, accountOf)).toStrictEqual(wrong);
		// Credentials are read for those only that would be wrong with one account.
		const keys = new Set(read.map((index) => rows[index]?.[0]));
		for (const key of keys)
			expect(new Set(rows.filter(([one]) => one === key).map(([, content]) => content)).size).toBeGreaterThan(
				1,
			);
	});

	it.each(['order-7:b', 'order 7', 'a  b', '!', '~', 'k'.repeat(255)])('is sent as typed: %j', (key) => {
		expect(() => checkKey(key)).not.toThrow();
	});

	it.each([
		' key',
		'key ',
		'a\tb',
		'a\nb',
		'key\n',
		'key\u007f',
		'é',
		'kеy',
		'заказ-А',
		'🙂',
		' ',
		'',
		'k'.repeat(256),
	])(
		'that HTTP clients would change, or that is too long, is refused, with the keys that are allowed: %j',
		(key) => {
			const { message, description, param } = invalidInput(() => checkKey(key));
			expect(message).toContain('cannot be sent as it is');
			expect(description).toMatch(/255 characters.*ASCII.*spaces/);
			expect(param).toBe('idempotencyKey');
		},
	);
});

// What is the same for all items of a run.

interface ContextOptions {
	executionId?: string;
	type?: string;
	isTool?: boolean;
	isStreaming?: boolean;
	runIndex?: number | undefined;
	inputs?: object[];
	/** The node's context, which lasts through the tries of an execution. */
	store?: Record<string, unknown>;
}

async function contextOf(options: ContextOptions = {}): Promise<RunContext> {
	const { executionId = 'e1', type = 'test.node', isTool = false, isStreaming = false } = options;
	const { inputs = [{}], store = {} } = options;
	const context = {
		getExecutionId: () => executionId,
		isToolExecution: () => isTool,
		isStreaming: () => isStreaming,
		sendChunk: () => undefined,
		getMode: () => 'manual',
		getNode: () => ({ id: 'n1', type, parameters: {} }),
		getWorkflowDataProxy: () => ({ $runIndex: options.runIndex, $execution: {} }),
		getInputData: () => inputs.map((json) => ({ json, binary: {} })),
		getContext: (type: string) => (type === 'node' ? store : {}),
	} as unknown as IExecuteFunctions;
	return new RunContext(context, {}, await callerOf(context, {}, true));
}

it('the tool of an AI Agent is the same run for the same input, whatever the run index', async () => {
	const store = {};
	const keyOf = async (runIndex: number, ...inputs: object[]) =>
		(await contextOf({ isTool: true, runIndex, inputs, store })).records.taskKey(0, undefined, CLIENT).sent;
	const key = await keyOf(0, { a: 1, b: { c: 2, d: 3 } });
	expect(await keyOf(1, { b: { d: 3, c: 2 }, a: 1 })).toBe(key);
	const others = [[{ a: 1 }], [{ a: 2, b: { c: 2, d: 3 } }], [{ a: 1, b: { c: 2, d: 3 } }, {}], []];
	for (const inputs of others) expect(await keyOf(0, ...inputs)).not.toBe(key);
});

describe.each(['textModels', 'mediaModels'] as const)('the catalogue of %s', (name) => {
	it('is waited for ten seconds, by all items together, where they can do without; the read goes on', async () => {
		let respond: () => void = () => undefined;
		const responds = new Promise<void>((resolve) => (respond = resolve));
		const slept: number[] = [];
		const dependencies = {
			slots: slots({ run: async (work) => await responds.then(work) }),
			sleep: async (milliseconds: number) => void slept.push(await Promise.resolve(milliseconds)),
		};
		const body = JSON.stringify({ data: [{ id: 'a', media_type: 'video' }] });
		const { client, sent } = scriptedClient([{ body }], {}, { dependencies });
		const models = (await contextOf())[name];
		const required = models.required(client, 'a');
		const both = [await models.known(client, 'a'), await models.known(client, 'a')];
		expect(both).toStrictEqual([undefined, undefined]);
		respond();
		expect([(await required)?.id, (await models.known(client, 'a'))?.id]).toStrictEqual(['a', 'a']);
		expect([slept, sent.length]).toStrictEqual([[10_000], 1]);
	});
});
