import type { INodeExecutionData } from 'n8n-workflow';

import { compareDecimals, rubles, sumOfCosts } from '../../nodes/shared/gateway/util/money';
import type { Answer } from './agent';
import type { Execution } from './execution';
import { orderOf, OTHER_ACCOUNT, type Charge } from './gateway';
import type { History } from './history';
import { nodeName, orderName, requestOptions } from './workflow';
import type { Observation } from './simulation';

// What a crash of n8n loses, no promise can hold: which texts have arrived or may have been charged, and which task has
// replaced one that failed. Tasks are found again.

/** The promises, by name: each returns what breaks it. */
type Promises = Record<string, (history: History, seen: Observation) => string[]>;

/** What a run of a node has returned. */
interface NodeRun {
	execution: Execution;
	/** The order of an item. */
	orderOf: (item: number) => string;
	isText: boolean;
	items: INodeExecutionData[];
	errorItems: INodeExecutionData[];
	error: { message?: string; description?: string | null; context?: Record<string, unknown> } | undefined;
	/** The number of its input items, if it has succeeded. */
	expected: number | undefined;
}

interface ErrorJson {
	message?: string;
	description?: string | null;
	retryable?: boolean;
	mayBeCharged?: boolean;
}

/** By how much three rounded amounts may differ, in rubles. */
const ROUNDING = 0.015;

const REFUSED =
	/may cost ₽(?<most>[\d.]+), more than is left.*?(The limit is ₽(?<alone>[\d.]+), and nothing|Of ₽(?<limit>[\d.]+), the execution has spent ₽(?<spent>\d+(\.\d+)?)(, and up to ₽(?<unknown>\d+(\.\d+)?) for calls)?)/s;
const TASK_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const promises: Promises = {
	'a run ends in time': (_, { executions }) =>
		executions.flatMap(({ hangs }, index) => (hangs ? [`execution ${index} hangs`] : [])),

	'an order is charged once': ({ ownKey, isRedacted }, { charges }) => {
		// Somebody has retried the execution: a text whose outcome or output is not there is ordered again, and a task that has
		// failed.
		const isOver = (before: Charge, index: number, all: Charge[]) => {
			if (before.taskId === undefined) return isRedacted || !before.isKnown || isLost(before);
			return before.hasFailed || (isLost(before) && all.slice(0, index).some(({ hasFailed }) => hasFailed));
		};
		return charges
			.filter(({ order, account, execution }, index) => {
				if (isOfAgent(order) && !isTask(order)) return false;
				const earlier = charges
					.slice(0, index)
					.filter((other) => other.order === order && (ownKey === null || other.account === account));
				return order === '?' || earlier.some((...one) => one[0].execution === execution || !isOver(...one));
			})
			.map(({ order }) => `order ${order} was charged again`);
	},

	// It calls again in each try, and what it calls without a key is a new text.
	'a text of an agent is charged once for each call': (_, { charges, executions }) => {
		const calls = executions.flatMap(({ answers }) => answers.map(({ order }) => order));
		const texts = charges.map(({ order }) => order).filter((order) => isOfAgent(order) && !isTask(order));
		return [...new Set(texts)]
			.filter((order) => countOf(texts, order) > countOf(calls, order))
			.map((order) => `order ${order} was charged ${countOf(texts, order)} times`);
	},

	'a retry asks again for a text that has failed': (_, seen) =>
		nodeRuns(seen).flatMap((run) => {
			const order = failedOrder(run);
			if (!run.isText || order === undefined || /(Nothing was|not) sent/.test(textOf(run))) return [];
			const isAsked = seen.asked.some((text) => text.order === order && text.at >= run.execution.began);
			return isAsked ? [] : [`order ${order} was not`];
		}),

	'a retry replaces a task that has failed': ({ ownKey }, seen) => {
		const failed = nodeRuns(seen).flatMap(({ error }) =>
			/task failed/.test(error?.message ?? '') ? String(error?.context?.taskId) : [],
		);
		const again = failed.filter((taskId, index) => ownKey === null && failed.indexOf(taskId) < index);
		return again.map((taskId) => `task ${taskId} has failed before`);
	},

	'an item is paid by its own account': ({ accounts }, { charges }) =>
		charges
			.filter(({ order, account }) => {
				const isOther = accounts === 'byItem' && Number(order.split('.').at(-2)) % 2 === 1;
				return accounts !== 'byRead' && (account === OTHER_ACCOUNT) !== isOther;
			})
			.map(({ order, account }) => `order ${order} was charged to ${account}`),

	'what has arrived is returned or kept': ({ isRedacted }, seen) => {
		const { charges, wasCancelled } = seen;
		const stored = storedText(seen);
		return charges
			.filter((charge) => charge.isKnown && !isLost(charge) && !charge.order.startsWith('chat'))
			.filter(({ taskId, order }) => !stored.includes(taskId ?? `"order ${order}"`))
			.filter(({ taskId }) => taskId !== undefined || !(wasCancelled || isRedacted))
			.map(({ order, taskId }) => `${taskId ?? 'the text'} of order ${order} is nowhere`);
	},

	'an unknown outcome is told': (_, seen) => {
		const told = toldOrders(seen);
		const stored = storedText(seen);
		return seen.charges
			.filter(
				(charge) =>
					!charge.isKnown &&
					charge.execution?.isLost !== true &&
					!(seen.wasCancelled && isOfAgent(charge.order)),
			)
			.filter(({ order, taskId }) => !told.has(order) && !(taskId !== undefined && stored.includes(taskId)))
			.map(({ order }) => `nothing says that order ${order} may have been charged`);
	},

	// A suspended execution may still be asked to resume, by a request to n8n itself.
	'nothing is sent to the gateway after a cancel': (_, { sent, origin }) =>
		sent
			.filter((request) => request.afterCancel && request.origin === origin)
			.map(({ method, path }) => `${method} ${path} was sent`),

	'each item has its own output': (_, seen) =>
		// n8n may pass the input of a cancelled node on.
		seen.wasCancelled ? [] : nodeRuns(seen).flatMap((run) => outputProblems(seen, run)),

	'what is called free or retryable was not charged': ({ ownKey }, seen) => {
		// Such an order may be that of another node, which was charged.
		if (ownKey) return [];
		return nodeRuns(seen).flatMap((run) => {
			const charged = seen.charges.flatMap(({ order, execution }) =>
				execution === run.execution ? order : [],
			);
			const text = textOf(run);
			const own = failedOrder(run) ?? '';
			const free = [
				...errorsOf(run).flatMap(({ order, error }) =>
					error.retryable === true || isFree(error.description ?? '') ? order : [],
				),
				...(/This call was not (sent|charged)/.test(text) ? [own] : []),
				// All items of the run.
				...(isFree(text) ? charged.filter((order) => isSameRun(order, own)) : []),
			];
			return free.filter((order) => charged.includes(order)).map((order) => `order ${order} was charged`);
		});
	},

	'an agent is told that a call was free only if it was': (_, { executions, charges }) =>
		executions.flatMap((execution) => {
			const free = new Map<string, boolean>();
			for (const { order, text, isError } of execution.answers)
				free.set(
					order,
					(free.get(order) ?? true) && isError && (isFree(text) || /call was not (sent|charged)/.test(text)),
				);
			return charges
				.filter((charge) => charge.execution === execution && free.get(charge.order) === true)
				.map(({ order }) => `order ${order} was charged`);
		}),

	'the key stays with the gateway': (_, { sent, origin }) =>
		sent
			.filter((request) => request.hasKey && request.origin !== origin)
			.map(({ origin: other, path }) => `the key was sent to ${other}${path}`),

	'the cost shown is what was charged': (_, { executions, charges }) => {
		const shown = executions.map((one) => (one.isLost ? {} : (one.run?.data.resultData.metadata ?? {})));
		const sum = (name: string) => shown.reduce((total, values) => total + Number(values[name] ?? 0), 0);
		const [calls, withoutCost] = [sum('gatewayCalls'), sum('gatewayCallsWithoutCost')];
		const cost = sumOfCosts(...shown.map(({ gatewayCostRub = '0' }) => gatewayCostRub)) ?? '';
		const paid = sumOfCosts(...charges.map(({ amount }) => amount)) ?? '';
		const difference = compareDecimals(cost, paid) ?? NaN;
		const isWhole = executions.every((execution) => !execution.isLost);
		const isRight = isWhole && withoutCost === 0 ? difference === 0 : difference <= 0;
		return isRight && calls - withoutCost <= charges.length && (!isWhole || charges.length <= calls)
			? []
			: [`₽${cost} of ${calls} calls, ${withoutCost} without a cost; charged ₽${paid} for ${charges.length}`];
	},

	'each execution shows what it was charged, everywhere': (_, { executions, charges }) => {
		let isExact = true;
		return executions.flatMap((execution, index) => {
			const { metadata = {}, runData = {} } = execution.run?.data.resultData ?? {};
			const {
				gatewayCostRub: rub = '0',
				gatewayCalls: calls = '0',
				gatewayCallsWithoutCost: unknown = '0',
			} = metadata;
			// A retry finds what was charged before.
			isExact &&= !execution.isLost && unknown === '0';
			const own = charges.filter((charge) => charge.execution === execution);
			const sum = sumOfCosts(...own.map(({ amount }) => amount)) ?? '';
			const problems =
				isExact && (compareDecimals(rub, sum) !== 0 || Number(calls) !== own.length)
					? [`shows ₽${rub} of ${calls} calls, charged are ₽${sum} for ${own.length}`]
					: [];
			if (execution.isLost || metadata.gatewayCalls === undefined) return problems;
			const shown = [Number(rub), Number(calls), Number(unknown)].join();
			const { contextData = {} } = execution.run?.data.executionData ?? {};
			const read = Object.values(contextData).flatMap(({ gateway }) => {
				const { costRub, calls, callsWithoutCost } = (gateway ?? {}) as Record<string, number>;
				return gateway ? [costRub, calls, callsWithoutCost].join() : [];
			});
			if (!read.includes(shown)) problems.push(`expressions read ${read.join(' or ')} in place of ${shown}`);
			const runs = Object.values(runData).flat();
			const hints = runs.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
			const isTold = hints.some((hint) => hint.includes(`(execution so far: ${rubles(rub)}`));
			// At the end of the wait, n8n passes the items of a suspended node on.
			const hasHint =
				execution.run?.status === 'success' && !JSON.stringify(runs).includes('"timedOut":true');
			if (hasHint && rub !== '0' && !isTold) problems.push(`no hint has ₽${rub}`);
			return problems.map((problem) => `execution ${index}: ${problem}`);
		});
	},

	'the cost of an item is what was charged for it': (_, seen) =>
		nodeRuns(seen).flatMap((run) =>
			run.items.flatMap((item) => {
				const { costRub, priceRub, taskId } = item.json;
				const shown = costRub ?? priceRub;
				const order = run.orderOf(indexOf(item));
				const own = seen.charges.filter((charge) =>
					run.isText ? charge.order === order : charge.taskId === taskId,
				);
				return typeof shown !== 'number' || own.some(({ amount }) => Number(amount) === shown)
					? []
					: [`order ${order} shows ₽${shown}`];
			}),
		),

	'a call waits for another one that has a limit': (history, { executions }) =>
		executions.flatMap(({ run, answers }, index) =>
			Object.entries(run?.data.resultData.runData ?? {}).flatMap(([name, runs]) => {
				const waited = JSON.stringify(runs).includes('Calls waited up to');
				const [, node = '1', call] = /^Gateway ?(\d*) (task|text|chat)$/.exec(name) ?? [];
				if (!waited || call === undefined) return [];
				const limited = answers.filter(
					(answer) => requestOptions(history, Number(node || '1') - 1, answer.call).maxCostRub !== undefined,
				);
				return limited.length > 1 ? [] : [`${name} has waited for nothing in execution ${index}`];
			}),
		),

	// What may have been charged counts with its maximum.
	'a call is refused only for what is spent': ({ ownKey, failing, abandons }, seen) =>
		seen.executions.flatMap((execution, index) => {
			const until = seen.executions[index + 1]?.began ?? Infinity;
			const asked = seen.asked.filter(({ at }) => at >= execution.began && at < until);
			const isKnown =
				ownKey === null && failing.length === 0 && !abandons && asked.every(({ isClear }) => isClear);
			const before = seen.charges.filter(({ time }) => time < until).map(({ amount }) => amount);
			const paid = sumOfCosts(...before) ?? '';
			const texts = [
				...nodeRuns(seen).flatMap((run) =>
					run.execution === execution
						? [textOf(run), ...errorsOf(run).map(({ error }) => `${error.message}\n${error.description}`)]
						: [],
				),
				...execution.answers.map(({ text }) => text),
			];
			return texts.flatMap((text) => {
				if (isKnown && text.includes('what the execution has cost is not known'))
					return ['refused, and all costs are known'];
				const refused = REFUSED.exec(text)?.groups;
				if (!refused) return [];
				const { most = '', limit = refused.alone ?? '', spent = '0', unknown = '0' } = refused;
				// Amounts in texts are rounded.
				const sum = Number(most) + Number(spent) + Number(unknown) + ROUNDING;
				const isRight = sum > Number(limit) && Number(spent) <= Number(paid) + ROUNDING;
				return isRight && (!isKnown || unknown === '0') ? [] : [`refused: ${text}, and ₽${paid} is charged`];
			});
		}),

	// A retry repeats a creation that may have been charged: it counts in the execution before.
	'an execution costs at most its limit': ({ maxCost, unlimited }, { charges, executions, asked }) =>
		executions.flatMap((execution, index) => {
			const isRepeated = ({ taskId, order }: Charge) =>
				taskId !== undefined && asked.some((one) => one.order === order && one.at < execution.began);
			const own = charges.filter((charge) => charge.execution === execution && !isRepeated(charge));
			const paid = sumOfCosts(...own.map(({ amount }) => amount)) ?? '';
			return maxCost === null || unlimited.length > 0 || (compareDecimals(paid, String(maxCost)) ?? 1) <= 0
				? []
				: [`₽${paid} of at most ₽${maxCost} in execution ${index}`];
		}),
};

/** Whether an order is of a call of an agent. */
const isOfAgent = (order: string) => /^[a-z]+\d/.test(order);

/** Whether such an order is of a media task: equal ones are one. */
const isTask = (order: string) => order.startsWith('task');

const countOf = (orders: readonly string[], order: string) => orders.filter((one) => one === order).length;

function isLost({ execution, time }: Charge): boolean {
	return execution !== undefined && execution.isLost && time >= execution.savedAt;
}

/** What a history breaks of the promises, by promise. */
export function broken(history: History, seen: Observation): string[] {
	return Object.entries(promises).flatMap(([name, problemsOf]) =>
		problemsOf(history, seen).map((problem) => `${name}: ${problem}`),
	);
}

/**
 * What users can see of the executions and in n8n's log, and the contexts with which the next *Retry* begins. That of an
 * edited node does not use them.
 */
function storedText({ executions, log }: Observation): string {
	const stored = executions.flatMap(({ kept, canBeRetried, history }, index) => {
		const next = executions[index + 1];
		const isLast = next === undefined || next.isLost || next.history.edition !== history.edition;
		return kept ? [kept.resultData, canBeRetried && isLast && kept.executionData?.contextData] : [];
	});
	return `${JSON.stringify(stored)}\n${log.join('\n')}`;
}

/** The runs of the nodes, in the executions that n8n has stored. */
function nodeRuns({ executions }: Observation): NodeRun[] {
	return executions.filter(({ isLost }) => !isLost).flatMap(runsIn);
}

function runsIn(execution: Execution): NodeRun[] {
	const { history, began } = execution;
	const { runData = {} } = execution.run?.data.resultData ?? {};
	return history.operations.flatMap((operation, node) => {
		const runsOf = (index: number) => (runData[nodeName(index)] ?? []).slice(execution.runsBefore(index));
		const input = (run: number) =>
			node === 0 ? history.items : runsOf(node - 1)[run]?.data?.main?.[0]?.length;
		return runsOf(node).flatMap(({ startTime, data: output, error, executionStatus }, run): NodeRun[] => {
			// That of an execution before.
			if (startTime < began) return [];
			// When a node throws, n8n passes its input on in place of an output.
			const [items, errorItems] = (!error && output?.main) || [];
			return [
				{
					execution,
					orderOf: (item) => orderName(history, operation, { node, run, item }),
					isText: operation === 'text',
					items: items ?? [],
					errorItems: errorItems ?? [],
					error: error as NodeRun['error'],
					expected: executionStatus === 'success' && !error ? input(run) : undefined,
				},
			];
		});
	});
}

/** The error items of a run, with their orders. */
function errorsOf({
	orderOf: nameOf,
	items,
	errorItems,
}: NodeRun): Array<{ order: string; error: ErrorJson }> {
	return [...items, ...errorItems].flatMap((item) => {
		const { error } = item.json;
		return isError(error) ? [{ order: nameOf(indexOf(item)), error: error as ErrorJson }] : [];
	});
}

/** The order of the item whose error has ended the run. */
function failedOrder({ error, orderOf: nameOf }: NodeRun): string | undefined {
	const index = error?.context?.itemIndex;
	return typeof index === 'number' ? nameOf(index) : undefined;
}

function textOf({ error }: NodeRun): string {
	return [error?.message, error?.description].join('\n').replace(TASK_ID, '');
}

function isFree(text: string): boolean {
	return /Nothing was (sent|charged)/.test(text);
}

/** Whether two orders are of one run of a node. */
function isSameRun(order: string, other: string): boolean {
	const [[node, run], [otherNode, otherRun]] = [order.split('.'), other.split('.')];
	return node === otherNode && run === otherRun;
}

function indexOf({ pairedItem }: INodeExecutionData): number {
	const [pair] = [pairedItem].flat();
	return typeof pair === 'object' ? pair.item : (pair ?? -1);
}

/** The orders of which an agent was told that they may have been charged. */
function toldToAgents({ executions }: Observation): string[] {
	return executions
		.flatMap(({ answers }) => answers)
		.filter(
			({ isError, isAbandoned, text }) => isAbandoned || (isError && /charge/.test(text) && !isFree(text)),
		)
		.map(({ order }) => order);
}

/** The orders that an error item, a node's error or the log says may have been charged. */
function toldOrders(seen: Observation): Set<string> {
	const told = new Set(toldToAgents(seen));
	for (const run of nodeRuns(seen)) {
		for (const { order, error } of errorsOf(run)) {
			if (error.mayBeCharged) told.add(order);
		}
		const text = [textOf(run), ...seen.log].join('\n').replace(TASK_ID, '');
		if (!/charge/.test(text)) continue;
		const failed = failedOrder(run);
		if (failed !== undefined) told.add(failed);
		for (const [, list = ''] of text.matchAll(/items? ([\d, and]+)/gi)) {
			for (const number of list.match(/\d+/g) ?? []) told.add(run.orderOf(Number(number)));
		}
	}
	return told;
}

function outputProblems({ charges }: Observation, run: NodeRun): string[] {
	const all = [...run.items, ...run.errorItems];
	const orders = new Map(charges.map(({ taskId, order }) => [taskId, order]));
	const problems = run.items.flatMap((item) => {
		const { taskId, text, error, results } = item.json as {
			taskId?: string;
			text?: string;
			error?: unknown;
			results?: unknown;
		};
		if (isError(error)) return [];
		if (Array.isArray(results)) return results.flatMap((answer) => answerProblems(answer as Answer, orders));
		const order = run.orderOf(indexOf(item));
		const of = run.isText ? orderOf(text) : orders.get(taskId ?? '');
		return of === order ? [] : [`the output of order ${order} is of ${of}`];
	});
	if (run.expected !== undefined && all.length !== run.expected)
		problems.push(`${all.length} outputs for ${run.expected} orders`);
	return problems;
}

function answerProblems({ order, text }: Answer, orders: Map<string | undefined, string>): string[] {
	const [taskId] = text.match(TASK_ID) ?? [];
	const of = isTask(order) ? orders.get(taskId) : orderOf(text);
	return of === order ? [] : [`the answer to ${order} is of ${of}`];
}

function isError(value: unknown): boolean {
	return value !== undefined && value !== null && value !== false;
}
