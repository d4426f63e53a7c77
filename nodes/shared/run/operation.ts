import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { GatewayClient, RequestSettings } from '../gateway/client/client';
import type { Declarations, Values } from '../params/parameter';
import type { ItemJournal } from './journal';
import type { RunContext } from './runContext';
import type { runOptions } from './settings';

/** What an operation gets for one item. */
export interface ItemContext<Params = unknown> {
	readonly index: number;
	/** The values of the operation's parameters and, under `options`, of its options. Each is read on access. */
	readonly params: Params;
	readonly client: GatewayClient;
	readonly run: RunContext;
	/** What is sent for the item. */
	readonly journal: ItemJournal;
	/** n8n's functions, for binary data. */
	readonly n8n: IExecuteFunctions;
}

/** One output item; the item loop pairs it with its input item. */
export interface OperationOutput {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** The rest of an item's work, done when every item has been started. */
export class Deferred {
	constructor(readonly finish: () => Promise<OperationOutput[]>) {}
}

/** An operation is one module: what the panel shows of it, and what it does with an item. */
export interface Operation<P extends Declarations = Declarations, O extends Declarations = Declarations> {
	displayName: string;
	/** As the list of actions names it, in plain words, e.g. "Start a media task". */
	action: string;
	description: string;
	/**
	 * What an AI Agent reads of the operation as its tool: what it does, what it needs and what it returns. Without it,
	 * that is the description.
	 */
	toolDescription?: string;
	/** In the order of the panel, without display conditions on resource and operation: the registry adds those. */
	parameters: P;
	/** Options besides {@link runOptions}; one of the same name replaces theirs. */
	options?: O;
	execute(
		item: ItemContext<Values<P> & { readonly options: Values<O & typeof runOptions> }>,
	): Promise<OperationOutput[] | Deferred>;
	/** For operations that may suspend the execution during deferred work. */
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

/** The state of a run that is restored when the execution resumes. */
export interface RunState {
	concurrency: number;
	/** The request settings of the items that were started. */
	settings: ReadonlyMap<number, RequestSettings>;
	/** The tasks that exist and are paid for, by item. */
	tasks: ReadonlyMap<number, string>;
}

/** The deferred work of a run. Its functions do not reject. */
export interface DeferredWork {
	deferred: ReadonlyMap<number, Deferred>;
	/** Does the rest of an item's work. */
	finish(index: number): Promise<void>;
	/** Does `work` for an item, whose error is that of `work`. */
	attempt(index: number, work: () => Promise<void>): Promise<void>;
}

/** Suspends an execution while the deferred work of its items continues at the gateway. */
export interface Suspension {
	/** The state of the suspended execution that this run resumes. */
	readonly resumed: RunState | undefined;
	/** Texts to remove from errors. */
	readonly secrets: readonly string[];
	/** Starts an item of a resumed execution. */
	resume(item: ItemContext): OperationOutput[] | Deferred;
	/**
	 * Finishes the deferred work, except what the execution may be suspended for.
	 *
	 * @returns by item, the output if the execution resumes too late; empty when all work is finished
	 */
	settle(work: DeferredWork): Promise<ReadonlyMap<number, OperationOutput>>;
	/**
	 * Suspends the execution. The node runs again when it resumes.
	 *
	 * @param outputs of all items, in their order
	 */
	suspend(outputs: readonly INodeExecutionData[], state: RunState): Promise<void>;
	/** Makes the input of a resumed run like any other, before n8n passes it on. */
	forget(): void;
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
	forget: () => undefined,
};
