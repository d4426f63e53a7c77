import type { IExecuteFunctions } from 'n8n-workflow';

/** The hints at the output of a node, each once: an agent may ask for several items at a time. */
export class Hints {
	private readonly shown = new Set<string>();

	constructor(private readonly context: Pick<IExecuteFunctions, 'addExecutionHints'>) {}

	add(message: string): void {
		if (this.shown.has(message)) return;
		this.shown.add(message);
		this.context.addExecutionHints({ message, location: 'outputPane' });
	}
}
