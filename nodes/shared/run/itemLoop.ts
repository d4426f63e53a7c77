import { randomUUID } from 'node:crypto';
import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { withoutSecrets } from '../gateway/errors/fromResponse';
import { StoppedError } from '../gateway/errors/errors';
import type { Transport } from '../gateway/client/transport';
import { GatewayClient, type RequestSettings } from '../gateway/client/client';
import { clock } from '../n8n/clock';
import { RunSignal } from './runSignal';
import { isErrorItem, ItemResults, pairWithItem, restoreResult } from './itemResults';
import { forEachIndex, Limiter } from './limiter';
import { tasksNote, toNodeError, withHint } from './nodeError';
import { Deferred, type ItemContext, type Operation, type OperationOutput, type Registry } from './operation';
import { Parameters } from '../params/parameters';
import { RunContext } from './runContext';
import { itemSettings, readConcurrency } from './settings';
import { finishOrSleep, type Asleep } from '../../MediaTask/suspend/finishOrSuspend';
import { SavedResults } from './savedResults';
import {
	fallAsleep,
	sleepBefore,
	wakeUpSecrets,
	type Sleep,
	type SleepingItem,
} from '../../MediaTask/suspend/savedState';
import {
	credentialReader,
	gatewayAddress,
	n8nTransport,
	type CredentialReader,
	type GatewayAddress,
} from '../n8n/transport';

/** Runs the operation that the node's `resource` and `operation` name. The whole of a node's `execute`. */
export async function executeRegistry(
	context: IExecuteFunctions,
	registry: Registry,
): Promise<INodeExecutionData[][]> {
	if (context.getInputData().length === 0) return [[]];
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0));
	const operation = registry[resource]?.operations[name];
	if (!operation) {
		throw new NodeOperationError(context.getNode(), `The operation "${name}" of "${resource}" is unknown`, {
			description: "Open the node and choose 'Resource' and 'Operation' again.",
		});
	}
	return await new ItemLoop(context, operation).run();
}

/**
 * Takes all items through an operation: bounded concurrency, order kept, items linked, failures handled as the
 * node's *On Error* says, repeats of *Retry On Fail* answered from what had succeeded.
 */
class ItemLoop {
	private readonly node;
	private readonly count: number;
	private readonly results: ItemResults;
	private readonly deferred = new Map<number, Deferred>();
	private readonly interruption: RunSignal;
	private readonly facts: RunContext;
	private readonly credential: CredentialReader;
	private readonly transport: Transport;
	/** Known as soon as the credential has been read. */
	private secrets: readonly string[] = [];
	/** The tasks that exist and are paid for, by item. */
	private readonly tasks = new Map<number, string>();
	/** How the requests of the items behave that were begun. */
	private readonly settings = new Map<number, RequestSettings>();
	/** The sleep from which the execution has been woken, and what is to be done after it. */
	private readonly sleepBefore: Sleep | undefined;
	private readonly woken: ReadonlyMap<number, SleepingItem>;
	private firstFailure: { index: number; error: unknown } | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
	) {
		this.node = context.getNode();
		this.count = context.getInputData().length;
		this.results = new ItemResults(this.count);
		this.interruption = new RunSignal(context.getExecutionCancelSignal());
		this.facts = new RunContext(context);
		this.credential = credentialReader(context);
		this.transport = n8nTransport(context, {
			credential: this.credential,
			cancelSignal: context.getExecutionCancelSignal(),
		});
		this.sleepBefore = operation.resume && sleepBefore(context);
		this.woken = new Map(this.sleepBefore?.items.map((item) => [item.index, item]));
		for (const [index, taskId] of Object.entries(this.sleepBefore?.tasks ?? {})) {
			this.tasks.set(Number(index), taskId);
		}
	}

	async run(): Promise<INodeExecutionData[][]> {
		try {
			return [await this.runAll()];
		} finally {
			this.interruption.dispose();
		}
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const memory = new SavedResults(this.context, this.facts);
		const { concurrency, address } = await this.prepare();
		const limiter = new Limiter(concurrency);
		const item = (index: number) => this.itemContext(index, memory, address, limiter);

		await forEachIndex(
			this.count,
			concurrency,
			() => !this.interruption.isAborted,
			async (index) => {
				await this.settle(index, async () => await this.start(index, item, memory));
			},
		);
		const asleep = await finishOrSleep(this.deferred, {
			finish: async (index) =>
				await this.settle(index, async () => pairWithItem(index, (await this.deferred.get(index)?.finish()) ?? [])),
			attempt: async (index, work) =>
				await this.settle(index, async () => {
					await work();
					return undefined;
				}),
		});
		return await this.conclude(memory, asleep, concurrency);
	}

	/** Reads what holds for the whole node; a mistake there is no item's. */
	private async prepare(): Promise<{ concurrency: number; address: GatewayAddress }> {
		try {
			const concurrency = this.sleepBefore?.concurrency ?? readConcurrency(this.context);
			const { baseUrl, secrets } = await gatewayAddress(this.credential);
			const more = this.operation.resume ? wakeUpSecrets(this.context) : [];
			this.secrets = [...secrets, ...more];
			return { concurrency, address: { baseUrl, secrets: this.secrets } };
		} catch (error) {
			throw toNodeError(this.node, error, 0);
		}
	}

	private itemContext(
		index: number,
		memory: SavedResults,
		address: GatewayAddress,
		limiter: Limiter,
	): ItemContext {
		const parameters = new Parameters(this.context, index);
		const settings = this.woken.get(index)?.settings ?? itemSettings(parameters);
		this.settings.set(index, settings);
		const client = new GatewayClient(
			{ ...address, ...settings },
			{
				...clock,
				transport: this.transport,
				withSlot: async (work) =>
					await limiter.run(async () => {
						this.interruption.check();
						return await work();
					}),
				pause: async (milliseconds) => await this.interruption.pause(milliseconds),
			},
		);
		const taskCreated = (taskId: string) => void this.tasks.set(index, taskId);
		return {
			index,
			parameters,
			client,
			run: this.facts,
			isRetry: memory.isRetry,
			taskCreated,
			n8n: this.context,
		};
	}

	/** Begins an item; `undefined` when the rest of its work is deferred. */
	private async start(
		index: number,
		item: (index: number) => ItemContext,
		memory: SavedResults,
	): Promise<INodeExecutionData[] | undefined> {
		const mergedIds = memory.get(index);
		if (mergedIds) return restoreResult(mergedIds);
		const result = await this.begin(index, item);
		if (!(result instanceof Deferred)) return pairWithItem(index, result);
		this.deferred.set(index, result);
		return undefined;
	}

	/** Begins an item, or goes on with it after a sleep. */
	private async begin(
		index: number,
		item: (index: number) => ItemContext,
	): Promise<OperationOutput[] | Deferred> {
		const { sleepBefore: sleep, operation } = this;
		if (!sleep || !operation.resume) return await operation.execute(item(index));
		const memo = this.woken.get(index)?.memo;
		if (memo) return operation.resume(item(index), memo, sleep.until);
		// What was done before the sleep was stored in place of the input.
		const { json = {}, binary } = this.context.getInputData()[index] ?? {};
		return [{ json, ...(binary ? { binary } : {}) }];
	}

	private async settle(index: number, work: () => Promise<INodeExecutionData[] | undefined>): Promise<void> {
		try {
			const outputs = await work();
			if (outputs) this.results.succeed(index, outputs);
		} catch (error) {
			// A run that has ended stops the other items too; they have no failure of their own.
			if (error instanceof StoppedError && error.reason !== 'cancelled') return;
			if (error instanceof StoppedError) this.interruption.interrupt('cancelled');
			this.fail(index, withoutSecrets(error, this.secrets));
		}
	}

	private fail(index: number, error: unknown): void {
		this.results.fail(index, error);
		if (this.context.continueOnFail()) return;
		this.firstFailure ??= { index, error };
		this.interruption.interrupt('other item failed');
	}

	private async conclude(
		memory: SavedResults,
		asleep: ReadonlyMap<number, Asleep>,
		concurrency: number,
	): Promise<INodeExecutionData[]> {
		const tasks = [...this.tasks.values()];
		if (this.interruption.isCancelled) {
			const note = tasksNote(tasks);
			// n8n keeps nothing of what a cancelled node says, so what is paid for is logged as well.
			if (note) this.context.logger.warn(`"${this.node.name}" was cancelled.${note}`);
			throw new NodeOperationError(this.node, 'The execution was cancelled', {
				description: `No more requests were sent.${note}`,
			});
		}
		if (this.firstFailure) {
			memory.save(this.results.toSave());
			const { index, error } = this.firstFailure;
			const failure = toNodeError(this.node, error, index, tasksNote(tasks, error));
			throw this.facts.isTool ? withHint(failure) : failure;
		}
		const late = new Map([...asleep].map(([index, { json }]) => [index, pairWithItem(index, [{ json }])]));
		const outputs = this.results.outputs(late);
		// n8n runs the node again when its first item is an error, also with On Error: Continue.
		const runsAgain = isErrorItem(outputs[0]) && memory.hasNextTry;
		if (runsAgain) memory.save(this.results.toSave());
		else memory.clear();
		if (asleep.size > 0 && !runsAgain) await this.sleep(outputs, asleep, concurrency);
		return outputs;
	}

	/** Ends the node for now. A call wakes it: then it runs again. */
	private async sleep(
		outputs: INodeExecutionData[],
		asleep: ReadonlyMap<number, Asleep>,
		concurrency: number,
	): Promise<void> {
		const sleepers = [...asleep.values()].map(({ sleeper }) => sleeper);
		const items = [...asleep].map(([index, { memo, sleeper }]): SleepingItem => {
			const { taskId, calls } = sleeper;
			const settings = this.settings.get(index) ?? { maxRetries: 0 };
			return { index, taskId, calls, memo, settings };
		});
		await fallAsleep(this.context, outputs, {
			id: randomUUID(),
			until: Math.max(...sleepers.map(({ until }) => until)),
			concurrency,
			items,
			tasks: Object.fromEntries(this.tasks),
		});
		void sleepers
			.filter(({ calls }) => calls)
			.at(-1)
			?.watch();
	}
}
