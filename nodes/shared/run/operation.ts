import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { GatewayClient } from '../gateway/client/client';
import type { Json } from '../gateway/util/json';
import type { Declarations, Values } from '../params/parameter';
import type { RunContext } from './runContext';
import type { runOptions } from './settings';

export interface ItemInput<Params = unknown> {
	readonly index: number;
	readonly params: Params;
	readonly run: RunContext;
	readonly n8n: IExecuteFunctions;
}

export interface ItemContext<Params = unknown> extends ItemInput<Params> {
	readonly client: GatewayClient;
}

/** One output item; the item loop pairs it with its input item. */
export type OperationOutput = Pick<INodeExecutionData, 'json' | 'binary'>;

/** The rest of an item's work, done when every item has been started. */
export interface Deferred {
	finish: () => Promise<OperationOutput[]>;
}

type ParamsOf<P extends Declarations, O extends Declarations> = Values<P> & {
	readonly options: Values<O & typeof runOptions>;
};

/** An operation is one module: what the panel shows of it, and what it does with an item. */
export interface Operation<
	P extends Declarations = Declarations,
	O extends Declarations = Declarations,
	Planned = unknown,
> {
	displayName: string;
	/** As the list of actions names it, without articles, e.g. "Create media task". */
	action: string;
	description: string;
	/** For an AI Agent: what it does, needs and returns. Default: the description. */
	toolDescription?: string;
	/** In the order of the panel, without display conditions on resource and operation: the registry adds those. */
	parameters: P;
	/** Whether it creates a media task, or waits for one: equal calls over MCP are one task. */
	isOfTask?: true;
	/** Whether it reads what may change: a person who retries an execution gets it anew. */
	isRead?: true;
	/** Whether it is one quick request that costs nothing: of {@link runOptions}, its panel lists retries and timeout. */
	isSingleRequest?: true;
	/** Options besides {@link runOptions}. */
	options?: O;
	/**
	 * Reads and checks what it can without a request, the credential and whole files. It is called for all items before the
	 * first request.
	 */
	plan?(item: ItemInput<ParamsOf<P, O>>): Planned | Promise<Planned>;
	/** The user's own idempotency key of an item, and what it stands for, without the content of files. */
	ownKeyOf?(planned: Planned): { key: string; request: Json } | undefined;
	/** What identifies the request of an item whose idempotency key (§4.6) the node makes. */
	requestOf?(planned: Planned): Json;
	execute(item: ItemContext<ParamsOf<P, O>>, planned: Planned): Promise<OperationOutput[] | Deferred>;
	/** Applies options to the outputs of an item, also to those that an earlier attempt has stored. */
	present?(outputs: OperationOutput[], options: Values<O & typeof runOptions>): OperationOutput[];
	/** Hints about the outputs of all items, errors among them. */
	hintsOf?(outputs: readonly INodeExecutionData[], n8n: IExecuteFunctions): string[];
	/**
	 * Finishes the deferred work of a run, by item. Returns `undefined` when all of it is finished; otherwise the node runs
	 * again later. `finish` does not reject.
	 */
	finishLater?(
		n8n: IExecuteFunctions,
		deferred: ReadonlyMap<number, Deferred>,
		finish: (index: number) => Promise<void>,
	): Promise<PausedRun | undefined>;
}

/** Types the `execute` of an operation by its parameters. */
export function defineOperation<
	P extends Declarations,
	O extends Declarations = Record<never, never>,
	Planned = unknown,
>(operation: Operation<P, O, Planned>): Operation {
	return operation as Operation;
}

export interface Resource {
	displayName: string;
	/** The operation that a new node starts with, if it is not the first one. */
	initial?: string;
	operations: Readonly<Record<string, Operation>>;
}

/** A run that ends before its work is finished, and after which the node runs again. */
export interface PausedRun {
	/** By item, the output if the node does not run again. */
	outputs: ReadonlyMap<number, OperationOutput>;
	/** Is called with the outputs of all items, in their order, when the run ends without an error. */
	end(all: readonly INodeExecutionData[]): Promise<void>;
}
