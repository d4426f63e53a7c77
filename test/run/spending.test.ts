import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { ApiError, asError, InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { charge, type Plan } from '../../nodes/shared/run/charge/charge';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import { Spending } from '../../nodes/shared/run/charge/spending';
import { invalidInput } from '../helpers/invalidInput';

// What the calls of an execution cost, and what limits them.

/** An execution: what n8n stores of it, and what it shows. */
class Execution {
	id = 'e1';
	contexts: Record<string, IDataObject> = {};
	readonly custom: Record<string, unknown> = {};
	readonly hints: Array<{ message: string }> = [];
	metadata: IDataObject = {};

	node(name = 'node') {
		const customData = { setAll: (values: object) => void Object.assign(this.custom, values) };
		const context = {
			getContext: (kind: string) => (this.contexts[kind === 'flow' ? kind : name] ??= {}),
			getExecutionId: () => this.id,
			addExecutionHints: (hint: { message: string }) => void this.hints.push(hint),
			getWorkflowDataProxy: () => ({ $execution: { customData } }),
			getExecuteData: () => ({ metadata: this.metadata }),
			setMetadata: (metadata: object) => void Object.assign(this.metadata, metadata),
		};
		return new Spending(context as unknown as ConstructorParameters<typeof Spending>[0]);
	}

	/** n8n stores it, and reads it back. */
	store = () => void (this.contexts = structuredClone(this.contexts));
}

let execution: Execution;
beforeEach(() => (execution = new Execution()));

/** Rubles, calls, and those without a cost. */
const shown = () => Object.values(execution.custom).join(' ');
const failure = (outcome: 'unknown' | 'rejected') =>
	new ApiError({ message: outcome, description: '', outcome, kind: 'keyed', retryable: false });
const [LOST, REJECTED] = [failure('unknown'), failure('rejected')];

/** Sends a call that ends with this cost or error, which it returns. */
async function send(plan: Partial<Plan>, end: string | Error, node = execution.node()): Promise<unknown> {
	const client = { account: 'a', settings: {} } as Plan['client'];
	const respond = async () => await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
	const all = { client, mostRub: undefined, maxCostRub: undefined, ...plan };
	const costOf = (ended: object) => Promise.resolve('result' in ended ? String(ended.result) : undefined);
	return await charge(node, all, respond, costOf).then(async ({ rub }) => await rub, asError);
}

/** The task of an item, over its tries. */
function task(): Partial<Plan> {
	const record: ItemRecord = { state: 'sent' };
	const records = { get: () => record, sent: () => Object.assign(record, { key: 'k' }) };
	return { key: 'k', item: { index: 0, records } as unknown as NonNullable<Plan['item']> };
}

const failedTask = (costRub: string): ItemRecord => ({ state: 'charged', costRub });
async function tries(...ends: Array<string | Error>) {
	const plan = { ...task(), mostRub: '2', maxCostRub: '3' };
	const node = execution.node();
	for (const end of ends) await send(plan, end, node);
}

/** A user's key whose cost is counted at `other`, if that is another place. */
const ownKey = (place: string) => ({
	use: { place, content: 'c', ...(place === 'other' ? { isCharged: true as const } : {}) },
	place: 'p',
});

type Calls = (node: Spending) => unknown;
const UNKNOWN = '0 (execution so far: ₽0; calls of unknown cost: 1)';
it.each<[string, Calls, hint: string]>([
	['a cost', (node) => node.costs('4.50'), '4.50 (execution so far: ₽4.50)'],
	['no free call', (node) => node.costs('0'), ''],
	['no rejected call', async () => await send({}, REJECTED), ''],
	['a lost call', async () => await send({}, LOST), UNKNOWN],
	['other nodes', (node) => [execution.node('b').costs('3'), node.costs('1')], '1 (execution so far: ₽4)'],
	['earlier tries', (node) => [node.costs('2'), execution.node().addOwn('2')], '2 (execution so far: ₽2)'],
	['a task once', async () => await tries(LOST, LOST, REJECTED, '2', '2'), '2 (execution so far: ₽2)'],
	['what others may have paid', async () => await send({ ownKey: ownKey('p') }, '2'), UNKNOWN],
	['no task of another item', async () => await send({ ownKey: ownKey('other') }, '2'), ''],
])('the hint has %s', async (_, calls, hint) => {
	await calls(execution.node());
	expect(execution.hints.at(-1)?.message ?? '').toBe(hint && `Cost: ₽${hint}`);
	// Also without a hint, for expressions.
	expect(execution.contexts.node?.gateway).toHaveProperty('costRub', Number(execution.custom.gatewayCostRub));
});

it('all nodes show the exact sum, however often n8n stores the execution', () => {
	const call = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9_999), fc.boolean());
	fc.assert(
		fc.property(fc.array(call, { minLength: 1 }), (calls) => {
			execution = new Execution();
			for (const [name, rub, isKnown] of calls) {
				execution.node(name)[isKnown ? 'costs' : 'mayCost'](String(rub / 1_000));
				execution.store();
			}
			const known = calls.filter(([, , isKnown]) => isKnown);
			const costRub = known.reduce((sum, [, rub]) => sum + rub, 0) / 1_000;
			const totals = { costRub, calls: calls.length, callsWithoutCost: calls.length - known.length };
			expect(shown()).toBe(Object.values(totals).join(' '));
			for (const [name] of calls) expect(execution.contexts[name]?.gateway).toStrictEqual(totals);
		}),
	);
});

it('begins anew in a retry, whose hint has the cost before; keys of the user stay known', () => {
	const use = { place: 'p', content: 'c', isCharged: true as const };
	execution.node('first').costs('1');
	execution.node('first').keys.k = use;
	for (const id of ['e2', 'e3']) {
		execution.store();
		execution.id = id;
		execution.node('second').costs('5');
	}
	expect(shown()).toBe('5 1 0');
	expect(execution.contexts.first?.gateway).toStrictEqual({ costRub: 5, calls: 1, callsWithoutCost: 0 });
	expect(execution.hints.at(-1)?.message).toContain('(execution so far: ₽5; in the execution before: ₽6)');
	expect(execution.node('third').keys).toStrictEqual({ k: use });
});

/** Whether a call that may cost so much fits a limit of ₽1. */
const fits = (most: string) => execution.node().limit('1')?.fits(most);

describe('a limit of ₽1', () => {
	it.each<[string, Calls, left: string, tooMuch: string]>([
		['what is paid', (node) => node.costs('0.1'), '0.9', '0.9001'],
		['what a lost call may cost', (node) => [node.mayCost('0.4'), execution.store()], '0.6', '0.61'],
		['a failed task', (node) => [node.costs('0.4'), node.taskFailed(failedTask('0.4'))], '0.6', '0.61'],
		['no call that has ended', (node) => node.inProgress.begin('0.4')(), '1', '1.01'],
		[
			'no call that n8n’s end has ended',
			(node) => [node.inProgress.begin('1'), execution.store()],
			'1',
			'1.01',
		],
	])('counts %s', (_, calls, left, tooMuch) => {
		calls(execution.node());
		expect(fits(left)).toBe(true);
		expect(() => fits(tooMuch)).toThrow(InvalidInputError);
	});

	it.each<[string, string | undefined]>([
		['a call', '0.6'],
		['a call that may cost any amount', undefined],
	])('has room when %s in progress has ended', (_, most) => {
		const end = execution.node().inProgress.begin(most);
		expect(fits('0.5')).toBe(false);
		end();
		expect(fits('0.5')).toBe(true);
	});

	it('says what is spent, unknown and asked', () => {
		const node = execution.node();
		node.costs('0.25');
		node.mayCost('0.4');
		expect(invalidInput(() => fits('0.36'))).toMatchObject({
			message: "The call may cost ₽0.36, more than is left of 'Max Cost per Execution (₽)'",
			description: expect.stringMatching(/^Of ₽1, .* has spent ₽0.25, and up to ₽0.40 for calls/) as string,
			param: 'maxCostRub',
		});
	});

	it('allows nothing when a call may have cost any amount', () => {
		const node = execution.node();
		node.mayCost(null);
		expect(invalidInput(() => fits('0')).description).toContain('The cost of 1 earlier call is unknown.');
		node.mayCost(null, -1);
		expect(fits('1')).toBe(true);
	});
});

describe('n8n’s trace of a run', () => {
	it('has the models, each once, and the sums; what others put there stays', () => {
		const node = execution.node();
		execution.metadata.tracing = { team: 'art' };
		for (const model of ['a', 'b', 'a']) node.trace({ model, inputTokens: model === 'a' ? 3 : null });
		for (const rub of ['0.1', '0.2', '5']) node.costs(rub);
		node.taskFailed(failedTask('5'));
		const sums = { 'gateway.model': 'a, b', 'gateway.inputTokens': '6', 'gateway.costRub': '0.3' };
		expect(execution.metadata.tracing).toStrictEqual({ team: 'art', ...sums });
	});

	it('has the calls of an agent before and after its tool, and not those of its run before', () => {
		for (const inputTokens of [100, 3, 4]) {
			execution.metadata = { nodeWasResumed: inputTokens === 4 };
			execution.node().trace({ inputTokens });
		}
		expect(execution.metadata.tracing).toStrictEqual({ 'gateway.inputTokens': '7' });
	});
});
