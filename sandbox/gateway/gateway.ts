/** Starts the whole sandbox inside the calling process: API, file host and control. */
import type {
	BigFile,
	BigFileOptions,
	CallbackRecord,
	Concurrency,
	FaultRule,
	FaultView,
	ForgedCallback,
	KeyView,
	LedgerEntry,
	PlanRestrictions,
	RequestRecord,
	Settings,
	SettingsPatch,
	TaskView,
} from './control/types';
import { assemble } from './assemble';

export type * from './control/types';

export interface GatewayOptions {
	/** Port of the API and of control; 0 (default) takes a free one. */
	port?: number;
	/** Port of the file host; 0 (default) takes a free one. */
	filesPort?: number;
	/** The first key, of account `main`; a random one by default. Form `sk-<uuid>` (§2.9). */
	apiKey?: string;
	/** Rubles in a new account's wallet, decimal string; default `1000.00`. */
	balance?: string;
	settings?: SettingsPatch;
	/** Prints fastify's log; default false. */
	logger?: boolean;
}

/** The control methods; each also has a route (see README.md). */
export interface GatewayControl {
	settings(): Settings;
	/** Changes the settings that are given; `taskDuration` and `callbacks` are merged, the rest is replaced. */
	configure(patch: SettingsPatch): Settings;

	addFault(rule: FaultRule): FaultView;
	faults(): FaultView[];
	clearFaults(): void;

	/** Requests that arrived at the API and the file host, oldest first (at most the last 20 000). */
	requests(filter?: { host?: 'api' | 'files'; path?: string; method?: string }): RequestRecord[];
	ledger(account?: string): LedgerEntry[];
	concurrency(): Concurrency;

	balance(account?: string): string;
	setBalance(amount: string, account?: string): void;

	keys(): KeyView[];
	/** A further key; an account that does not exist yet is created with its own wallet. */
	createKey(options?: { account?: string; status?: KeyView['status'] }): KeyView;
	setKeyStatus(key: string, status: KeyView['status']): void;
	/** Null lifts all restrictions. */
	restrict(restrictions: PlanRestrictions | null, account?: string): void;

	tasks(): TaskView[];
	/** Ends a running task now. */
	finishTask(taskId: string, outcome?: 'success' | { failCode: string; failMsg: string }): Promise<TaskView>;
	callbacks(): CallbackRecord[];
	/** Sends a callback that is not of a task, or with false data. */
	forgeCallback(callback: ForgedCallback): Promise<CallbackRecord>;
	/** Sends a finished task's callback again. */
	repeatCallback(taskId: string): Promise<CallbackRecord>;

	createBigFile(options: BigFileOptions): BigFile;
	/** Lets a stored file's retention end now. */
	expireFile(id: string): void;

	/** Back to the state at the start: tasks, files, ledger, wallet, keys (but the first), faults, settings, log. */
	reset(): Promise<void>;
}

export interface Gateway {
	/** Ends in `/api/v1`. */
	baseUrl: string;
	/** Origin of the file host. */
	filesUrl: string;
	/** `…/control`, for another process. */
	controlUrl: string;
	/** The first key, of account `main`. */
	apiKey: string;
	control: GatewayControl;
	/** Stops both servers, ends running requests and removes the stored files. */
	close(): Promise<void>;
}

/** Starts the gateway on 127.0.0.1; throws when a port is taken. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
	return await assemble(options);
}
