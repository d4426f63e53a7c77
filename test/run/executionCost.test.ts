import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions, IWorkflowDataProxyData, NodeExecutionHint } from 'n8n-workflow';

import { asError, InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { addDecimals, compareDecimals } from '../../nodes/shared/gateway/util/money';
import { ExecutionCost, type CallCost, type PlannedCall } from '../../nodes/shared/run/cost/executionCost';

// What the nodes of one execution count together.

interface Execution {
	id: string;
	/** The context that all nodes share. */
	flow: IDataObject;
	/** The contexts of the nodes, by name. */
	nodes: Record<string, IDataObject>;
	/** n8n's custom execution data. */
	custom: Record<string, string | number>;
	/** The hints of all nodes. */
	hints: NodeExecutionHint[];
}

const newExecution = (id = 'e1'): Execution => ({ id, flow: {}, nodes: {}, custom: {}, hints: [] });

/** The counter of one node. */
function nodeOf(
	execution: Execution,
	name = 'node',
	getContext: IExecuteFunctions['getContext'] = (kind) =>
		kind === 'flow' ? execution.flow : (execution.nodes[name] ??= {}),
): ExecutionCost {
	const customData = {
		setAll: (values: Record<string, string | number>) => void Object.assign(execution.custom, values),
	};
	return new ExecutionCost({
		getExecutionId: () => execution.id,
		getContext,
		addExecutionHints: (...hints) => void execution.hints.push(...hints),
		getWorkflowDataProxy: () => ({ $execution: { customData } }) as unknown as IWorkflowDataProxyData,
	});
}

const shown = (gatewayCostRub: string, gatewayCalls: number, gatewayCallsWithoutCost: number) => ({
	gatewayCostRub,
	gatewayCalls,
	gatewayCallsWithoutCost,
});

/** The error of a function that throws. */
function errorOf(work: () => unknown): Error | undefined {
	try {
		work();
	} catch (error) {
		return asError(error);
	}
	return undefined;
}

describe('the cost of an execution', () => {
	it('is the exact sum of the calls of all nodes', () => {
		const execution = newExecution();
		nodeOf(execution).begin({}).charged('0.1');
		nodeOf(execution).begin({}).charged('0.2');
		nodeOf(execution).begin({}).charged('4.50');
		expect(execution.custom).toStrictEqual(shown('4.8', 3, 0));
	});

	it('leaves out what was rejected, and counts what may be charged', () => {
		const execution = newExecution();
		const node = nodeOf(execution);
		node.begin({}).charged('1e-7');
		node.begin({}).ended(false);
		node.begin({}).ended(true);
		node.begin({}).ended(true);
		expect(execution.custom).toStrictEqual(shown('0.0000001', 3, 2));
	});

	it('has calls with the same key once', () => {
		const execution = newExecution();
		nodeOf(execution).begin({ key: 'k' }).ended(true);
		nodeOf(execution).begin({ key: 'k' }).ended(false);
		expect(execution.custom).toStrictEqual(shown('0', 1, 1));
		nodeOf(execution).begin({ key: 'k' }).charged('2');
		expect(execution.custom).toStrictEqual(shown('2', 1, 0));
		const calls = [1, 2].map(() => nodeOf(execution).begin({ key: 'k' }));
		calls[0]?.charged('2');
		calls[1]?.ended(true);
		expect(execution.custom).toStrictEqual(shown('2', 1, 0));
		[1, 2].map(() => nodeOf(execution).begin({ key: 'other' }));
		expect(execution.custom).toStrictEqual(shown('2', 2, 1));
	});

	it('keeps nothing of a call without a key that has ended', () => {
		const execution = newExecution();
		const sizeAfter = (count: number) => {
			for (let call = 0; call < count; call += 1) nodeOf(execution).begin({ mostRub: '1' }).charged('1');
			return JSON.stringify(execution.flow).length;
		};
		expect(sizeAfter(90) - sizeAfter(1)).toBe(0);
	});

	it('is current in the context of each node, also of one that called nothing since, and after a retry', () => {
		const execution = newExecution();
		nodeOf(execution, 'first').begin({}).charged('0.1');
		nodeOf(execution, 'second').begin({}).charged('0.2');
		nodeOf(execution, 'second').begin({}).ended(true);
		const current = () => [execution.nodes.first?.gateway, execution.nodes.second?.gateway];
		const totals = { costRub: 0.3, calls: 3, callsWithoutCost: 1 };
		expect(current()).toStrictEqual([totals, totals]);
		execution.id = 'e2';
		nodeOf(execution, 'second').begin({}).charged('5');
		const anew = { costRub: 5, calls: 1, callsWithoutCost: 0 };
		expect(current()).toStrictEqual([anew, anew]);
	});

	it('survives being stored, and starts anew in an execution with the data of another one', () => {
		const execution = newExecution();
		nodeOf(execution).begin({}).charged('1');
		execution.flow = JSON.parse(JSON.stringify(execution.flow)) as IDataObject;
		nodeOf(execution).begin({}).charged('2');
		expect(execution.custom).toStrictEqual(shown('3', 2, 0));
		execution.id = 'e2';
		nodeOf(execution).begin({}).charged('2');
		expect(execution.custom).toStrictEqual(shown('2', 1, 0));
	});

	it('takes no longer for a call after thousands of others', () => {
		const execution = newExecution();
		const started = performance.now();
		const calls = Array.from({ length: 5_000 }, (_, n) =>
			nodeOf(execution).begin({ key: `k${n}`, mostRub: '0.3', limitRub: '1500' }),
		);
		for (const call of calls) call.charged('0.1');
		// Time that is linear in the calls is a fraction of this.
		expect(performance.now() - started).toBeLessThan(5_000);
		expect(execution.custom).toStrictEqual(shown('500', 5_000, 0));
	});

	it('is counted for one node where n8n has no execution', () => {
		const execution = newExecution('');
		const cost = nodeOf(execution, 'node', () => {
			throw new Error('`executionData` is not initialized');
		});
		for (const rub of ['1', '2']) cost.begin({}).charged(rub);
		expect(execution.custom).toStrictEqual(shown('3', 2, 0));
	});
});

describe('the hint of a node', () => {
	const hintsOf = ({ hints }: Execution) => hints.map(({ message }) => message);

	it('has the cost of its run, and that of the execution so far', () => {
		const execution = newExecution();
		const node = nodeOf(execution);
		node.begin({}).charged('0.1');
		node.begin({}).charged('0.2');
		nodeOf(execution, 'other').begin({}).charged('12');
		expect(hintsOf(execution)).toStrictEqual([
			'Cost: ₽0.3 (execution so far: ₽0.3)',
			'Cost: ₽12 (execution so far: ₽12.3)',
		]);
	});

	it('says how many calls have an unknown cost, and is missing as long as nothing is charged', () => {
		const execution = newExecution();
		nodeOf(execution).begin({}).ended(false);
		expect(hintsOf(execution)).toStrictEqual([]);
		const node = nodeOf(execution);
		node.begin({}).charged('2');
		node.begin({}).ended(true);
		expect(hintsOf(execution)).toStrictEqual(['Cost: ₽2 (execution so far: ₽2; calls of unknown cost: 1)']);
	});

	it('has the cost of a task once, also in the run that continues after a suspension', () => {
		const execution = newExecution();
		const [first, resumed] = [nodeOf(execution), nodeOf(execution)];
		for (const node of [first, first, resumed]) node.begin({ key: 'k' }).charged('6');
		expect(hintsOf(execution)).toStrictEqual(Array(2).fill('Cost: ₽6 (execution so far: ₽6)'));
	});
});

/** Whether an execution may begin a call of this most under this limit; the call does not cost anything. */
function allows(execution: Execution, mostRub: string, limitRub: string): boolean {
	const error = errorOf(() => nodeOf(execution).begin({ mostRub, limitRub }).ended(false));
	expect([undefined, InvalidInputError]).toContain(error?.constructor);
	return error === undefined;
}

describe('a limit', () => {
	it('rejects a call that may exceed it, with what is spent, reserved and asked', () => {
		const execution = newExecution();
		const node = nodeOf(execution);
		node.begin({ mostRub: '3', limitRub: '10' }).charged('2.5');
		node.begin({ mostRub: '4', limitRub: '10' });
		const error = errorOf(() =>
			nodeOf(execution).begin({ mostRub: '3.6', limitRub: '10' }),
		) as InvalidInputError;
		expect(error).toMatchObject({
			message: "The call may cost ₽3.6, more than is left of 'Max Cost per Execution (Rubles)'",
			param: 'maxCostRub',
		});
		expect(error.description).toMatch(/^Of ₽10, the execution has spent ₽2.5 and reserved ₽4 for calls/);
		expect(execution.custom).toMatchObject({ gatewayCalls: 2 });
	});

	const stored = (execution: Execution) => {
		execution.flow = JSON.parse(JSON.stringify(execution.flow)) as IDataObject;
	};
	const one = { mostRub: '1', limitRub: '1' };
	const keyed = { key: 'k', ...one };

	it.each<[string, (node: ExecutionCost, execution: Execution) => void, left: string, tooMuch: string]>([
		['what is left to the kopeck', (node) => node.begin(one).charged('0.1'), '0.9', '0.9001'],
		['what a call did not cost', (node) => node.begin(one).charged('0.25'), '0.75', '0.76'],
		['what a rejected call did not cost', (node) => node.begin(one).ended(false), '1', '1.01'],
		['nothing of an unknown outcome', (node) => node.begin(one).ended(true), '0', '0.01'],
		['the calls of nodes without a limit', (node) => node.begin({}).charged('0.4'), '0.6', '0.61'],
		[
			'a repetition of the same creation once',
			(node) => {
				node.begin({ ...keyed, mostRub: '0.5' }).ended(true);
				node.begin({ ...keyed, mostRub: '0.5' }).charged('0.5');
			},
			'0.5',
			'0.51',
		],
		[
			'a stored call of an unknown outcome with the most that it may cost',
			(node, execution) => {
				node.begin(one).ended(true);
				stored(execution);
			},
			'0',
			'0.01',
		],
		[
			'what a repetition may cost, when nothing was known of the call before',
			(node) => {
				node.begin({ key: 'k' }).ended(true);
				node.begin({ key: 'k' }).ended(true, '0.3');
			},
			'0.7',
			'0.71',
		],
	])('counts %s', (_, calls, left, tooMuch) => {
		const execution = newExecution();
		calls(nodeOf(execution), execution);
		expect([allows(execution, left, '1'), allows(execution, tooMuch, '1')]).toStrictEqual([true, false]);
	});

	it('does not refuse a repetition of a creation that is charged', () => {
		const node = nodeOf(newExecution());
		node.begin(keyed).charged('1');
		expect(errorOf(() => node.begin(keyed))).toBeUndefined();
	});

	it('allows nothing when it is not known what an earlier call has cost', () => {
		const execution = newExecution();
		const call = nodeOf(execution).begin({ key: 'k' });
		call.ended(true);
		const limited = () => nodeOf(execution).begin({ mostRub: '1', limitRub: '100' });
		expect(errorOf(limited)).toHaveProperty(
			'description',
			expect.stringMatching(/The cost of 1 earlier call is unknown\./),
		);
		nodeOf(execution).begin({ key: 'k' }).charged('1');
		expect(errorOf(limited)).toBeUndefined();
	});
});

/** Begins a call; `undefined` if the limit does not allow it. */
function begin(execution: Execution, planned: PlannedCall): CallCost | undefined {
	try {
		return nodeOf(execution).begin(planned);
	} catch (error) {
		if (error instanceof InvalidInputError) return undefined;
		throw error;
	}
}

type End = 'charged' | 'lost and charged' | 'lost' | 'rejected';

test('an execution never costs more than its limit, in whatever order its calls begin and end', () => {
	const call = fc.record({
		/** In thousandths of a ruble. */
		most: fc.integer({ min: 0, max: 4_000 }),
		share: fc.integer({ min: 0, max: 100 }),
		end: fc.constantFrom<End>('charged', 'lost and charged', 'lost', 'rejected'),
		/** How many calls begin before it ends. */
		length: fc.nat(5),
	});
	const sent = { count: 0, refused: 0 };
	fc.assert(
		fc.property(fc.array(call, { maxLength: 20 }), fc.nat(10), (calls, limit) => {
			const execution = newExecution();
			const limitRub = String(limit);
			const open: Array<{ until: number; finish: () => void }> = [];
			let paid = '0';
			for (const [index, { most, share, end, length }] of calls.entries()) {
				for (const due of open.splice(0)) {
					if (due.until <= index) due.finish();
					else open.push(due);
				}
				const mostRub = String(most / 1_000);
				const begun = begin(execution, { mostRub, limitRub });
				if (!begun) {
					sent.refused += 1;
					continue;
				}
				sent.count += 1;
				const rub = String(Math.floor((most * share) / 100) / 1_000);
				if (end !== 'lost' && end !== 'rejected') paid = addDecimals(paid, rub) ?? '';
				const finish = () => (end === 'charged' ? begun.charged(rub) : begun.ended(end !== 'rejected'));
				open.push({ until: index + length, finish });
			}
			expect(compareDecimals(paid, limitRub)).toBeLessThanOrEqual(0);
		}),
		{ numRuns: 300 },
	);
	expect(Math.min(sent.count, sent.refused)).toBeGreaterThan(100);
});

describe('what n8n’s traces have of a run', () => {
	/** A node that n8n runs, and its metadata. */
	function traced(node: IDataObject = {}, metadata: IDataObject = {}) {
		const run = { metadata };
		const flow: IDataObject = {};
		const cost = new ExecutionCost({
			getExecutionId: () => 'e1',
			getContext: (kind) => (kind === 'node' ? node : flow),
			getWorkflowDataProxy: () => ({ $execution: {} }) as unknown as IWorkflowDataProxyData,
			getExecuteData: () => run as unknown as ReturnType<IExecuteFunctions['getExecuteData']>,
			setMetadata: (more) => void Object.assign(run.metadata, more),
		});
		return { cost, metadata: run.metadata };
	}

	it('is the models, each once, and the sums of tokens and rubles', () => {
		const { cost, metadata } = traced();
		for (const [model, inputTokens, costRub] of [
			['a', 3, '0.1'],
			['b', null, '0.2'],
			['a', 4, '0'],
		] as const) {
			cost.trace({ model, inputTokens });
			cost.begin({}).charged(costRub);
		}
		expect(metadata.tracing).toStrictEqual({
			'gateway.model': 'a, b',
			'gateway.inputTokens': '7',
			'gateway.costRub': '0.3',
		});
	});

	it('has a call that is charged once, once, and keeps what others have put there', () => {
		const { cost, metadata } = traced({}, { tracing: { team: 'art' } });
		for (let time = 0; time < 2; time += 1) cost.begin({ key: 'k' }).charged('5');
		expect(metadata.tracing).toStrictEqual({ team: 'art', 'gateway.costRub': '5' });
	});

	it('has the calls of an agent before and after its tool, and not those of its run before', () => {
		const node: IDataObject = {};
		traced(node).cost.trace({ inputTokens: 100 });
		traced(node).cost.trace({ inputTokens: 3 });
		const { cost, metadata } = traced(node, { nodeWasResumed: true });
		cost.trace({ inputTokens: 4 });
		expect(metadata.tracing).toStrictEqual({ 'gateway.inputTokens': '7' });
	});

	it('is nothing where n8n has no data of the run', () => {
		const execution = newExecution();
		nodeOf(execution).trace({ model: 'a' });
		expect(execution.nodes).toStrictEqual({ node: {} });
	});
});
