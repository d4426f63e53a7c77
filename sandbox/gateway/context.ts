import type { Accounts } from './accounts';
import type { FaultBook } from './control/faults';
import type { Holds } from './control/holds';
import type { RequestLog } from './control/requestLog';
import type { SettingsStore } from './control/settings';
import type { Ledger } from './ledger';
import type { CallbackSender } from './media/callbacks';
import type { TaskStore } from './media/tasks';
import type { FileStore } from './storage/store';
import type { PromptCache } from './text/promptCache';
import type { ChatMessage } from './text/types';

export interface GatewayContext {
	readonly accounts: Accounts;
	readonly ledger: Ledger;
	readonly settings: SettingsStore;
	readonly faults: FaultBook;
	readonly holds: Holds;
	readonly log: RequestLog;
	readonly files: FileStore;
	readonly tasks: TaskStore;
	/** Media sessions (§4.13): the account of each. A session runs one task at a time (§7.4). */
	readonly sessions: Map<string, string>;
	readonly callbacks: CallbackSender;
	/** Past responses, so that `previous_response_id` can continue them (§4.1). */
	readonly responses: Map<string, { account: string; messages: ChatMessage[] }>;
	readonly promptCache: PromptCache;
}
