import type { IDataObject } from 'n8n-workflow';

import { Spending, type SpendingContext } from '../../nodes/shared/run/charge/spending';

/** An execution: what n8n stores of it, and what it shows. */
export class Execution {
	contexts: Record<string, IDataObject> = {};
	readonly custom: Record<string, unknown> = {};
	readonly hints: Array<{ message: string }> = [];

	constructor(public id = 'e1') {}

	node(name = 'node') {
		const customData = { setAll: (values: object) => void Object.assign(this.custom, values) };
		const context = {
			getContext: (kind: string) => (this.contexts[kind === 'flow' ? kind : name] ??= {}),
			getExecutionId: () => this.id,
			addExecutionHints: (hint: { message: string }) => void this.hints.push(hint),
			getWorkflowDataProxy: () => ({ $execution: { customData } }),
		};
		return new Spending(context as unknown as SpendingContext);
	}

	/** n8n stores it, and reads it back. */
	store = () => void (this.contexts = structuredClone(this.contexts));
}
