import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { StoppedError } from '../gateway/errors/errors';
import { withoutSecrets } from '../gateway/errors/secrets';
import { WaitMeter } from '../gateway/client/rate/waitMeter';
import { connect } from '../n8n/client';
import { RunSignal } from '../n8n/runSignal';
import type { Source } from '../params/parameter';
import { NodeParameters } from '../params/source';
import { ItemResults, pairWithItem } from './itemResults';
import { RunJournal } from './journal';
import { Limiter } from './limiter';
import { tasksNote, toNodeError, unknownNote, withHint } from './nodeError';
import { Deferred, type PausedRun } from './operation';
import type { RegisteredOperation, Registry } from './registry';
import { RunContext } from './runContext';
import { requestSettings } from './settings';

/**
 * Tasks polled at the same time; *Concurrency*, if that is higher. Polls do not take the slots of downloads and
 * creations: 500 tasks are polled at the pace of §3.1 while a poll takes up to half a second.
 */
const POLL_CONCURRENCY = 64;

type Slots = Record<'poll' | 'other', Limiter>;

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
	private readonly waitMeter = new WaitMeter(() => performance.now());
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
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			return await this.runAll();
		} finally {
			this.signal.dispose();
			this.runContext.end();
		}
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const { concurrency, slots } = this.prepare();
		const items = new Limiter(concurrency);
		const start = async (index: number) => {
			if (this.signal.isAborted) return;
			await this.attempt(index, async () => await this.start(index, slots));
		};
		const all = Array.from({ length: this.count }, async (_, index) => {
			await items.run(async () => await start(index));
		});
		await Promise.all(all);
		const started = this.runContext.started();
		const paused = await this.finishDeferred();
		await started;
		return await this.conclude(paused);
	}

	private async finishDeferred(): Promise<PausedRun | undefined> {
		const { deferred } = this;
		const finish = async (index: number) =>
			await this.attempt(index, async () => pairWithItem(index, (await deferred.get(index)?.finish()) ?? []));
		const { operation } = this.registered;
		if (operation.finishLater) {
			const attempt = async (index: number, work: () => Promise<void>) =>
				await this.attempt(index, async () => await work().then(() => undefined));
			return await operation.finishLater(this.context, { deferred, finish, attempt });
		}
		await Promise.all([...deferred.keys()].map(finish));
		return undefined;
	}

	/** Reads what all items share. An error here ends the node. */
	private prepare(): { concurrency: number; slots: Slots } {
		try {
			const { concurrency } = this.params(0).options;
			const polls = Math.max(concurrency, POLL_CONCURRENCY);
			return { concurrency, slots: { other: new Limiter(concurrency), poll: new Limiter(polls) } };
		} catch (error) {
			throw toNodeError(this.node, error, 0, this.paidNote(error));
		}
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
		// Each item has its own credential, as in n8n's HTTP Request node.
		const { secrets, client } = await connect(this.context, {
			itemIndex: index,
			signal: this.signal,
			withSlot: async (work, kind) => {
				if (kind === 'catalogue') return await work();
				return await slots[kind === 'poll' ? 'poll' : 'other'].run(work);
			},
			waitMeter: this.waitMeter,
		});
		for (const secret of secrets) this.runContext.secrets.add(secret);
		const params = this.params(index);
		const result = await this.registered.operation.execute({
			index,
			params,
			client: client(requestSettings(params.options)),
			run: this.runContext,
			journal: this.journal.item(index),
			n8n: this.context,
		});
		if (!(result instanceof Deferred)) return pairWithItem(index, result);
		this.deferred.set(index, result);
		return undefined;
	}

	private async attempt(index: number, work: () => Promise<INodeExecutionData[] | undefined>): Promise<void> {
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
			this.fail(index, withoutSecrets(error, [...this.runContext.secrets]));
		}
	}

	private fail(index: number, error: unknown): void {
		this.results.fail(index, error);
		if (this.context.continueOnFail()) return;
		this.firstError ??= { index, error };
		this.signal.abort('other item failed');
	}

	private async conclude(paused: PausedRun | undefined): Promise<INodeExecutionData[]> {
		if (this.signal.isCancelled) throw this.cancelled();
		this.showWaits();
		const { journal, results } = this;
		const hasNextTry = journal.endTry();
		if (this.firstError) {
			const { index, error } = this.firstError;
			const nodeError = toNodeError(this.node, error, index, this.paidNote(error, index));
			// n8n may run a node once more than 'Max. Tries' says; an agent may call its tool again on purpose.
			if (hasNextTry || (journal.isRetried && !this.runContext.isTool)) journal.keep(results.succeeded());
			else journal.clear();
			throw this.runContext.isTool ? withHint(nodeError) : nodeError;
		}
		const unfinished = [...(paused?.outputs ?? [])].map(
			([index, output]) => [index, pairWithItem(index, [output])] as const,
		);
		const outputs = results.outputs(new Map(unfinished));
		const { tasks } = journal;
		if (hasNextTry && isErrorFirst(outputs)) journal.keep(results.succeeded());
		else if (paused) {
			journal.pause(results.all());
			await paused.end(outputs, tasks);
		} else journal.clear();
		return outputs;
	}

	private showWaits(): void {
		const { cost } = this.runContext;
		if (cost.ownRub !== '0') this.runContext.hint(`Cost: ₽${cost.ownRub}`);
		const { totalMs } = this.waitMeter;
		if (totalMs < SHOWN_WAIT_MS) return;
		const seconds = Math.round(totalMs / 1_000);
		this.runContext.hint(
			`Requests waited ${seconds} s for the rate limit of the account or 'Requests per Minute'.`,
		);
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
}

/** Whether *Retry On Fail* runs the node again after this output. */
function isErrorFirst([first]: readonly INodeExecutionData[]): boolean {
	const error: unknown = first?.json.error;
	return error !== undefined && error !== null && error !== false;
}
