import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import type { Lane } from '../gateway/client/attempts';
import type { RequestSettings } from '../gateway/client/client';
import { asError, StoppedError } from '../gateway/errors/errors';
import { withoutSecrets } from '../gateway/errors/secrets';
import { WaitMeter } from '../gateway/client/rate/waitMeter';
import { connect, type Connection } from '../n8n/client';
import { isToolExecution } from '../n8n/features';
import { RunSignal } from '../n8n/runSignal';
import type { Source } from '../params/parameter';
import { NodeParameters } from '../params/source';
import { isErrorItem, ItemResults, pairWithItem } from './itemResults';
import { RunJournal } from './journal';
import { forEachIndex, Limiter } from './limiter';
import { tasksNote, toNodeError, unknownNote, withHint } from './nodeError';
import { Deferred, noSuspension, type ItemContext, type OperationOutput, type Suspension } from './operation';
import type { RegisteredOperation, Registry } from './registry';
import { RunContext } from './runContext';
import { requestSettings } from './settings';

/**
 * Tasks polled at the same time; *Concurrency*, if that is higher. Polls do not take the slots of downloads and
 * creations: 500 tasks are polled at the pace of §3.1 while a poll takes up to half a second.
 */
const POLL_CONCURRENCY = 64;

type Slots = Record<Lane, Limiter>;

/** Waits for the rate limit are shown from this time on, in milliseconds. */
const SHOWN_WAIT_MS = 1_000;

/** The `execute` of a node: runs the operation that its `resource` and `operation` name. */
export async function executeRegistry(
	context: IExecuteFunctions,
	registry: Registry,
): Promise<INodeExecutionData[][]> {
	if (context.getInputData().length === 0) return [[]];
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0));
	const registered = registry.find(resource, name);
	if (!registered) {
		throw new NodeOperationError(context.getNode(), `The operation "${name}" of "${resource}" is unknown`, {
			description: "Open the node and choose 'Resource' and 'Operation' again.",
		});
	}
	return [await new ItemLoop(context, registered).run()];
}

/**
 * Runs an operation for all items: limits concurrency, keeps the order, pairs items, and handles errors as the
 * node's *On Error* says. Items that succeeded before *Retry On Fail* ran the node again are not sent again.
 */
class ItemLoop {
	private readonly node;
	private readonly count: number;
	/** The parameters of an item. */
	private readonly source: (index: number) => Source;
	private readonly results: ItemResults;
	private readonly journal: RunJournal;
	private readonly deferred = new Map<number, Deferred>();
	private readonly signal: RunSignal;
	private readonly runContext: RunContext;
	private readonly suspension: Suspension;
	private readonly waitMeters = {
		account: new WaitMeter(() => performance.now()),
		own: new WaitMeter(() => performance.now()),
	};
	/** The request settings of the items that were started. */
	private readonly settings = new Map<number, RequestSettings>();
	/** Of all items whose credential has been read. */
	private readonly secrets = new Set<string>();
	private firstError: { index: number; error: unknown } | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly registered: RegisteredOperation,
	) {
		this.node = context.getNode();
		this.count = context.getInputData().length;
		const parameters = new NodeParameters(context);
		const first = parameters.item(0);
		// Item 0 is read twice: for what all items share, and for itself.
		this.source = (index) => (index === 0 ? first : parameters.item(index));
		this.results = new ItemResults(this.count);
		this.signal = new RunSignal(context.getExecutionCancelSignal());
		this.runContext = new RunContext(context);
		this.journal = new RunJournal(context, this.runContext);
		this.suspension = registered.operation.suspension?.(context) ?? noSuspension;
		this.journal.resumed(this.suspension.resumed?.tasks ?? new Map());
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			return await this.runAll();
		} catch (error) {
			this.journal.throws();
			// With On Error: Continue, n8n passes on the node's input in place of its output.
			if (this.context.continueOnFail() && !this.journal.hasNextTry) this.suspension.forget();
			throw asError(error);
		} finally {
			this.signal.dispose();
			this.runContext.end();
		}
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const { concurrency, slots } = this.prepare();
		await forEachIndex(
			this.count,
			concurrency,
			() => !this.signal.isAborted,
			async (index) => {
				await this.settle(index, async () => await this.start(index, slots));
			},
		);
		const started = this.runContext.started();
		const suspended = await this.suspension.settle({
			deferred: this.deferred,
			finish: async (index) =>
				await this.settle(index, async () =>
					pairWithItem(index, (await this.deferred.get(index)?.finish()) ?? []),
				),
			attempt: async (index, work) =>
				await this.settle(index, async () => {
					await work();
					return undefined;
				}),
		});
		await started;
		return await this.conclude(suspended, concurrency);
	}

	/** Reads what all items share. An error here ends the node. */
	private prepare(): { concurrency: number; slots: Slots } {
		const { resumed } = this.suspension;
		try {
			const concurrency = resumed?.concurrency ?? this.params(0).options.concurrency;
			const polls = Math.max(concurrency, POLL_CONCURRENCY);
			const slots = {
				other: new Limiter(concurrency),
				poll: new Limiter(polls),
				catalogue: new Limiter(Infinity),
			};
			return { concurrency, slots };
		} catch (error) {
			throw toNodeError(this.node, error, 0, this.paidNote(error));
		}
	}

	/** Each item has its own credential, as in n8n's HTTP Request node. */
	private async connect(itemIndex: number, slots: Slots): Promise<Connection> {
		const connection = await connect(this.context, {
			itemIndex,
			signal: this.signal,
			withSlot: async (work, lane) => await slots[lane].run(work),
			waitMeters: this.waitMeters,
			secrets: this.suspension.secrets,
		});
		for (const secret of connection.secrets) this.secrets.add(secret);
		return connection;
	}

	/**
	 * Names what is, or may be, paid for, also by earlier tries.
	 *
	 * @param error the error that ends the node, and the item that it is about: they say it themselves
	 */
	private paidNote(error?: unknown, failed?: number): string {
		const { tasks, unknown } = this.journal;
		return unknownNote(unknown, failed) + tasksNote([...tasks.values()], error);
	}

	private params(index: number) {
		return this.registered.parameters.read(this.source(index));
	}

	/** Starts an item. Returns `undefined` when the rest of its work is deferred. */
	private async start(index: number, slots: Slots): Promise<INodeExecutionData[] | undefined> {
		const finished = this.journal.finishedOutputs(index);
		if (finished) return finished;
		const lastError = this.journal.lastError(index);
		if (lastError) throw lastError;
		const result = await this.begin(index, await this.connect(index, slots));
		if (!(result instanceof Deferred)) return pairWithItem(index, result);
		this.deferred.set(index, result);
		return undefined;
	}

	private async begin(index: number, connection: Connection): Promise<OperationOutput[] | Deferred> {
		const { resumed } = this.suspension;
		const params = this.params(index);
		const settings = resumed
			? (resumed.settings.get(index) ?? { maxRetries: 0 })
			: requestSettings(params.options);
		this.settings.set(index, settings);
		const item: ItemContext<typeof params> = {
			index,
			params,
			client: connection.client(settings),
			run: this.runContext,
			journal: this.journal.item(index),
			n8n: this.context,
		};
		return resumed ? this.suspension.resume(item) : await this.registered.operation.execute(item);
	}

	private async settle(index: number, work: () => Promise<INodeExecutionData[] | undefined>): Promise<void> {
		try {
			const outputs = await work();
			if (!outputs) return;
			this.journal.succeeded(index);
			this.results.succeed(index, outputs);
		} catch (thrown) {
			const error = this.journal.failed(index, thrown);
			// Another item's error stopped this one, which has no error of its own.
			if (error instanceof StoppedError && error.reason !== 'cancelled') return;
			if (error instanceof StoppedError) this.signal.abort('cancelled');
			this.fail(index, withoutSecrets(error, [...this.secrets]));
		}
	}

	private fail(index: number, error: unknown): void {
		this.results.fail(index, error);
		if (this.context.continueOnFail()) return;
		this.firstError ??= { index, error };
		this.signal.abort('other item failed');
	}

	private async conclude(
		suspended: ReadonlyMap<number, OperationOutput>,
		concurrency: number,
	): Promise<INodeExecutionData[]> {
		if (this.signal.isCancelled) throw this.cancelled();
		this.showWaits();
		if (this.firstError) {
			const { index, error } = this.firstError;
			const nodeError = toNodeError(this.node, error, index, this.paidNote(error, index));
			this.endTry('throws');
			throw this.runContext.isTool ? withHint(nodeError) : nodeError;
		}
		const outputs = this.results.outputs(
			new Map([...suspended].map(([index, output]) => [index, pairWithItem(index, [output])])),
		);
		// With *Retry On Fail*, n8n runs the node again when its first item is an error, also with On Error:
		// Continue.
		const runsAgain = isErrorItem(outputs[0]) && this.journal.hasNextTry && !isToolExecution(this.context);
		const { tasks } = this.journal;
		this.endTry(runsAgain ? 'returns' : 'over');
		if (suspended.size > 0 && !runsAgain) {
			const { settings } = this;
			await this.suspension.suspend(outputs, { concurrency, settings, tasks });
		}
		return outputs;
	}

	private showWaits(): void {
		const { stateTimes, cost } = this.runContext;
		const { summary } = stateTimes;
		if (summary !== undefined)
			this.runContext.hint(cost.ownRub === '0' ? summary : `${summary}. Cost: ₽${cost.ownRub}`);
		this.showWait('the rate limit of the account', this.waitMeters.account);
		this.showWait("'Requests per Minute' of this or another node", this.waitMeters.own);
	}

	private showWait(limit: string, { totalMs }: WaitMeter): void {
		if (totalMs < SHOWN_WAIT_MS) return;
		const seconds = Math.round(totalMs / 1_000);
		this.runContext.hint(`Requests waited for ${limit}: ${seconds} s of the time that this node took.`);
	}

	/** n8n discards the error of a cancelled node, so the tasks that are paid for are logged as well. */
	private cancelled(): NodeOperationError {
		const note = this.paidNote();
		if (note) this.context.logger.warn(`"${this.node.name}" was cancelled.${note}`);
		this.journal.clear();
		return new NodeOperationError(this.node, 'The execution was cancelled', {
			description: note.trim() || 'No more requests were sent.',
		});
	}

	/** @param end whether n8n may run the node again: after an error, or after the output of an error item */
	private endTry(end: 'over' | 'throws' | 'returns'): void {
		// An agent may call its tool again on purpose.
		const isOver = end === 'over' || (this.runContext.isTool && !this.journal.hasNextTry);
		if (isOver) this.journal.clear();
		else this.journal.keep(this.results.succeeded(), end === 'returns');
	}
}
