import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { ApiError, StoppedError } from '../gateway/errors/errors';
import { withoutSecrets } from '../gateway/errors/secrets';
import type { ClientDependencies } from '../gateway/client/client';
import { WaitMeter } from '../gateway/client/rate/waitMeter';
import { connect } from '../n8n/client';
import { addHint } from '../n8n/features';
import { RunSignal } from '../n8n/runSignal';
import { NodeParameters } from '../params/source';
import { RunJournal } from './journal';
import { Limiter } from './limiter';
import { inMessage, toErrorJson, toNodeError } from './nodeError';
import { Deferred, type OperationOutput, type PausedRun } from './operation';
import type { RegisteredOperation, Registry } from './registry';
import { RunContext } from './runContext';
import { requestSettings } from './settings';

/**
 * Polls and catalogues at the same time, or *Concurrency*. They do not take the slots of downloads and creations: 500
 * tasks are polled at the pace of §3.1 while a poll takes up to half a second.
 */
const READ_CONCURRENCY = 64;

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
	return [await new ItemLoop(context, registered).run()];
}

/**
 * Runs an operation for all items: limits concurrency, keeps the order, pairs items, and handles errors as the
 * node's *On Error* says. Items that succeeded before *Retry On Fail* ran the node again are not sent again.
 */
class ItemLoop {
	private readonly parameters: NodeParameters;
	private readonly journal: RunJournal;
	/** The error items of those that have failed. */
	private readonly failures = new Map<number, INodeExecutionData[]>();
	private readonly deferred = new Map<number, Deferred>();
	private readonly signal: RunSignal;
	private readonly runContext: RunContext;
	private readonly waitMeter = new WaitMeter(() => performance.now());
	private firstError: { index: number; error: unknown } | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly registered: RegisteredOperation,
	) {
		this.parameters = new NodeParameters(context);
		this.signal = new RunSignal(context.getExecutionCancelSignal());
		this.runContext = new RunContext(context);
		this.journal = new RunJournal(context, this.runContext.run);
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			const concurrency = this.concurrency();
			const items = new Limiter(concurrency);
			const requests = new Limiter(concurrency);
			const reads = new Limiter(Math.max(concurrency, READ_CONCURRENCY));
			const withSlot: ClientDependencies['withSlot'] = async (work, kind) =>
				await (kind === 'poll' || kind === 'catalogue' ? reads : requests).run(work);
			const all = this.context.getInputData().map(async (_, index) => {
				await items.run(async () => {
					if (!this.signal.isAborted)
						await this.attempt(index, async () => await this.start(index, withSlot));
				});
			});
			await Promise.all(all);
			const paused = await this.finishDeferred();
			await this.runContext.end();
			return await this.conclude(paused);
		} finally {
			this.signal.dispose();
		}
	}

	/** What all items share. An error here ends the node. */
	private concurrency(): number {
		try {
			return this.params(0).options.concurrency;
		} catch (error) {
			throw toNodeError(this.context.getNode(), error, 0, this.journal.paidNote());
		}
	}

	private params(index: number) {
		return this.registered.parameters.read(this.parameters.item(index));
	}

	/** Starts an item. Returns `undefined` when the rest of its work is deferred. */
	private async start(index: number, withSlot: ClientDependencies['withSlot']) {
		const { outputs, key, error } = this.journal.entry(index) ?? {};
		if (outputs) return outputs;
		// It may be charged, and cannot be repeated.
		if (error && key === undefined) throw new ApiError(error);
		// Each item has its own credential, as in n8n's HTTP Request node.
		const params = this.params(index);
		const client = await connect(this.context, requestSettings(params.options), {
			itemIndex: index,
			signal: this.signal,
			withSlot,
			waitMeter: this.waitMeter,
		});
		for (const secret of client.settings.secrets) this.runContext.secrets.add(secret);
		const result = await this.registered.operation.execute({
			index,
			params,
			client,
			run: this.runContext,
			journal: this.journal,
			n8n: this.context,
		});
		if (!(result instanceof Deferred)) return result;
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

	/** Does work for an item. Its outputs are those of the item. */
	private async attempt(index: number, work: () => Promise<OperationOutput[] | undefined>): Promise<void> {
		try {
			const outputs = await work();
			if (outputs) this.journal.note(index, { outputs: paired(index, outputs) });
		} catch (thrown) {
			const error = this.journal.failed(index, thrown);
			// Another item's error stopped this one, which has no error of its own.
			if (error instanceof StoppedError && error.reason !== 'cancelled') return;
			if (error instanceof StoppedError) this.signal.abort('cancelled');
			const shown = withoutSecrets(error, [...this.runContext.secrets]);
			// Without `item.error`: n8n would replace the details by the message alone.
			this.failures.set(index, paired(index, [{ json: { error: toErrorJson(shown) } }]));
			if (this.context.continueOnFail()) return;
			this.firstError ??= { index, error: shown };
			this.signal.abort('other item failed');
		}
	}

	private async conclude(paused: PausedRun | undefined): Promise<INodeExecutionData[]> {
		const { journal, failures, firstError } = this;
		if (this.signal.isCancelled) throw this.cancelled();
		this.addHints();
		if (firstError) {
			const { index, error } = firstError;
			const nodeError = toNodeError(this.context.getNode(), error, index, journal.paidNote(index));
			journal.endTry(true);
			throw this.runContext.isTool ? inMessage(nodeError) : nodeError;
		}
		const outputs = this.context.getInputData().flatMap((_, index) => {
			const done = failures.get(index) ?? journal.entry(index)?.outputs;
			const unfinished = paused?.outputs.get(index) ?? [];
			// Copies: n8n changes what a node returns, and the journal may be kept.
			return done?.map((item) => ({ ...item })) ?? paired(index, [unfinished].flat());
		});
		if (paused) {
			for (const [index, failure] of failures) journal.note(index, { outputs: failure });
			await paused.end(outputs);
		}
		// n8n runs a node with *Retry On Fail* again for any such field, also of a result.
		else journal.endTry((outputs[0]?.json.error ?? false) !== false);
		return outputs;
	}

	private addHints(): void {
		const { hints, dryRun } = this.runContext;
		if (dryRun.hint) hints.add(dryRun.hint);
		const seconds = Math.round(this.waitMeter.totalMs / 1_000);
		if (seconds > 0) {
			hints.add(`Requests waited ${seconds} s for the rate limit of the account or 'Requests per Minute'.`);
		}
		for (const hint of hints) addHint(this.context, hint);
	}

	/** n8n discards the error of a cancelled node, so the tasks that are paid for are logged as well. */
	private cancelled(): NodeOperationError {
		const node = this.context.getNode();
		const note = this.journal.paidNote();
		if (note) this.context.logger.warn(`"${node.name}" was cancelled.${note}`);
		this.journal.clear();
		return new NodeOperationError(node, 'The execution was cancelled', {
			description: note.trim() || 'No more requests were sent.',
		});
	}
}

/** Links outputs to the item that they come from. */
function paired(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}
