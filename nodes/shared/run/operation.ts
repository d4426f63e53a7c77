import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { GatewayClient, RequestSettings } from '../gateway/client/client';
import type { Declarations, Values } from '../params/parameter';
import type { RunContext } from './runContext';
import type { runOptions } from './settings';

/** What an operation works with for one item. */
export interface ItemContext<Params = unknown> {
	readonly index: number;
	/** The values of the operation's parameters and, under `options`, of its options. Each is read when it is asked for. */
	readonly params: Params;
	readonly client: GatewayClient;
	readonly run: RunContext;
	/** Whether *Retry On Fail* runs the node again: what the item asks for may exist already. */
	readonly isRetry: boolean;
	/** Notes a task that exists and is paid for, so that its ID is reported when the node's output is lost. */
	readonly taskCreated: (taskId: string) => void;
	/** n8n's functions, for binary data. */
	readonly n8n: IExecuteFunctions;
}

/** One output item; the item loop pairs it with its input item. */
export interface OperationOutput {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** The rest of an item's work, done together with that of the others when every item has been started. */
export class Deferred {
	constructor(readonly finish: () => Promise<OperationOutput[]>) {}
}

/** An operation is one module: what the panel shows of it, and what it does with an item. */
export interface Operation<P extends Declarations = Declarations, O extends Declarations = Declarations> {
	displayName: string;
	/** As the list of actions names it, without articles, e.g. "Create media task". */
	action: string;
	description: string;
	/** In the order of the panel, without display conditions on resource and operation: the registry adds those. */
	parameters: P;
	/** Options besides those of every operation; one of the same name replaces such. */
	options?: O;
	execute(
		item: ItemContext<Values<P> & { readonly options: Values<O & typeof runOptions> }>,
	): Promise<OperationOutput[] | Deferred>;
	/** How the execution is suspended during deferred work, where it may be. */
	suspension?(n8n: IExecuteFunctions): Suspension;
}

/** Declares an operation, whose `execute` gets the values of its parameters. */
export function defineOperation<P extends Declarations, O extends Declarations = Record<never, never>>(
	operation: Operation<P, O>,
): Operation {
	return operation;
}

/** Operations on the same thing. */
export interface Resource {
	displayName: string;
	operations: Readonly<Record<string, Operation>>;
}

/** What is the same for all items of a run, and must be known again when the execution resumes. */
export interface RunState {
	concurrency: number;
	/** How the requests of the items behave that were begun. */
	settings: ReadonlyMap<number, RequestSettings>;
	/** The tasks that exist and are paid for, by item. */
	tasks: ReadonlyMap<number, string>;
}

/** How the item loop ends deferred work. Neither function rejects. */
export interface DeferredWork {
	deferred: ReadonlyMap<number, Deferred>;
	/** Does the rest of an item's work. */
	finish(index: number): Promise<void>;
	/** Does something for an item, which fails when that fails. */
	attempt(index: number, work: () => Promise<void>): Promise<void>;
}

/** How an execution is suspended while the deferred work of its items goes on elsewhere. */
export interface Suspension {
	/** What this run was suspended with, when it resumes a suspended execution. */
	readonly resumed: RunState | undefined;
	/** What must not be shown. */
	readonly secrets: readonly string[];
	/** Begins an item of a resumed execution. */
	resume(item: ItemContext): OperationOutput[] | Deferred;
	/**
	 * Ends the deferred work, except where the execution may be suspended for it.
	 *
	 * @returns by item, the output if the execution resumes too late; empty when all work has ended
	 */
	settle(work: DeferredWork): Promise<ReadonlyMap<number, OperationOutput>>;
	/**
	 * Suspends the execution. The node runs again when it resumes.
	 *
	 * @param outputs of all items, in their order
	 */
	suspend(outputs: readonly INodeExecutionData[], state: RunState): Promise<void>;
}

/** For operations that do not suspend. */
export const noSuspension: Suspension = {
	resumed: undefined,
	secrets: [],
	resume: () => [],
	settle: async ({ deferred, finish }) => {
		await Promise.all([...deferred.keys()].map(finish));
		return new Map();
	},
	suspend: async () => undefined,
};
