import type { IDataObject } from 'n8n-workflow';

import { Ledger, type LedgerContext } from '../../nodes/shared/run/charge/ledger';

/** An execution: what n8n stores of it, and what it shows. */
export class Execution {
	contexts: Record<string, IDataObject> = {};
	readonly custom: Record<string, unknown> = {};
	readonly hints: Array<{ message: string }> = [];

	constructor(public id = 'e1') {}

	/** A run of a node. */
	node(name = 'node', run = '0') {
		const customData = { setAll: (values: object) => void Object.assign(this.custom, values) };
		const context = {
			getContext: (kind: string) => (this.contexts[kind === 'flow' ? kind : name] ??= {}),
			getNode: () => ({ name }),
			getExecutionId: () => this.id,
			addExecutionHints: (hint: { message: string }) => void this.hints.push(hint),
			getWorkflowDataProxy: () => ({ $execution: { customData } }),
		};
		return new Ledger(context as unknown as LedgerContext, run);
	}

	/** n8n stores it, and reads it back. */
	store = () => void (this.contexts = structuredClone(this.contexts));
}
