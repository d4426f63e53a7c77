import type { Accounts } from './accounts';
import type { FaultBook } from './control/faults';
import type { RequestLog } from './control/requestLog';
import type { SettingsStore } from './control/settings';
import type { Ledger } from './ledger';
import type { CallbackSender } from './media/callbacks';
import type { TaskStore } from './media/tasks';
import type { SessionStore } from './media/sessions';
import type { FileStore } from './storage/store';
import type { PromptCache } from './text/promptCache';
import type { ResponseStore } from './text/responses/store';

export interface GatewayContext {
	readonly accounts: Accounts;
	readonly ledger: Ledger;
	readonly settings: SettingsStore;
	readonly faults: FaultBook;
	readonly log: RequestLog;
	readonly files: FileStore;
	readonly tasks: TaskStore;
	readonly sessions: SessionStore;
	readonly callbacks: CallbackSender;
	readonly responses: ResponseStore;
	readonly promptCache: PromptCache;
}
