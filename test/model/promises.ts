import type { INodeExecutionData, IRun } from 'n8n-workflow';

import { compareDecimals, sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { orderOf, OTHER_ACCOUNT } from './gateway';
import type { History } from './history';
import { runLimitMs } from './limits';
import type { Observation } from './world';

/** The promises, by name: each returns what breaks it. */
type Promises = Record<string, (history: History, seen: Observation) => string[]>;

interface Outputs {
	run: number;
	items: INodeExecutionData[];
	errorItems: INodeExecutionData[];
}

interface ErrorJson {
	retryable?: boolean;
	mayBeCharged?: boolean;
	taskId?: string;
}

const TASK_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const promises: Promises = {
	'a run ends in time': (history, { segments }) =>
		segments
			.filter(({ hasEnded, took }) => !hasEnded || took > runLimitMs(history))
			.map(({ hasEnded, took }) => (hasEnded ? `it took ${took} ms` : `it hangs after ${took} ms`)),

	'an order is charged once': (_, { charges }) => {
		const counts = new Map<string, number>();
		for (const { order } of charges) counts.set(order, (counts.get(order) ?? 0) + 1);
		return [...counts]
			.filter(([order, count]) => count > 1 || order === '?')
			.map(([order, count]) => `order ${order} was charged ${count} times`);
	},

	'an item is paid by its own account': ({ accounts }, { charges }) =>
		charges
			.filter(({ order, account }) => {
				const isOther = accounts === 2 && Number(order.split('.')[1]) % 2 === 1;
				return (account === OTHER_ACCOUNT) !== isOther;
			})
			.map(({ order, account }) => `order ${order} was charged to ${account}`),

	'a task that the node knows is named': (_, seen) => {
		const { charges } = seen;
		const stored = storedText(seen);
		return charges
			.filter(({ taskId, isKnown }) => taskId !== undefined && isKnown && !stored.includes(taskId))
			.map(({ order, taskId }) => `task ${taskId} of order ${order} is named nowhere`);
	},

	'an unknown outcome is told': (_, seen) => untold(seen),

	// A suspended execution may still be asked to resume, by a request to n8n itself.
	'nothing is sent to the gateway after a cancel': (_, { sent, origin }) =>
		sent
			.filter((request) => request.afterCancel && request.origin === origin)
			.map(({ method, path }) => `${method} ${path} was sent`),

	'each item has its own output': (history, seen) =>
		// n8n may pass the input of a cancelled node on.
		seen.wasCancelled ? [] : outputsOf(seen.run).flatMap((outputs) => outputProblems(history, seen, outputs)),

	'what is retryable was not charged': (history, { run, charges }) => {
		const isSafe = history.scope === 'workflow' && history.input === 'same';
		if (isSafe) return [];
		const charged = new Set(charges.map(({ order }) => order));
		return outputsOf(run)
			.flatMap(errorsOf)
			.filter(({ order, error }) => error.retryable === true && charged.has(order))
			.map(({ order }) => `order ${order} is retryable, and charged`);
	},

	'the key stays with the gateway': (_, { sent, origin }) =>
		sent
			.filter((request) => request.hasKey && request.origin !== origin)
			.map(({ origin: other, path }) => `the key was sent to ${other}${path}`),

	'the cost shown is what was charged': (_, { run, charges, failed }) => {
		// A retry shows the price of the tasks that it finds.
		if (!run || failed) return [];
		const { gatewayCostRub: cost = '0', ...counts } = run.data.resultData.metadata ?? {};
		const calls = Number(counts.gatewayCalls ?? 0);
		const withoutCost = Number(counts.gatewayCallsWithoutCost ?? 0);
		const paid = sumOfCosts(...charges.map(({ amount }) => amount)) ?? '';
		const difference = compareDecimals(cost, paid) ?? NaN;
		const isRight = withoutCost === 0 ? difference === 0 : difference <= 0;
		return isRight && calls - withoutCost <= charges.length && charges.length <= calls
			? []
			: [`₽${cost} of ${calls} calls, ${withoutCost} without a cost; charged ₽${paid} for ${charges.length}`];
	},

	'the execution costs at most its limit': ({ maxCost }, { charges, failed }) => {
		if (failed) return [];
		const paid = sumOfCosts(...charges.map(({ amount }) => amount)) ?? '';
		return maxCost === null || (compareDecimals(paid, String(maxCost)) ?? 1) <= 0
			? []
			: [`₽${paid} of at most ₽${maxCost}`];
	},
};

/** What a history breaks of the promises, by promise. */
export function broken(history: History, seen: Observation): string[] {
	return Object.entries(promises).flatMap(([name, problemsOf]) =>
		problemsOf(history, seen).map((problem) => `${name}: ${problem}`),
	);
}

function untold(seen: Observation): string[] {
	const { before: run } = seen;
	const told = new Set([...toldOrders(seen), ...toldOrders({ ...seen, run })]);
	const stored = storedText(seen);
	return seen.charges
		.filter(({ taskId, isKnown }) => !isKnown && !(taskId !== undefined && stored.includes(taskId)))
		.filter(({ order }) => !told.has(order))
		.map(({ order }) => `nothing says that order ${order} may have been charged`);
}

/** All that n8n stores of the execution and writes to its log. */
function storedText({ run, before, log }: Observation): string {
	return `${JSON.stringify([run?.data, before?.data])}\n${log.join('\n')}`;
}

/** What the node has returned, run by run. When it throws, n8n passes its input on in place of an output. */
function outputsOf(run: IRun | undefined): Outputs[] {
	const runs = run?.data.resultData.runData.Gateway ?? [];
	return runs.map(({ data, error }, index) => ({
		run: index,
		items: (!error && data?.main?.[0]) || [],
		errorItems: (!error && data?.main?.[1]) || [],
	}));
}

/** The error items of a run of the node, with their orders. */
function errorsOf({ run, items, errorItems }: Outputs): Array<{ order: string; error: ErrorJson }> {
	return [...items, ...errorItems].flatMap((item) => {
		const { error } = item.json;
		if (typeof error !== 'object' || error === null) return [];
		return [{ order: `${run}.${indexOf(item)}`, error: error as ErrorJson }];
	});
}

function indexOf({ pairedItem }: INodeExecutionData): number {
	const [pair] = [pairedItem].flat();
	return typeof pair === 'object' ? pair.item : (pair ?? -1);
}

/** The orders that an error item, the node's error or the log says may have been charged. */
function toldOrders({ run, log }: Observation): Set<string> {
	const told = new Set<string>();
	for (const outputs of outputsOf(run)) {
		for (const { order, error } of errorsOf(outputs)) if (error.mayBeCharged === true) told.add(order);
	}
	const runs = run?.data.resultData.runData.Gateway ?? [];
	for (const [index, { error }] of runs.entries()) {
		const text = [error?.message, error?.description, ...log].join('\n').replace(TASK_ID, '');
		if (!/charge/.test(text)) continue;
		const item = error?.context?.itemIndex;
		if (typeof item === 'number') told.add(`${index}.${item}`);
		for (const [, list = ''] of text.matchAll(/items? ([\d, and]+)/gi)) {
			for (const number of list.match(/\d+/g) ?? []) told.add(`${index}.${number}`);
		}
	}
	return told;
}

function outputProblems(history: History, { run, orders }: Observation, outputs: Outputs): string[] {
	const all = [...outputs.items, ...outputs.errorItems];
	const successes = outputs.items.filter(({ json }) => !isError(json.error));
	const problems: string[] = [];
	const tasks = new Set<string>();
	for (const item of successes) {
		const order = `${outputs.run}.${indexOf(item)}`;
		const { taskId, text } = item.json as { taskId?: string; text?: string };
		const of = orderOf(history.operation === 'text' ? (text ?? '') : (orders.get(taskId ?? '') ?? ''));
		if (of !== order) problems.push(`the output of order ${order} is of ${of}`);
		if (taskId !== undefined && tasks.has(taskId)) problems.push(`two outputs are of task ${taskId}`);
		if (taskId !== undefined) tasks.add(taskId);
	}
	const own = run?.data.resultData.runData.Gateway?.[outputs.run];
	const isWhole = own?.executionStatus === 'success' && !own.error && run?.status === 'success';
	const expected = outputs.run === 0 ? history.items : undefined;
	if (isWhole && expected !== undefined && all.length !== expected)
		problems.push(`${all.length} outputs for ${expected} orders`);
	return problems;
}

function isError(value: unknown): boolean {
	return value !== undefined && value !== null && value !== false;
}
