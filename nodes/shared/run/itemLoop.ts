import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { ApiError, StoppedError } from '../gateway/errors/errors';
import { withoutSecrets } from '../gateway/errors/secrets';
import type { Slots } from '../gateway/client/client';
import { Limiter, RunSignal } from '../gateway/client/limits';
import { inHtml } from '../gateway/util/text';
import { WaitMeter } from '../gateway/client/rateGate';
import { connect, currentAccount } from '../n8n/client';
import { workflowSettings } from '../n8n/context';
import { NodeParameters } from '../params/nodeParameters';
import type { Values } from '../params/parameter';
import { callerOf, type Caller } from './caller';
import { OwnKeys, sharedKey } from './charge/ownKeys';
import { nextTry, othersText } from './charge/words';
import { toNodeError } from './nodeError';
import type { Deferred, ItemInput, OperationOutput, PausedRun } from './operation';
import type { RegisteredOperation, Registry } from './registry';
import { ItemOutputs } from './outputs';
import { pauses, readAhead } from './readAhead';
import { RunContext } from './runContext';
import { requestSettings } from './settings';

/**
 * Polls and catalogues at the same time. They do not take the slots of downloads and creations: 500
 * tasks are polled at the pace of §3.1 while a poll takes up to half a second.
 */
const READ_CONCURRENCY = 64;

/** The longest that the values of items that wait may be together, in characters of JSON. */
const MAX_WAITING = 32 * 1024 * 1024;

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
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0));
	const registered = registry.find(resource, name);
	// n8n itself names the values that a panel does not have.
	if (!registered) throw new NodeOperationError(context.getNode(), `Unknown operation: ${resource} ${name}`);
	const { declared, operation } = registered;
	const caller = await callerOf(context, declared, operation.isOfTask === true);
	return [await new ItemLoop(context, registered, caller).run()];
}

/** Runs an operation for all items. Those that succeeded before the node ran again are not sent again. */
class ItemLoop {
	private readonly parameters: NodeParameters;
	private readonly planned = new Map<number, PlannedItem>();
	private readonly started = new Map<number, PlannedItem>();
	private readonly outputs: ItemOutputs;
	private readonly deferred = new Map<number, Deferred>();
	/** The items that repeat a call of before. */
	private readonly repeated = new Set<number>();
	private readonly ownKeys: OwnKeys;
	private readonly signal: RunSignal;
	private readonly runContext: RunContext;
	private readonly waitMeter = new WaitMeter(() => performance.now());
	/** The first item's counts for all. */
	private concurrency: number | undefined;
	private firstError: { index: number; error: unknown } | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly registered: RegisteredOperation,
		private readonly caller: Caller,
	) {
		this.parameters = new NodeParameters(context);
		const signals = [context.getExecutionCancelSignal(), caller.call?.signal].filter(
			(one) => one !== undefined,
		);
		this.signal = new RunSignal(signals.length > 1 ? AbortSignal.any(signals) : signals[0]);
		this.runContext = new RunContext(context, registered.declared, caller);
		this.outputs = new ItemOutputs(context, registered.operation.options, caller.isTool);
		this.ownKeys = new OwnKeys(this.runContext.records);
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			const indexes = [...this.context.getInputData().keys()];
			await this.planAll(indexes);
			await this.refuseUndefined(indexes);
			await this.refuseSharedKeys();
			await this.startAll(indexes.filter((index) => this.outputs.isOpen(index)));
			const paused = await this.finishDeferred();
			await this.runContext.end();
			return await this.conclude(paused);
		} finally {
			this.signal.dispose();
			this.caller.call?.end(this.runContext.records.others().length > 0);
		}
	}

	/** Reads and checks all items before the first request: an error of the last one costs nothing. */
	private async planAll(indexes: readonly number[]): Promise<void> {
		const { operation } = this.registered;
		const { records, isRetry } = this.runContext;
		const isOutdated = isRetry && operation.isRead;
		const read = async (index: number) => {
			const known = isOutdated ? undefined : await records.outputs(index);
			const isDone = known !== undefined && !operation.requestOf;
			return { known, item: isDone || this.signal.isAborted ? undefined : await this.plan(index) };
		};
		let size = 0;
		const pause = pauses();
		for (const [index, reading] of readAhead(indexes, read)) {
			if (this.signal.isAborted) return;
			await this.attempt(index, async () => {
				const { known, item } = await reading;
				const request = item && operation.requestOf?.(item.planned);
				if (request !== undefined && !this.caller.isTool) records.assignKey(index, request);
				if (known) return this.keep(index, known, item);
				if (!item) return undefined;
				this.ownKeys.note(index, operation.ownKeyOf?.(item.planned));
				size += JSON.stringify(item.input.params).length;
				// Beyond, an item is read again when it starts.
				if (size <= MAX_WAITING) this.planned.set(index, item);
				return undefined;
			});
			await pause();
		}
	}

	private async plan(index: number): Promise<PlannedItem> {
		const { operation, parameters } = this.registered;
		const params = this.parameters.read(parameters, index);
		requestSettings(params.options);
		this.concurrency ??= params.options.concurrency;
		const input = { index, params, run: this.runContext, n8n: this.context };
		return { input, planned: await operation.plan?.(input) };
	}

	/** The outputs that an item has of an earlier attempt; `undefined` for the error item of a run before a suspension. */
	private keep(
		index: number,
		known: INodeExecutionData[],
		item: PlannedItem | undefined,
	): OperationOutput[] | undefined {
		if (this.runContext.records.get(index)?.isErrorItem) {
			this.outputs.failed.set(index, known);
			return undefined;
		}
		if (item) this.started.set(index, item);
		return known;
	}

	/** An expression inside a text that is undefined in all items refers to something that is not there. */
	private async refuseUndefined(indexes: readonly number[]): Promise<void> {
		const hasNotFailed = (index: number) => !this.outputs.failed.has(index);
		const error = await this.parameters.emptyExpressions.undefinedInAll(this.context, hasNotFailed, pauses());
		// One that has its result keeps it.
		if (error) await this.refuse(indexes, error);
	}

	/** Items whose requests differ, and whose key of the user does not: all of them fail. */
	private async refuseSharedKeys(): Promise<void> {
		const accountOf = async (index: number) => (await currentAccount(this.context, index)) || String(index);
		const isOpen = (index: number) => this.outputs.isOpen(index);
		await this.refuse(await this.ownKeys.inConflict(isOpen, accountOf), sharedKey());
	}

	/** Fails the items that have no result yet. */
	private async refuse(indexes: readonly number[], error: Error): Promise<void> {
		const open = indexes.filter((index) => this.outputs.isOpen(index));
		for (const index of open) await this.attempt(index, async () => await Promise.reject(error));
	}

	/** Starts the items: first those that have a task, so that nothing is charged if their credential is another one. */
	private async startAll(open: readonly number[]): Promise<void> {
		const { concurrency = 1, caller } = this;
		const { records } = this.runContext;
		const isToolsCreation = caller.isTool && this.registered.operation.requestOf !== undefined;
		const items = isToolsCreation ? records.creations : new Limiter(concurrency);
		const requests = new Limiter(concurrency);
		const slots = { reads: new Limiter(READ_CONCURRENCY), requests, files: requests };
		const start = async (index: number) => {
			await items.run(async () => {
				if (this.signal.isAborted && !caller.call) return;
				await this.attempt(index, async () => await this.start(index, slots));
			});
		};
		const hasTask = (index: number) => records.get(index)?.taskId !== undefined;
		const [known, others] = [open.filter(hasTask), open.filter((index) => !hasTask(index))];
		await Promise.all(known.map(start));
		await Promise.all(others.map(start));
	}

	/** Starts an item. Returns `undefined` when the rest of its work is deferred. */
	private async start(index: number, slots: Slots): Promise<OperationOutput[] | undefined> {
		const { records, secrets } = this.runContext;
		const record = records.get(index);
		const { error, key, taskId } = record ?? {};
		// It may be charged, and cannot be repeated.
		if (error && key === undefined && taskId === undefined) throw new ApiError(error);
		if (this.caller.again(record)) this.repeated.add(index);
		const item = this.planned.get(index) ?? (await this.plan(index));
		this.planned.delete(index);
		this.started.set(index, item);
		const { input, planned } = item;
		// Each item has its own credential, as in n8n's HTTP Request node.
		const client = await connect(this.context, requestSettings(input.params.options), {
			itemIndex: index,
			run: this.signal,
			slots,
			waitMeter: this.waitMeter,
		});
		for (const secret of client.settings.secrets) secrets.add(secret);
		const result = await this.registered.operation.execute({ ...input, client }, planned);
		if (Array.isArray(result)) return result;
		this.deferred.set(index, result);
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

	/** Does a part of the work of an item, which ends with outputs or an error. */
	private async attempt(index: number, work: () => Promise<OperationOutput[] | undefined>): Promise<void> {
		const { records, secrets } = this.runContext;
		const { caller } = this;
		try {
			const outputs = await work();
			if (outputs) this.succeed(index, outputs);
		} catch (thrown) {
			const error = records.failed(index, thrown);
			const shown = withoutSecrets(error, [...secrets]);
			const unfinished = caller.unfinished?.(shown, records.get(index));
			if (unfinished) return void this.outputs.add(index, [unfinished]);
			// Another item's error stopped this one, which has no error of its own.
			if (error instanceof StoppedError && error.reason !== 'cancelled') return;
			if (error instanceof StoppedError) this.signal.abort('cancelled');
			this.outputs.fail(index, caller.errorOf(shown));
			if (caller.isTool || this.context.continueOnFail()) return;
			this.firstError ??= { index, error: shown };
			this.signal.abort('other item failed');
		}
	}

	private succeed(index: number, outputs: OperationOutput[]): void {
		const { present } = this.registered.operation;
		const item = this.started.get(index);
		this.started.delete(index);
		const presented = item && present ? present(outputs, item.input.params.options) : outputs;
		const items = this.outputs.add(index, this.caller.deliver(presented, this.repeated.has(index)));
		this.runContext.records.done(index, items);
	}

	private async conclude(paused: PausedRun | undefined): Promise<INodeExecutionData[]> {
		const { firstError, context, caller } = this;
		const { records, ledger } = this.runContext;
		if (this.signal.isCancelled && !caller.call) throw this.cancelled();
		this.addHints();
		// Also if all items have their results of an earlier attempt.
		if (records.others().some(([, { account }]) => account !== undefined)) ledger.show();
		if (firstError) {
			const { index, error } = firstError;
			const next = nextTry(context.getMode(), workflowSettings(context));
			const others = othersText(records.others(index), next);
			throw toNodeError(context.getNode(), error, index, { others, hasRetry: next !== 'none' });
		}
		const outputs = this.outputs.all(paused?.outputs);
		if (paused) {
			for (const [index, failure] of this.outputs.failed)
				records.put(index, { state: 'done', outputs: failure, isErrorItem: true });
			await paused.end(outputs);
		} else if (caller.end(records, outputs)) ledger.close();
		return outputs;
	}

	private addHints(): void {
		const { hints, records } = this.runContext;
		hints.end();
		const count = this.context.getInputData().length;
		const seconds = Math.round(this.waitMeter.totalMs / 1_000);
		const all = [
			...this.parameters.emptyExpressions.hints(count),
			...records.hints,
			...(this.registered.operation.hintsOf?.(this.outputs.own, this.context) ?? []),
			...(seconds > 0 ? [`Requests waited ${seconds} s for the rate limit of the account.`] : []),
		];
		for (const hint of all) hints.add(hint);
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
