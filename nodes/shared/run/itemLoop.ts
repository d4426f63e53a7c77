import { NodeOperationError, sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { isFailedTask, isGone } from '../gateway/endpoints/tasks';
import { ApiError, StoppedError } from '../gateway/errors/errors';
import { withoutSecrets } from '../gateway/errors/secrets';
import { fallbackHint } from '../gateway/text/fallback';
import type { Slots } from '../gateway/client/client';
import { Limiter, RunSignal } from '../gateway/client/limits';
import { asObject } from '../gateway/util/json';
import { inHtml } from '../gateway/util/text';
import { WaitMeter } from '../gateway/client/rateGate';
import { connect, currentAccount } from '../n8n/client';
import { isTool, readOwnCall, workflowSettings } from '../n8n/context';
import { NodeParameters } from '../params/nodeParameters';
import type { Values } from '../params/parameter';
import { digest, itemsInConflict, ownKeyName, sharedKey, type KeyedItem } from './charge/keys';
import { othersText, type NextTry } from './charge/words';
import { unfinished, type McpCall } from './mcpCalls';
import { toNodeError } from './nodeError';
import type { Deferred, ItemInput, OperationOutput, PausedRun } from './operation';
import type { RegisteredOperation, Registry } from './registry';
import { ItemOutputs } from './outputs';
import { mcpCallOf, RunContext } from './runContext';
import { requestSettings } from './settings';

/**
 * Polls and catalogues at the same time. They do not take the slots of downloads and creations: 500
 * tasks are polled at the pace of §3.1 while a poll takes up to half a second.
 */
const READ_CONCURRENCY = 64;

/** The most that the values of items that wait may have together, in characters of JSON. */
const MAX_WAITING = 32 * 1024 * 1024;

/** How long items are read before others of the process may work, in milliseconds. */
const READING_MS = 50;

/** For an agent that repeats a call: it may want another result. */
const SAME_TASK = 'This is the same task as before. To get another result, change the input.';

/** For an MCP client. */
const SAME_FOR_NOW =
	'This is the same task as before. To get another one, change the input, or call again after ten minutes.';

interface PlannedItem {
	input: ItemInput<Values<RegisteredOperation['parameters']>>;
	planned: unknown;
}

/** The `execute` of a node: runs the operation that its `resource` and `operation` name. */
export async function executeRegistry(
	context: IExecuteFunctions,
	registry: Registry,
): Promise<INodeExecutionData[][]> {
	if (context.getInputData().length === 0) return [[]];
	if (isTool(context)) readOwnCall(context);
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0));
	const registered = registry.find(resource, name);
	// n8n itself names the values that a panel does not have.
	if (!registered) throw new NodeOperationError(context.getNode(), `Unknown operation: ${resource} ${name}`);
	const { requestOf, options } = registered.operation;
	const isOfTask = requestOf !== undefined || options?.maxWait !== undefined;
	const call = isOfTask ? await mcpCallOf(context, registered.declared) : undefined;
	return [await new ItemLoop(context, registered, call).run()];
}

/** As many items as are read at once, before the first request: a file in S3 takes a request. */
const READ_AHEAD = 8;

/** What is read of each item, in their order; a few are read while one is waited for. */
function* ahead<T>(
	indexes: readonly number[],
	read: (index: number) => Promise<T>,
): Generator<[index: number, reading: Promise<T>]> {
	const begun: Array<[number, Promise<T>]> = [];
	for (const index of indexes) {
		const reading = read(index);
		// It is reported when it is waited for.
		reading.catch(() => undefined);
		begun.push([index, reading]);
		const [first] = begun.length < READ_AHEAD ? [] : begun.splice(0, 1);
		if (first) yield first;
	}
	yield* begun;
}

/** Lets others of the process work, each {@link READING_MS}. */
function pauses(): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (performance.now() - since < READING_MS) return;
		await sleep(0);
		since = performance.now();
	};
}

/** Runs an operation for all items. Those that succeeded before the node ran again are not sent again. */
class ItemLoop {
	private readonly parameters: NodeParameters;
	private readonly planned = new Map<number, PlannedItem>();
	private readonly outputs: ItemOutputs;
	private readonly deferred = new Map<number, Deferred>();
	/** The items that are to be sent with a key of the user. */
	private readonly ownKeys: KeyedItem[] = [];
	/** The calls of an agent that repeat one before. */
	private readonly repeated = new Set<number>();
	private readonly signal: RunSignal;
	private readonly runContext: RunContext;
	private readonly waitMeter = new WaitMeter(() => performance.now());
	/** What the first item says counts for all. */
	private concurrency: number | undefined;
	private firstError: { index: number; error: unknown } | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly registered: RegisteredOperation,
		private readonly call?: McpCall,
	) {
		this.parameters = new NodeParameters(context);
		const signals = [context.getExecutionCancelSignal(), call?.signal].filter((one) => one !== undefined);
		this.signal = new RunSignal(signals.length > 1 ? AbortSignal.any(signals) : signals[0]);
		this.runContext = new RunContext(context, registered.declared, call);
		this.outputs = new ItemOutputs(context, registered.operation.options, this.runContext.isTool);
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			const indexes = [...this.context.getInputData().keys()];
			await this.planAll(indexes);
			await this.refuseUndefined(indexes);
			await this.refuseSharedKeys();
			const { concurrency = 1 } = this;
			const isToolsCreation = this.runContext.isTool && this.registered.operation.requestOf !== undefined;
			const items = isToolsCreation ? this.runContext.records.creations : new Limiter(concurrency);
			const requests = new Limiter(concurrency);
			const slots = { reads: new Limiter(READ_CONCURRENCY), requests, files: requests };
			const open = indexes.filter((index) => this.outputs.isOpen(index));
			const attempt = async (index: number) =>
				await this.attempt(index, async () => await this.start(index, slots));
			const start = async (index: number) => {
				await items.run(async () => {
					if (this.call || !this.signal.isAborted) await attempt(index);
				});
			};
			// First those that have a task, so that nothing is charged if their credential is another one.
			const hasTask = (index: number) => this.runContext.records.get(index)?.taskId !== undefined;
			const [known, others] = [open.filter(hasTask), open.filter((index) => !hasTask(index))];
			await Promise.all(known.map(start));
			await Promise.all(others.map(start));
			const paused = await this.finishDeferred();
			await this.runContext.end();
			return await this.conclude(paused);
		} finally {
			this.signal.dispose();
			this.call?.end(this.runContext.records.others().length > 0);
		}
	}

	/** Reads and checks all items before the first request: what is wrong with the last one costs nothing. */
	private async planAll(indexes: readonly number[]): Promise<void> {
		// What was read before a person retried may have changed, and to read it again costs nothing.
		const { operation } = this.registered;
		const { records, isTool } = this.runContext;
		const isOutdated = this.runContext.isRetry && this.registered.name.startsWith('get');
		const read = async (index: number) => {
			const known = isOutdated ? undefined : await records.outputs(index);
			const isRead = (known && !operation.requestOf) || this.signal.isAborted;
			return { known, item: isRead ? undefined : await this.plan(index) };
		};
		let size = 0;
		const pause = pauses();
		for (const [index, reading] of ahead(indexes, read)) {
			if (this.signal.isAborted) return;
			await this.attempt(index, async () => {
				const { known, item } = await reading;
				if (!item) return known && this.keep(index, known);
				const request = operation.requestOf?.(item.planned);
				if (request !== undefined && !isTool) records.planned(index, request);
				if (known) return this.keep(index, known);
				this.noteOwnKey(index, item.planned);
				size += JSON.stringify(item.input.params).length;
				// Beyond, an item is read again when it starts.
				if (size <= MAX_WAITING) this.planned.set(index, item);
				return undefined;
			});
			await pause();
		}
	}

	/** The outputs that an item has of an earlier try; `undefined` for the error item of a run before the sleep. */
	private keep(index: number, known: INodeExecutionData[]): INodeExecutionData[] | undefined {
		if (!this.runContext.records.get(index)?.isErrorItem) return known;
		this.outputs.failed.set(index, known);
		return undefined;
	}

	/** An expression inside a text that is undefined in all items: what it asks for is not what was meant. */
	private async refuseUndefined(indexes: readonly number[]): Promise<void> {
		const isOpen = (index: number) => !this.outputs.failed.has(index);
		const error = await this.parameters.emptyExpressions.undefinedInAll(this.context, isOpen, pauses());
		if (error) await this.refuse(indexes.filter(isOpen), error);
	}

	/** One that has its task keeps it, whatever its plan says now. */
	private noteOwnKey(index: number, planned: unknown): void {
		const { records } = this.runContext;
		const own = this.registered.operation.ownKeyOf?.(planned);
		if (!own || records.get(index)?.taskId !== undefined) return;
		const key = records.get(index)?.key ?? ownKeyName(own.key);
		this.ownKeys.push({ index, key, content: digest(own.request) });
	}

	/** Items whose plans differ, and whose key of the user does not: all of them fail. */
	private async refuseSharedKeys(): Promise<void> {
		const open = this.ownKeys.filter(({ index }) => this.outputs.isOpen(index));
		const accountOf = async (index: number) => (await currentAccount(this.context, index)) || String(index);
		const inConflict = await itemsInConflict(open, accountOf);
		await this.refuse(
			inConflict.map(({ index }) => index),
			sharedKey(),
		);
	}

	private async refuse(indexes: readonly number[], error: Error): Promise<void> {
		for (const index of indexes) await this.attempt(index, async () => await Promise.reject(error));
	}

	private async plan(index: number): Promise<PlannedItem> {
		const { operation, parameters } = this.registered;
		const params = this.parameters.read(parameters, index);
		requestSettings(params.options);
		this.concurrency ??= params.options.concurrency;
		this.outputs.readFileName(index, params.options);
		const input = { index, params, run: this.runContext, n8n: this.context };
		return { input, planned: await operation.plan?.(input) };
	}

	/** Starts an item. Returns `undefined` when the rest of its work is deferred. */
	private async start(index: number, slots: Slots) {
		const { records, isTool, secrets } = this.runContext;
		const { error, key, taskId, state } = records.get(index) ?? {};
		// It may be charged, and cannot be repeated.
		if (error && key === undefined && taskId === undefined) throw new ApiError(error);
		const isKnown = isTool && key !== undefined && (state === 'done' || error === undefined);
		if (isKnown) this.repeated.add(index);
		const { input, planned } = this.planned.get(index) ?? (await this.plan(index));
		this.planned.delete(index);
		// Each item has its own credential, as in n8n's HTTP Request node.
		const client = await connect(this.context, requestSettings(input.params.options), {
			itemIndex: index,
			run: this.signal,
			slots,
			waitMeter: this.waitMeter,
		});
		for (const secret of client.settings.secrets) secrets.add(secret);
		const result = await this.registered.operation.execute({ ...input, client }, planned);
		if (!Array.isArray(result)) this.deferred.set(index, result);
		// A later try must not take it for the result.
		else if (asObject(input.params.options)?.dryRun === true) this.outputs.addAsIs(index, result);
		else return result;
		return undefined;
	}

	private async finishDeferred(): Promise<PausedRun | undefined> {
		const { deferred } = this;
		const finish = async (index: number) =>
			await this.attempt(index, async () => await deferred.get(index)?.finish());
		const { finishLater } = this.registered.operation;
		if (finishLater) return await finishLater(this.context, deferred, finish);
		await Promise.all([...deferred.keys()].map(finish));
		return undefined;
	}

	private async attempt(index: number, work: () => Promise<OperationOutput[] | undefined>): Promise<void> {
		const { records, ledger, secrets, isTool } = this.runContext;
		try {
			const outputs = await work();
			if (!outputs) return;
			const note = this.call ? SAME_FOR_NOW : SAME_TASK;
			const items = this.outputs.add(index, outputs, this.repeated.has(index) ? note : undefined);
			this.call?.returned();
			if (records.get(index)?.outputs === undefined) records.done(index, items);
		} catch (thrown) {
			if (isFailedTask(thrown)) ledger.taskFailed(thrown.details.taskId);
			if (isFailedTask(thrown) || isGone(thrown)) this.call?.forget();
			const error = records.failed(index, thrown);
			const shown = withoutSecrets(error, [...secrets]);
			const json = this.call && unfinished(shown, records.get(index));
			if (json) return void this.outputs.addAsIs(index, [{ json }]);
			// Another item's error stopped this one, which has no error of its own.
			if (error instanceof StoppedError && error.reason !== 'cancelled') return;
			if (error instanceof StoppedError) this.signal.abort('cancelled');
			this.outputs.fail(index, shown);
			if (isTool || this.context.continueOnFail()) return;
			this.firstError ??= { index, error: shown };
			this.signal.abort('other item failed');
		}
	}

	private async conclude(paused: PausedRun | undefined): Promise<INodeExecutionData[]> {
		const { firstError, context } = this;
		const { records, isTool, ledger } = this.runContext;
		if (this.signal.isCancelled && !this.call) throw this.cancelled();
		this.addHints();
		// Also if all items have their results of an earlier attempt.
		if (records.others().some(([, { account }]) => account !== undefined)) ledger.show();
		if (firstError) {
			const { index, error } = firstError;
			const next = this.nextTry();
			const others = othersText(records.others(index), next);
			throw toNodeError(context.getNode(), error, index, { others, hasRetry: next !== 'none' });
		}
		const outputs = this.outputs.all(paused?.outputs);
		if (paused) {
			for (const [index, failure] of this.outputs.failed)
				records.put(index, { state: 'done', outputs: failure, isErrorItem: true });
			await paused.end(outputs);
		} else if (isTool) {
			records.endTool();
			ledger.close();
		}
		// n8n runs a node with *Retry On Fail* again for any such field of the first item, also of a result.
		else if (!context.getNode().retryOnFail || outputs[0]?.json.error === undefined) {
			records.clear();
			ledger.close();
		}
		return outputs;
	}

	private nextTry(): NextTry {
		const { saveDataErrorExecution, saveManualExecutions } = workflowSettings(this.context);
		const mode = this.context.getMode();
		// n8n does not keep the execution.
		if (mode === 'manual' ? saveManualExecutions === false : saveDataErrorExecution === 'none') return 'none';
		return mode === 'integrated' ? 'retryOfSubExecution' : 'retry';
	}

	private addHints(): void {
		const { hints, dryRun, records } = this.runContext;
		if (dryRun.hint) hints.add(dryRun.hint);
		const count = this.context.getInputData().length;
		for (const hint of this.parameters.emptyExpressions.hints(count)) hints.add(hint);
		const sent = records.others().map(([, record]) => record);
		const fallbacks = sent.filter(({ isFallback }) => isFallback).length;
		if (fallbacks > 0) hints.add(fallbackHint(fallbacks));
		for (const { hint } of sent) if (hint !== undefined) hints.add(hint);
		for (const hint of this.outputs.hints()) hints.add(hint);
		const seconds = Math.round(this.waitMeter.totalMs / 1_000);
		if (seconds > 0) hints.add(`Requests waited ${seconds} s for the rate limit of the account.`);
	}

	/** n8n discards the error of a cancelled node, so the tasks that are paid for are logged as well. */
	private cancelled(): NodeOperationError {
		const node = this.context.getNode();
		const { records } = this.runContext;
		const others = records.others();
		const note = othersText(others, 'none');
		// The records are lost: all tasks are in the log.
		const all = othersText(others, 'none', Infinity);
		if (all) this.context.logger.warn(`"${node.name}" was cancelled. ${all}`);
		records.clear();
		return new NodeOperationError(node, 'The execution was cancelled', {
			description: inHtml(note) || 'No more requests were sent.',
		});
	}
}
